import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("A report of more than 256 KiB")
struct LongReportTests {
    @Test func `is whole, as JSON and as CSV`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            for position in 2...20 {
                try school.newTask(
                    of: handout.id, in: school.biology, path: ["\(position)"], position: position)
            }
            try school.sql(
                """
                insert into school.managed_id_directory (managed_id, organization_id, person_id)
                select 'more' || n || '@hillside.example', \(school.hillside), md5('more' || n)::uuid
                  from generate_series(1, 98) as n
                """)
            try school.sql(
                """
                insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
                select \(school.hillside), md5('more' || n)::uuid, 'Student ' || n, repeat('Name', 20),
                       'more' || n || '@hillside.example' from generate_series(1, 98) as n
                """)
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                select \(school.hillside), \(school.biology), md5('more' || n)::uuid, 'student'
                  from generate_series(1, 98) as n
                """)
            let report = try await school.report(handout)
            #expect(report.status == 200)
            #expect(report.body.count > 262_144)
            let tasks = report.json["tasks"]?.array ?? []
            #expect(tasks.count == 20)
            #expect(tasks.allSatisfy { $0["students"]?.array?.count == 100 })
            let table = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/report", as: .tom,
                headers: [("Accept", "text/csv")])
            #expect(table.text.split(separator: "\r\n").count == 2001)
        }
    }
}
