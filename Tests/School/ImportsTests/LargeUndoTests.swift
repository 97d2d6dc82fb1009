import Foundation
import Postgres
import School
import TestKit
import Testing
import Values

/// What is kept of an import in sets: many rows, those of an earlier version, and what is done meanwhile.
@Suite struct UndoneSets {
    /// More than two sets of people and of roles, and classes with seats that change. The ids of seats begin with a
    /// letter of one's own.
    private static func district(_ seats: String, grade: String, people: Int) -> TestArchive {
        var archive = TestArchive.small
        let numbers = Array(1...people)
        let students = numbers.map {
            "S\($0),\($0),Given\($0),,Family\($0),\(grade),,,8,L\(1 + $0 % 2)"
        }
        archive.files["students.csv"] =
            ([TestArchive.studentHeader] + students).joined(separator: "\n") + "\n"
        let classes = (1...12).map { "K\($0),MA-\($0),C1,T\(1 + $0 % 2),,,L1" }
        let classHeader = archive.files["classes.csv"]?.split(separator: "\n").first ?? ""
        archive.files["classes.csv"] =
            ([String(classHeader)] + classes).joined(separator: "\n") + "\n"
        let rosters = numbers.map { "\(seats)\($0),K\(1 + ($0 + seats.count) % 12),S\($0)" }
        archive.files["rosters.csv"] =
            (["roster_id,class_id,student_id"] + rosters).joined(separator: "\n") + "\n"
        return archive
    }

    @Test func `thousands of rows are as before`() async throws {
        try await withSchool { school in
            let empty = try school.content()
            let first = try await school.apply(Self.district("R", grade: "07", people: 2100))
            let before = try school.content()
            let second = try await school.apply(Self.district("NR", grade: "08", people: 2050))
            #expect(try school.content() != before)
            let sets = try school.sql(
                """
                select count(*) as sets, sum(cardinality(ids)) as rows from school.import_undo
                 where import_id = \(second.id)
                """)[0]
            #expect(try sets.int("rows") > 6000)
            #expect(try sets.int("sets") < 50, "it keeps sets, not rows")

            let done = try school.undo(second).map(\.text)
            for change in ["person changed 2100", "seat created 2050", "seat changed 2100"] {
                #expect(done.contains(change), "\(done)")
            }
            try school.expectContent(before)
            #expect(try school.undo(first).map(\.text).contains("person created 2102"))
            try school.expectContent(empty)
        }
    }

    @Test func `what an earlier version kept row by row is undone, too`() async throws {
        try await withSchool { school in
            _ = try await school.apply(.small)
            let before = try school.content()
            let second = try await school.apply(UndoneImports.changed)
            try school.sql(Self.unfolded)
            let kept = try school.sql("select from school.import_undo where ids is not null")
            #expect(kept.isEmpty)
            try school.sql("update school.class set room = '7' where source_id = 'K3'")
            #expect(try school.undo(second).map(\.text) == ["class changed 1"])
            try school.sql("update school.class set room = null where source_id = 'K3'")
            #expect(try school.undo(second).contains { $0.text == "role removed 2" })
            try school.expectContent(before)
        }
    }

    /// Keeps each row as before there were sets.
    private static let unfolded: Statement = """
        do $do$
        declare
            target text;
        begin
            perform set_config('timezone', 'UTC', true);
            create temporary table kept on commit drop as
            select u.organization_id, u.import_id, u.kind, u.change, u.class_id, u.location_id, u.role,
                   m.*, row_number() over () as nth
              from school.import_undo as u
             cross join lateral rows from (unnest(u.ids, u.joined), jsonb_array_elements(u.before))
                   as m (id, joined_at, before);
            delete from school.import_undo;
            insert into school.import_undo (organization_id, import_id, position, kind, change, row_id, person_id,
                                            class_id, location_id, role, joined_at, before)
            select organization_id, import_id, nth, kind, change,
                   case when kind not in ('role', 'seat') then id end,
                   case when kind in ('person', 'role', 'seat') then id end,
                   class_id, location_id, role, joined_at, before
              from kept;
            update school.import_undo as u
               set after = (select jsonb_build_object('left_at', s.left_at, 'source_id', s.source_id)
                              from school.seat as s
                             where s.organization_id = u.organization_id and s.class_id = u.class_id
                               and s.person_id = u.person_id and s.role = u.role and s.joined_at = u.joined_at)
             where kind = 'seat';
            update school.import_undo set after = '{"origin": "import"}' where kind = 'role' and change = 'created';
            foreach target in array array['location', 'term', 'person', 'course', 'class'] loop
                execute format('update school.import_undo as u
                                   set after = (select %s from school.%I as t
                                                 where t.organization_id = u.organization_id and t.%I = u.row_id)
                                 where kind = %L',
                               school.import_image(target), target, target || '_id', target);
            end loop;
        end $do$
        """

    @Test(
        arguments: [
            ("update school.class set room = '7' where source_id = 'K3'", "class changed 1"),
            (
                """
                insert into school.credential (organization_id, person_id, password_record)
                select organization_id, person_id, 'x' from school.person where source_id = 'S12'
                """, "person credential 1"
            ),
        ] as [(StaticString, String)])
    func `what someone builds on it while it is undone prevents it`(
        change: StaticString, obstacle: String
    ) async throws {
        try await withSchool { school in
            _ = try await school.apply(.small)
            let wrong = try await school.apply(UndoneImports.changed)
            let someone = try BlockingConnection(school.ownerURL)
            try someone.execute("begin")
            try someone.query(Statement(stringLiteral: change))
            let (url, id, organization) = (school.ownerURL, wrong.id, school.hillside)
            async let found = onThread {
                try BlockingConnection(url).query(
                    """
                    select concat_ws(' ', outcome, kind, what, found) as line
                      from school.undo_import(\(organization), \(id), false)
                    """
                ).map { try $0.text("line") }
            }
            try await school.untilSomethingWaits()
            try someone.execute("commit")
            let lines = try await found
            #expect(lines == ["blocked \(obstacle)"])
            #expect(try school.undo(wrong, isDry: true).map(\.text) == [obstacle])
            let seats = try school.sql(
                """
                select from school.seat as s join school.class as c using (organization_id, class_id)
                 where c.source_id = 'K3' and s.role = 'student'
                """)
            #expect(seats.count == 2, "what was written before it waited is there again")
        }
    }

    @Test func `a person's archive holds that person's part of a set alone`() async throws {
        try await withSchool { school in
            _ = try await school.apply(.small)
            _ = try await school.apply(UndoneImports.changed)
            let person = try school.person("S1").uuid("person_id")
            let administrator = try BlockingConnection(school.ownerURL)
            try administrator.query(
                """
                select set_config('school.organization', \(school.hillside.uuid.description), false),
                       set_config('school.person', \(school.id(.ada).uuid.description), false)
                """)
            try administrator.execute("set role school_administrator")
            let rows = try administrator.query(
                """
                select content::text as line from school.personal_rows(\(PersonID(person)))
                 where table_name = 'import_undo'
                """)
            let lines = try rows.map { try $0.text("line") }
            #expect(lines.contains { $0.contains("Given1") && $0.contains("changed") }, "\(lines)")
            #expect(lines.allSatisfy { !$0.contains("Given2") && !$0.contains("Given11") })
            let others = try ["S2", "S11"].map { try school.person($0).uuid("person_id") }
            for other in others {
                #expect(lines.allSatisfy { !$0.contains(other.description) })
            }
        }
    }
}

/// Runs the body on a thread that may block.
private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
