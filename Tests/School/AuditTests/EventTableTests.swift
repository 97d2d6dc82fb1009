import CSV
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// The audit events as CSV.
@Suite struct EventTable {
    private func table(
        _ query: String = "", as persona: Persona = .ada, of school: borrowing TestSchool
    ) async throws -> [[String]] {
        let answer = try await school.get(
            "/v1/audit-events\(query)", as: persona, headers: [("Accept", "text/csv")])
        #expect(answer.status == 200 && answer.header("vary") == "Accept")
        #expect(answer.header("content-type")?.hasPrefix("text/csv") == true)
        #expect(
            answer.header("content-disposition") == "attachment; filename=\"audit-events.csv\"")
        var reader = CSVReader(answer.body, options: .rfc4180)
        var records: [[String]] = []
        while let record = try reader.next() { records.append(record.fields) }
        return records
    }

    @Test func `the table has the events of the list, filtered alike`() async throws {
        try await withSchool { school in
            for path in ["audit-events", "developer-teams", "service-accounts"] {
                #expect(try await school.get("/v1/\(path)", as: .tom).status == 403)
            }
            _ = try await school.get("/v1/audit-events", as: .sam)
            let toms = "?personId=\(school.id(.tom).uuid)"
            let records = try await table("\(toms)&limit=1", of: school)
            #expect(records.first?.prefix(4) == ["id", "at", "kind", "standing"])
            let list = try await school.get("/v1/audit-events\(toms)", as: .ada)
            #expect(list.items.count == 3, "and Sam's is left out")
            #expect(records.dropFirst().map { $0[0] } == list.items.map { $0["id"]?.text ?? "" })
            let details = try JSONValue(parsing: Array(records[1][12].utf8))
            #expect(details == list.items[0]["details"])
            #expect(try await table(as: .olga, of: school).count == 1, "the header alone")
            let refused = try await school.get(
                "/v1/audit-events", as: .tom, headers: [("Accept", "text/csv")])
            #expect(refused.status == 403)
        }
    }

    @Test func `more events than are read at a time are all there, each once`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.audit_event (organization_id, event_id, arrived_at, kind, standing, details)
                select \(school.hillside), gen_random_uuid(), now() - n / 3 * interval '1 second', 'export',
                       'exporter', '{}'
                  from generate_series(1, 2500) as n
                """)
            let records = try await table("?kind=export", of: school)
            #expect(records.count == 2501 && Set(records.map { $0[0] }).count == 2501)
            #expect(records.dropFirst().map { $0[1] }.isSorted(by: >=))
        }
    }

    @Test func `what a spreadsheet would run is disarmed`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.audit_event (organization_id, event_id, kind, standing, subject_id, address, details)
                values (\(school.hillside), gen_random_uuid(), 'export', 'exporter', '=HYPERLINK("x")', '@sum',
                        '{"a": "b, \\"c\\""}')
                """)
            let record = try #require(try await table("?kind=export", of: school).last)
            #expect(record[11] == "'=HYPERLINK(\"x\")" && record[9] == "'@sum")
            #expect(try JSONValue(parsing: Array(record[12].utf8)) == ["a": "b, \"c\""])
        }
    }
}

extension Array {
    fileprivate func isSorted(by areInOrder: (Element, Element) -> Bool) -> Bool {
        zip(self, dropFirst()).allSatisfy(areInOrder)
    }
}
