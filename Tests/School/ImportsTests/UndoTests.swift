import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Undoing an import that was applied: everything is as before, or nothing changes and the obstacles are named.
@Suite struct UndoneImports {
    /// Every kind of change: a new location, course and class, people who come, go and change, and other rosters.
    static let changed = TestArchive.small
        .adding("L3,East School", to: "locations.csv")
        .replacing("South School", with: "Southern School", in: "locations.csv")
        .replacing("S11,11,Given11,,Family11,07,,,8,L1\n", with: "", in: "students.csv")
        .replacing("Given1,,Family1,07", with: "Renamed,,Family1,08", in: "students.csv")
        .adding("S12,12,Given12,,Family12,07,,,8,L3", to: "students.csv")
        .replacing("T2,,Alan,M,Turing,,,L1", with: "T2,,Alan,M,Turing,,,L2", in: "staff.csv")
        .replacing("Mathematics", with: "Maths", in: "courses.csv")
        .adding("C2,BI-1,Botany,L3", to: "courses.csv")
        .replacing("K2,MA-1-B,C1,T2,,,L2\n", with: "K3,BI-1-A,C2,T1,,,L3\n", in: "classes.csv")
        .replacing("R11,K1,S11\nR12,K2,S1\nR13,K2,S2\n", with: "", in: "rosters.csv")
        .adding("R14,K3,S12", to: "rosters.csv").adding("R15,K3,S1", to: "rosters.csv")

    @Test func `everything is as before, whatever the import did`() async throws {
        try await withSchool { school in
            let empty = try school.content()
            let first = try await school.apply(.small)
            let before = try school.content()
            let second = try await school.apply(Self.changed)
            let after = try school.content()
            #expect(after != before)

            let dry = try school.undo(second, isDry: true)
            #expect(dry.first?.outcome == "undone")
            try school.expectContent(after)
            let done = try school.undo(second)
            #expect(done.map(\.text) == dry.map(\.text))
            #expect(done.contains { $0.text == "class created 1" }, "\(done)")
            #expect(done.contains { $0.text == "person created 1" })
            #expect(done.contains { $0.text == "role removed 2" })
            try school.expectContent(before)
            #expect(try school.undo(second).map(\.outcome) == ["alreadyUndone"])

            #expect(try school.undo(first).first?.outcome == "undone")
            try school.expectContent(empty)
            let events = try school.sql(
                """
                select count(*) as count from school.audit_event
                 where kind = 'import' and standing = 'server' and details ->> 'change' = 'undone'
                """)
            #expect(try events[0].int("count") == 2)

            // The directory takes the archive again as if it had never been there.
            let again = try await school.apply(.small)
            #expect(again.answer.counts("students.csv") == [11, 0, 0, 0])
            #expect(again.answer.counts("rosters.csv") == [13, 0, 0, 0])
        }
    }

    @Test(
        arguments: [
            ("update school.class set room = '7' where source_id = 'K3'", "class changed 1"),
            (
                "update school.person set given_name = 'By hand' where source_id = 'S1'",
                "person changed 1"
            ),
            (
                "update school.person set deactivated_at = null where source_id = 'S11'",
                "person changed 1"
            ),
            (
                """
                insert into school.credential (organization_id, person_id, password_record)
                select organization_id, person_id, 'x' from school.person where source_id = 'S12'
                """, "person credential 1"
            ),
            (
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                select c.organization_id, c.class_id, p.person_id, 'student'
                  from school.class as c join school.person as p using (organization_id)
                 where c.source_id = 'K3' and p.source_id = 'S2'
                """, "class seat 1"
            ),
            (
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                select c.organization_id, c.class_id, p.person_id, 'student'
                  from school.class as c join school.person as p using (organization_id)
                 where c.source_id = 'K1' and p.source_id = 'S11'
                """, "seat changed 1"
            ),
            (
                """
                insert into school.announcement (organization_id, announcement_id, class_id, author_id, text)
                select c.organization_id, school.new_id(), c.class_id, p.person_id, 'x'
                  from school.class as c join school.person as p using (organization_id)
                 where c.source_id = 'K3' and p.source_id = 'T1'
                """, "seat work 1"
            ),
            (
                """
                delete from school.person_role as r using school.person as p
                 where r.organization_id = p.organization_id and r.person_id = p.person_id and p.source_id = 'S12'
                """, "role changed 1"
            ),
            (
                """
                with bought as (
                    insert into school.app (organization_id, adam_id, bundle_id, name, product_type,
                                            is_device_assignable, is_revocable)
                    select organization_id, '990011223', 'org.example.quizzler', 'Quizzler', 'App', false, true
                      from school.location where source_id = 'L3'
                    returning organization_id, adam_id)
                insert into school.pool (organization_id, adam_id, location_id, total_count)
                select b.organization_id, b.adam_id, l.location_id, 1
                  from bought as b join school.location as l using (organization_id) where l.source_id = 'L3'
                """, "location pool 1"
            ),
        ] as [(StaticString, String)])
    func `what was built on it prevents undoing, and nothing changes`(
        change: StaticString, obstacle: String
    ) async throws {
        try await withSchool { school in
            _ = try await school.apply(.small)
            let wrong = try await school.apply(Self.changed)
            try school.sql(Statement(stringLiteral: change))
            let before = try school.content()
            let found = try school.undo(wrong)
            #expect(found.allSatisfy { $0.outcome == "blocked" })
            #expect(found.map(\.text).contains(obstacle), "\(found)")
            #expect(found.allSatisfy { $0.example != nil })
            try school.expectContent(before)
        }
    }

    @Test func `a later import that changed the same rows prevents undoing until it is undone`()
        async throws
    {
        try await withSchool { school in
            let first = try await school.apply(.small)
            let before = try school.content()
            let second = try await school.apply(Self.changed)
            let third = try await school.apply(
                Self.changed.replacing("Renamed", with: "Once more", in: "students.csv"))
            #expect(try school.undo(second).map(\.text) == ["person changed 1"])
            #expect(try school.undo(first).first?.outcome == "blocked")
            #expect(try school.undo(third).first?.outcome == "undone")
            #expect(try school.undo(second).first?.outcome == "undone")
            try school.expectContent(before)
        }
    }

    @Test func `what changed nothing, or is not kept, cannot be undone`() async throws {
        try await withSchool { school in
            let preview = try await school.apply(.small, mode: "preview")
            #expect(try school.undo(preview).map(\.outcome) == ["notApplied"])
            #expect(
                try school.undo(ImportID(.v7()), in: school.hillside).map(\.outcome) == ["unknown"])
            let first = try await school.apply(.small)
            #expect(try school.undo(first.id, in: school.elsewhere).map(\.outcome) == ["unknown"])
            let again = try await school.apply(.small)
            #expect(try school.undo(again).map(\.outcome) == ["notApplied"], "it has no news")
            // Under a standing of a later version, so that no worker takes it.
            try school.sql(
                """
                insert into school.import (organization_id, import_id, mode, status, standing, archive_bytes)
                values (\(school.hillside), school.new_id(), 'apply', 'queued', 'later', 1)
                """)
            #expect(try school.undo(first).map(\.outcome) == ["underWay"])
            try school.sql("delete from school.import where standing = 'later'")

            let person = try school.person("S3").uuid("person_id").description
            #expect(try await school.post("/v1/people/\(person)/erasure", as: .ada).status == 200)
            #expect(try school.undo(first).map(\.outcome) == ["notKept"])
            #expect(try school.sql("select from school.import_undo").count == 0)
        }
    }

    @Test func `what an import replaced is kept for thirty days, and not of a huge one`()
        async throws
    {
        try await withSchool { school in
            let first = try await school.apply(.small)
            try school.sql(
                "update school.import set finished_at = finished_at - interval '29 days'")
            try school.removeOutdated()
            #expect(try school.undo(first, isDry: true).first?.outcome != "notKept")
            try school.sql("update school.import set finished_at = finished_at - interval '1 day'")
            try school.removeOutdated()
            #expect(try school.undo(first).map(\.outcome) == ["notKept"])

            try school.sql(
                """
                create or replace function school.import_undo_max() returns integer language sql immutable return 5
                """)
            let second = try await school.apply(Self.changed)
            #expect(try school.undo(second).map(\.outcome) == ["notKept"])
        }
    }
}

/// A row of `undo_import()`.
struct UndoRow: CustomStringConvertible {
    let outcome: String
    let text: String
    let example: String?

    var description: String { "\(outcome): \(text)" }
}

extension TestSchool {
    /// Applies an archive, approved if it has to be; returns its id and its answer.
    func apply(
        _ archive: TestArchive, mode: String = "apply"
    ) async throws -> (id: ImportID, answer: JSONValue) {
        let answer = try await handIn(archive.bytes(), mode: mode, as: .ada)
        let location = try #require(answer.header("location"))
        var done = try await ended(location)
        if done.status == "awaitingApproval" {
            #expect(try await post("\(location)/approval", as: .ada).status == 202)
            done = try await ended(location)
        }
        #expect(["succeeded", "planned"].contains(done.status), "\(done)")
        return (ImportID(try #require(UUID(location.split(separator: "/").last ?? ""))), done)
    }

    func undo(
        _ applied: (id: ImportID, answer: JSONValue), isDry: Bool = false
    ) throws -> [UndoRow] {
        try undo(applied.id, in: hillside, isDry: isDry)
    }

    func undo(
        _ id: ImportID, in organization: OrganizationID, isDry: Bool = false
    ) throws -> [UndoRow] {
        try sql("select * from school.undo_import(\(organization), \(id), \(isDry))").map { row in
            let parts = [try row.optionalText("kind"), try row.optionalText("what")]
            let found = try row.optionalInt("found").map { "\($0)" }
            return UndoRow(
                outcome: try row.text("outcome"),
                text: (parts + [found]).compactMap(\.self).joined(separator: " "),
                example: try row.optionalText("example"))
        }
    }

    /// Changes when anything in the directory changes but when it was last changed.
    func expectContent(
        _ expected: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let difference = try content().symmetricDifference(expected).sorted()
        #expect(difference.isEmpty, "\(difference)", sourceLocation: sourceLocation)
    }

    /// The directory, but for when rows were written and who seated someone: that is now whoever undid it.
    func content() throws -> Set<String> {
        let rows = try sql(
            """
            select r::text as line from (
                select 'location' as kind, to_jsonb(l) as content from school.location as l
                union all select 'term', to_jsonb(t) from school.term as t
                union all select 'person', to_jsonb(p) from school.person as p
                union all select 'role', to_jsonb(r) from school.person_role as r
                union all select 'course', to_jsonb(c) from school.course as c
                union all select 'class', to_jsonb(c) from school.class as c
                union all select 'seat', to_jsonb(s) from school.seat as s
                union all select 'managed ID', to_jsonb(m) from school.managed_id_directory as m) as e
             cross join lateral (
                select e.kind, e.content - '{version, updated_at, created_at, recorded_at,
                                                 seated_by}'::text[] as content) as r
            """)
        return Set(try rows.map { try $0.text("line") })
    }
}
