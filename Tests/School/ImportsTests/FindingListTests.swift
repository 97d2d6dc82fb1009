import JSONBytes
import Postgres
import TestKit
import Testing

/// Everything that was found in an archive, as a list and as a table.
@Suite struct FindingLists {
    /// Students of whom one has no name and another a formula for an id, and a location called in capitals.
    static let odd = TestArchive.small
        .replacing("S3,3,Given3", with: "S3,3,", in: "students.csv")
        .replacing("R5,K1,S5", with: "R5,K1,=S5", in: "rosters.csv")
        .replacing("C1,MA-1,Mathematics", with: "C1,MA-1 ,Mathematics", in: "courses.csv")

    @Test func `kinds come first, then findings one by one`() async throws {
        try await withSchool { school in
            let plan = try await school.importArchive(Self.odd, mode: "preview")
            #expect(plan.status == "planned", "\(plan)")
            let list = "\(plan.location)/findings"
            let all = try await school.get(list, as: .petra)
            #expect(all.status == 200)
            let kinds = all.items.filter { $0["text"] == .null }
            let single = all.items.filter { $0["count"] == .null }
            #expect(kinds.count + single.count == all.items.count && all.items.first == kinds.first)
            #expect(
                kinds.map { $0["code"] } == plan["tallies"]?.array?.map { $0["code"] }
                    && kinds.contains { $0["level"] == "note" && $0["count"] == 1 })
            #expect(single.map { $0["text"] } == plan["warnings"]?.array?.map { $0["text"] })
            #expect(single.first { $0["file"] == "students.csv" }?["lines"] == [4])

            var found: [JSONValue] = []
            var next: String? = "\(list)?limit=2"
            while let path = next {
                let page = try await school.get(path, as: .petra).json
                found += page["items"]?.array ?? []
                next = page["nextPageToken"]?.text.map { "\(list)?limit=2&pageToken=\($0)" }
            }
            #expect(found == all.items, "page by page it is the same")
            let warnings = try await school.get("\(list)?level=warning", as: .petra)
            #expect(!warnings.items.isEmpty)
            #expect(warnings.items == all.items.filter { $0["level"] == "warning" })
        }
    }

    @Test func `the table has all of them, and no formula`() async throws {
        try await withSchool { school in
            let plan = try await school.importArchive(Self.odd, mode: "preview")
            let list = "\(plan.location)/findings"
            let table = try await school.get(
                "\(list)?limit=1", as: .ada, headers: [("Accept", "text/csv")])
            #expect(table.status == 200)
            #expect(table.header("content-type")?.hasPrefix("text/csv") == true)
            #expect(
                table.header("content-disposition")
                    == "attachment; filename=\"import-findings.csv\"")
            let lines = table.text.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "\u{FEFF}level,code,file,column,lines,count,text")
            let all = try await school.get(list, as: .ada)
            #expect(lines.count == all.items.count + 1, "whatever the limit")
            #expect(lines.contains("note,trimmed,courses.csv,,2,1,"), "\(lines)")
            #expect(lines.contains { $0.hasPrefix("warning,missing_value,students.csv,") })
            // A file of that name is quoted in the table as the archive has it.
            try school.sql("update school.import_problem set file = '=1+1.csv'")
            let odd = try await school.get(list, as: .ada, headers: [("Accept", "text/csv")])
            #expect(odd.text.contains(",'=1+1.csv,") && !odd.text.contains(",=1+1.csv"))
        }
    }

    @Test func `nobody else reads what was found`() async throws {
        try await withSchool { school in
            let plan = try await school.importArchive(Self.odd, mode: "preview")
            let list = "\(plan.location)/findings"
            #expect(try await !school.get(list, as: .ada).items.isEmpty, "there is something")
            for persona in [Persona.mara, .tom, .sam, .exporter, .samsApp] {
                #expect(try await school.get(list, as: persona).status == 403, "\(persona)")
            }
            #expect(try await school.get(list, as: .olga).status == 404)
            let table = try await school.get(list, as: .olga, headers: [("Accept", "text/csv")])
            #expect(table.status == 404)
        }
    }
}
