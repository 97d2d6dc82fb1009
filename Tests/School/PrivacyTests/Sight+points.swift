import HTTPWire
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// The marks that teachers give: the student reads the own as long as the student has the handout, and so do whoever
/// teaches the class now and exports. Drafts are their author's alone, who has to teach the class now.
///
/// They are called points here, as the marks of this proof are those of attempts.
extension RandomSchool {
    /// A mark of each student for each handout, whether or not the student has it, and a draft of each person for each
    /// of these. A draft has as many points as its author's place among all ids.
    func plantPoints() throws {
        let students = Cast.students.compactMap { people[$0]?.uuid }
        try service.sql(
            """
            insert into school.mark (organization_id, mark_id, handout_id, person_id, points, maximum_points, given_at)
            select h.organization_id, gen_random_uuid(), h.handout_id, p.person_id, 700, 1000, now()
              from school.handout as h
              join school.person as p on p.organization_id = h.organization_id and p.person_id = any (\(students))
             where h.organization_id = \(organization)
            """)
        try service.sql(
            """
            insert into school.mark_draft (organization_id, mark_draft_id, handout_id, person_id, author_id, points,
                                           replaces)
            select m.organization_id, gen_random_uuid(), m.handout_id, m.person_id, a.person_id, o.place, 0
              from school.mark as m
             cross join unnest(\(authors)) with ordinality as o (id, place)
              join school.person as a on a.organization_id = m.organization_id and a.person_id = o.id
             where m.organization_id = \(organization)
            """)
    }

    func removePoints() {
        _ = try? service.sql("delete from school.mark_draft")
        _ = try? service.sql("delete from school.mark")
    }

    private var authors: [UUID] {
        people.values.map(\.uuid).sorted { $0.description < $1.description }
    }

    private func points(of caller: Caller) -> Int? {
        authors.firstIndex { $0 == caller.personID?.uuid }.map { $0 + 1 }
    }

    /// Those that there are, as superusers see them.
    private func planted() throws -> Set<String> {
        Set(
            try service.sql(
                "select handout_id, person_id from school.mark where organization_id = \(organization)"
            ).map(label))
    }

    private func label(_ row: Row) throws -> String {
        "\(name(try row.uuid("handout_id"))) of \(name(try row.uuid("person_id")))"
    }

    /// By rule 12 with rules 2 to 5.
    private func points(seenBy viewer: Viewer) throws -> Set<String> {
        let visible = Set(oracle.handouts(seenBy: viewer).map(\.text))
        return try planted().filter { label in
            let parts = label.split(separator: " of ", maxSplits: 1).map(String.init)
            guard parts.count == 2, visible.contains(parts[0]) else { return false }
            switch viewer {
            case .teacher, .exporter: return true
            case .student(let student, _): return parts[1] == student.text
            case .other: return false
            }
        }
    }

    // MARK: By SQL

    func lookIntoPoints() throws {
        try plantPoints()
        defer { removePoints() }
        for (name, viewer) in Onlooker.viewers {
            let caller = caller(for: viewer)
            compare(try found(as: caller), try points(seenBy: viewer), name, "school.mark")
            try lookAtDrafts(name, viewer, caller)
        }
        compare(
            try found(as: caller(Standing.exporter)), try points(seenBy: .exporter), "the exporter",
            "school.mark")
        for standing in Standing.allCases where ![.teacher, .student].contains(standing) {
            let name = "\(standing)"
            if standing != .exporter {
                compare(try found(as: caller(standing)), [], name, "school.mark")
            }
            compare(
                try found(as: caller(standing), in: "mark_draft"), [], name, "school.mark_draft")
        }
        for (name, caller) in strangers {
            compare(try found(as: caller), [], name, "school.mark")
            compare(try found(as: caller, in: "mark_draft"), [], name, "school.mark_draft")
        }
        try draftEverywhere()
    }

    private func found(as caller: Caller, in table: String = "mark") throws -> Set<String> {
        let isDraft = table == "mark_draft"
        let found = try rows(
            isDraft
                ? "select handout_id, person_id from school.mark_draft"
                : "select handout_id, person_id from school.mark", as: caller)
        return Set(try found?.map(label) ?? [])
    }

    private func lookAtDrafts(_ name: String, _ viewer: Viewer, _ caller: Caller) throws {
        let found = try rows(
            "select handout_id, person_id, author_id from school.mark_draft", as: caller)
        let authors = try found?.map { try $0.uuid("author_id") } ?? []
        if authors.contains(where: { $0 != caller.personID?.uuid }) {
            findings.append("\(name) sees the draft of somebody else's mark")
            return
        }
        let expected: Set<String>
        if case .teacher = viewer { expected = try points(seenBy: viewer) } else { expected = [] }
        compare(
            Set(try found?.map(label) ?? []), expected, name, "school.mark_draft")
    }

    /// Nobody writes where nothing is to be read.
    private func draftEverywhere() throws {
        let students = Cast.students.compactMap { people[$0]?.uuid }
        for (name, viewer) in Onlooker.viewers {
            guard case .teacher = viewer else { continue }
            let seen = try points(seenBy: viewer)
            let written = try service.sql(
                """
                select h.id as handout_id, p.id as person_id
                  from unnest(\(handouts.values.map(\.uuid))) as h (id)
                 cross join unnest(\(students)) as p (id)
                 where school.draft_mark(h.id, null, p.id, 1, 0)
                    or school.give_mark(h.id, null, p.id) <> 'absent'
                """, as: caller(for: viewer))
            for row in written where !seen.contains(try label(row)) {
                findings.append("\(name) marks \(try label(row)), out of sight")
            }
        }
    }

    // MARK: By calls

    func checkPoints(_ look: Look) async throws {
        var seen: Set<String> = []
        let own = points(of: caller(for: look.viewer))
        for (handout, id) in handouts {
            for student in Cast.students {
                let path = "/v1/handouts/\(id.uuid)/students/\(text(of: student))/mark"
                if try await read(path, look) != nil { seen.insert("\(handout) of \(student)") }
                guard look.isTeacher, let draft = try await read(path + "/draft", look) else {
                    continue
                }
                if draft["points"]?.int64 != own.map(Int64.init) {
                    findings.append("\(look.name) reads the draft of somebody else's mark")
                }
            }
            if look.isTeacher { try await checkList(of: handout.text, id, own, look) }
        }
        // Whoever teaches, too, asks as a teacher. A teacher finds nobody whom he or she does not read.
        let allowed = try look.reached.reduce(into: Set<String>()) {
            $0.formUnion(try points(seenBy: $1))
        }
        let mine = look.reached.count > 1 ? [] : try points(seenBy: look.viewer)
        let expected =
            look.isTeacher ? seen.intersection(allowed) : mine.union(seen.intersection(allowed))
        compare(
            seen, expected, look.name, "GET /v1/handouts/{id}/students/{personId}/mark")
    }

    /// The list of a handout has all of its marks, and of the drafts one's own.
    private func checkList(
        of handout: String, _ id: HandoutID, _ own: Int?, _ look: Look
    ) async throws {
        let list = try await read("/v1/handouts/\(id.uuid)/marks?limit=1000", look)
        let items = list?["items"]?.array ?? []
        let expected = try points(seenBy: look.viewer).filter { $0.hasPrefix("\(handout) of ") }
        compare(
            Set(items.map { "\(handout) of \(name($0["personId"]))" }), expected, look.name,
            "GET /v1/handouts/{id}/marks")
        for item in items where item["draft"]?["points"]?.int64 != own.map(Int64.init) {
            findings.append("\(look.name) lists the draft of somebody else's mark")
            return
        }
    }
}
