import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

@Suite struct RolloverCommand {
    @Test func `a preview prints a revision, with which the command carries it out`() async throws {
        try await withSchool { school in
            try school.addYears()
            let words = [
                "term", "rollover", "source:y26", "--next", "source:y27", "--copy", "withStudents",
                "--grade", "3=4", "--grade", "10=", "--organization",
                school.hillside.uuid.description,
            ]
            let text = try await school.homeroom.run(words)
            #expect(text.status == 0, "\(text.complaints)")
            let lines = text.output.split(separator: "\n").map(String.init)
            #expect(
                Array(lines.prefix(4)) == [
                    "archiveClass Biology", "copyClass Biology, 2 teachers, 1 students",
                    "leave Sue Example, 10", "moveUp Sam Example, 3 to 4",
                ])
            #expect(lines.contains { $0.hasPrefix("studentsLeaving") && $0.hasSuffix(" 1") })

            let preview = try await school.homeroom.run(words + ["--json"]).json
            #expect(preview["items"]?.array?.count == 4)
            let revision = try #require(preview["revision"]?.text)
            #expect(text.output.contains(revision))

            try school.sql("update school.person set grade = '3' where given_name = 'Ben'")
            let stale = try await school.homeroom.run(words + ["--revision", revision])
            #expect(stale.status == 1)
            #expect(stale.complaints.contains("Nothing was changed: The plan is not the one"))
            #expect(try school.grades() == ["Ben 3", "Sam 3", "Sue 10"])

            try school.sql("update school.person set grade = null where given_name = 'Ben'")
            let done = try await school.homeroom.run(words + ["--revision", revision, "--json"])
            #expect(done.status == 0, "\(done.complaints)")
            #expect(done.json["classesCopied"] == 1 && done.json["studentsMovedUp"] == 1)
            #expect(try school.grades() == ["Sam 4", "Sue 10 deactivated"])
            let again = try await school.homeroom.run(words)
            #expect(again.status == 1)
            #expect(again.complaints.contains("The term is closed."))
        }
    }

    @Test(arguments: [
        (["y26"], "TERM should be the id of a term, or source:ID."),
        (["source:y26", "--next", "y27"], "--next should be the id of a term, or source:ID."),
        (["source:y26", "--copy", "all"], "--copy should be empty, withTeachers or withStudents."),
        (["source:y26", "--copy", "empty"], "--copy needs --next, the term to copy into."),
        (["source:y26", "--grade", "3"], "--grade should be such as 3=4, or 10= for leavers."),
        (["source:y26", "--grade", "=4"], "--grade should be such as 3=4, or 10= for leavers."),
        (["source:y26", "--grade", "3=4", "--grade", "3=5"], "Give --grade once for each grade"),
        (["source:y26"], "--organization is needed where there is not just one."),
        ([], "term rollover takes TERM."),
    ]) func `wrong use is refused with one line`(words: [String], text: String) async throws {
        try await withSchool { school in
            let run = try await school.homeroom.run(["term", "rollover"] + words)
            #expect(run.status == 64)
            #expect(run.output.isEmpty)
            #expect(run.complaints.contains(text), "\(run.complaints)")
            #expect(run.complaints.contains("See: homeroom term rollover --help"))
        }
    }
}

extension TestSchool {
    /// The year 2026 with Biology, and the next one. Sam is in grade 3 and Sue in grade 10.
    func addYears() throws {
        try sql(
            """
            insert into school.term (organization_id, term_id, source_id, name, kind, starts_on, ends_on)
            select \(hillside), gen_random_uuid(), y.name, y.name, 'schoolYear', y.starts_on, y.starts_on + 365
              from (values ('y26', date '2026-08-01'), ('y27', date '2027-08-01')) as y (name, starts_on)
            """)
        try sql(
            """
            update school.class set term_id = (select term_id from school.term where source_id = 'y26')
             where class_id = \(biology)
            """)
        try sql(
            """
            update school.person set grade = case given_name when 'Sam' then '3' else '10' end
             where given_name in ('Sam', 'Sue')
            """)
    }

    func grades() throws -> [String] {
        try sql(
            """
            select concat_ws(' ', given_name, grade, case when deactivated_at is not null then 'deactivated' end)
                       as text
              from school.person where grade is not null order by 1
            """
        ).map { try $0.text("text") }
    }
}
