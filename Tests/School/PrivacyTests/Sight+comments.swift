import HTTPWire
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// What students and teachers write to each other about a handout: the student reads it as long as the student has the
/// handout, and whoever teaches the class now; nobody else.
extension RandomSchool {
    /// A word of each student about each handout, whether or not the student has it, and that each teacher has read it.
    func plantComments() throws {
        let students = Cast.students.compactMap { people[$0]?.uuid }
        try service.sql(
            """
            insert into school.comment (organization_id, comment_id, handout_id, person_id, author_id, position, text)
            select h.organization_id, gen_random_uuid(), h.handout_id, p.person_id, p.person_id, 1, 'How?'
              from school.handout as h
              join school.person as p on p.organization_id = h.organization_id and p.person_id = any (\(students))
             where h.organization_id = \(organization)
            """)
        let readers = people.values.map(\.uuid)
        try service.sql(
            """
            insert into school.comment_seen (organization_id, handout_id, person_id, reader_id, position)
            select c.organization_id, c.handout_id, c.person_id, p.person_id, 1
              from school.comment as c
              join school.person as p on p.organization_id = c.organization_id and p.person_id = any (\(readers))
             where c.organization_id = \(organization)
            """)
    }

    func removeComments() {
        _ = try? service.sql("delete from school.comment_seen")
        _ = try? service.sql("delete from school.comment")
    }

    /// Those that there are, as superusers see them.
    private func planted() throws -> Set<String> {
        Set(
            try service.sql(
                """
                select handout_id, person_id from school.comment where organization_id = \(organization)
                """
            ).map(label))
    }

    private func label(_ row: Row) throws -> String {
        "\(name(try row.uuid("handout_id"))) of \(name(try row.uuid("person_id")))"
    }

    /// By rule 12 with rules 2 to 4.
    private func comments(seenBy viewer: Viewer) throws -> Set<String> {
        let visible = Set(oracle.handouts(seenBy: viewer).map(\.text))
        return try planted().filter { label in
            let parts = label.split(separator: " of ", maxSplits: 1).map(String.init)
            guard parts.count == 2, visible.contains(parts[0]) else { return false }
            switch viewer {
            case .teacher: return true
            case .student(let student, _): return parts[1] == student.text
            case .exporter, .other: return false
            }
        }
    }

    // MARK: By SQL

    func lookIntoComments() throws {
        try plantComments()
        defer { removeComments() }
        for (name, viewer) in Onlooker.viewers {
            let caller = caller(for: viewer)
            compare(
                try found(as: caller), try comments(seenBy: viewer), name,
                "school.comment")
            try lookAtPlaces(name, viewer, caller)
        }
        for standing in Standing.allCases where ![.teacher, .student].contains(standing) {
            compare(
                try found(as: caller(standing)), [], "\(standing)", "school.comment")
        }
        for (name, caller) in strangers {
            compare(try found(as: caller), [], name, "school.comment")
        }
        try writeEverywhere()
    }

    private func found(as caller: Caller) throws -> Set<String> {
        let found = try rows("select handout_id, person_id from school.comment", as: caller)
        return Set(try found?.map(label) ?? [])
    }

    /// How far somebody has read is that person's alone.
    private func lookAtPlaces(_ name: String, _ viewer: Viewer, _ caller: Caller) throws {
        let found = try rows(
            "select handout_id, person_id, reader_id from school.comment_seen", as: caller)
        let expected = try comments(seenBy: viewer)
        guard let found else { return }
        for row in found {
            let isOwn = try row.uuid("reader_id") == caller.personID?.uuid
            guard isOwn, expected.contains(try label(row)) else {
                findings.append("\(name) sees how far somebody has read")
                return
            }
        }
    }

    /// Nobody writes where nothing is to be read.
    private func writeEverywhere() throws {
        let students = Cast.students.compactMap { people[$0]?.uuid }
        for (name, viewer) in Onlooker.viewers {
            let seen = try comments(seenBy: viewer)
            let written = try service.sql(
                """
                select h.id as handout_id, p.id as person_id
                  from unnest(\(handouts.values.map(\.uuid))) as h (id)
                 cross join unnest(\(students)) as p (id)
                 where school.write_comment(h.id, p.id, gen_random_uuid(), 'mine')
                """, as: caller(for: viewer))
            for row in written where !seen.contains(try label(row)) {
                findings.append("\(name) writes about \(try label(row)), out of sight")
            }
        }
    }

    // MARK: By calls

    func checkComments(_ look: Look) async throws {
        var seen: Set<String> = []
        for (handout, id) in handouts {
            for student in Cast.students {
                let path = "/v1/handouts/\(id.uuid)/students/\(text(of: student))/comments"
                guard let answer = try await read(path, look) else { continue }
                if !(answer["items"]?.array ?? []).isEmpty {
                    seen.insert("\(handout) of \(student)")
                }
            }
        }
        // Whoever teaches, too, asks as a teacher. A teacher finds nobody who never sat in the class.
        let allowed = try look.reached.reduce(into: Set<String>()) {
            $0.formUnion(try comments(seenBy: $1))
        }
        let own = look.reached.count > 1 ? [] : try comments(seenBy: look.viewer)
        let expected =
            look.isTeacher ? seen.intersection(allowed) : own.union(seen.intersection(allowed))
        compare(
            seen, expected, look.name, "GET /v1/handouts/{id}/students/{personId}/comments")
    }
}
