import API
import CSV
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Reports as CSV")
struct ReportTableTests {
    private func table(_ school: TestSchool, _ handout: GivenHandout) async throws -> Answer {
        try await school.get(
            "/v1/handouts/\(handout.id.uuid)/report", as: .tom, headers: [("Accept", "text/csv")])
    }

    /// The lines without quoting: the texts of these tests need none.
    private func lines(_ answer: Answer) -> [[String]] {
        answer.text.split(separator: "\r\n", omittingEmptySubsequences: true).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    @Test func `the table has the same figures as JSON, under the names of its fields`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.newTask(
                of: handout.id, in: school.biology, path: ["second"], position: 2)
            try await school.upload([
                school.result(60, progress: 0.3, seconds: 12.5, Item.score(7, of: 9)),
                school.result(40, progress: 0.7, seconds: 0.25, Item.score(1, of: 3)),
                school.result(40, Item.quantity(-2.5), at: ["second"]),
            ])
            try await school.upload([school.result(40, Item.score(2, of: 3))], as: .suesApp)
            let answer = try await table(school, handout)
            #expect(answer.status == 200)
            #expect(answer.header("content-type")?.hasPrefix("text/csv") == true)
            let lines = lines(answer)
            let names = try #require(lines.first)
            try #require(lines.count == 5)
            let report = try await school.report(handout).json
            var rest = lines.dropFirst()
            for task in report["tasks"]?.array ?? [] {
                for student in task["students"]?.array ?? [] {
                    let cells = Dictionary(uniqueKeysWithValues: zip(names, rest.removeFirst()))
                    compare(cells, task, student)
                }
            }
            #expect(answer.text.contains(",-2.5,"))
        }
    }

    private func compare(_ cells: [String: String], _ task: JSONValue, _ student: JSONValue) {
        #expect(cells["taskId"] == task["taskId"]?.text)
        #expect(cells["taskTitle"] == task["title"]?.text)
        for name in ["personId", "givenName", "attempts", "progress", "durationSeconds"] {
            #expect(cells[name] == text(student[name]), "\(name)")
        }
        let item = student["primaryItem"]
        #expect(cells["primaryItemScore"] == text(item?["score"]))
        #expect(cells["primaryItemMaxScore"] == text(item?["maxScore"]))
        #expect(cells["primaryItemQuantity"] == text(item?["quantity"]))
        for name in ["progress", "durationSeconds", "score", "studentsWithData"] {
            let column = "classAverage" + name.prefix(1).uppercased() + name.dropFirst()
            #expect(cells[column] == text(task["classAverage"]?[name]), "\(column)")
        }
    }

    @Test
    func `the table begins with a byte order mark, and names class, handout, task and student`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.attempt(additional: [Item.quantity(3)])
            ])
            let sam = school.id(.sam).uuid.description
            let base = "/v1/handouts/\(handout.id.uuid)"
            for (target, persona, names) in [
                (
                    "\(base)/report", Persona.tom,
                    ["className", "handoutTitle", "taskTitle", "sourceId"]
                ),
                (
                    "\(base)/tasks/\(handout.task.uuid)/items", .tom,
                    ["className", "handoutTitle", "taskTitle", "sourceId"]
                ),
                (
                    "/v1/classes/\(school.biology.uuid)/report", .tom,
                    ["className", "handoutTitle", "taskTitle"]
                ),
                (
                    "/v1/classes/\(school.biology.uuid)/students/\(sam)/report", .tom,
                    ["className", "handoutTitle", "taskTitle", "sourceId"]
                ),
                ("/v1/me/report", .sam, ["className", "handoutTitle", "taskTitle", "sourceId"]),
            ] {
                let answer = try await school.get(
                    target, as: persona, headers: [("Accept", "text/csv")])
                #expect(Array(answer.body.prefix(3)) == [0xEF, 0xBB, 0xBF], "\(target)")
                let records = try CSVReader.records(
                    of: Array(answer.body.dropFirst(3)), options: .rfc4180
                ).map(\.fields)
                let header = try #require(records.first)
                #expect(Set(header).count == header.count)
                let expected = [
                    "className": "Biology", "handoutTitle": "Cells", "taskTitle": "Check",
                    "sourceId": "sis-sam", "managedId": "sam@hillside.example",
                ]
                let lines = records.dropFirst().map {
                    Dictionary(uniqueKeysWithValues: zip(header, $0))
                }
                try #require(!lines.isEmpty, "\(target)")
                for name in names {
                    #expect(lines.contains { $0[name] == expected[name] }, "\(target) \(name)")
                }
                if names.contains("sourceId") {
                    let line = lines.first { $0["personId"] == sam }
                    #expect(line?["managedId"] == expected["managedId"], "\(target)")
                    #expect(line?["givenName"] == "Sam")
                }
            }
        }
    }

    @Test func `JSON is unchanged, without the file's names`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let cell = try await school.report(handout).json.cell(of: .sam)
            #expect(cell["personId"] != nil)
            #expect(cell["managedId"] == nil)
            #expect(cell["class"] == nil)
        }
    }

    @Test(
        arguments: [
            ("Cells", "Biology – Cells – DAY.csv"),
            ("Zellen & Gewebe: Übung 1/2", "Biology – Zellen & Gewebe_ Übung 1_2 – DAY.csv"),
            ("細胞", "Biology – 細胞 – DAY.csv"),
            ("a\"; filename=evil.exe", "Biology – a_; filename=evil.exe – DAY.csv"),
            ("..\\..\\win", "Biology – _.._win – DAY.csv"),
            ("100% \u{202E}gpj", "Biology – 100_ _gpj – DAY.csv"),
        ])
    func `the file is named after class, handout and day, whatever their names`(
        title: String, expected: String
    ) async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.sql("update school.handout set title = \(title)")
            try school.sql("update school.organization set time_zone = 'Pacific/Kiritimati'")
            let day = try school.sql(
                "select ((now() at time zone 'Pacific/Kiritimati')::date)::text as day")[0].text(
                    "day")
            let answer = try await table(school, handout)
            let field = try #require(answer.header("content-disposition"))
            let name = expected.replacing("DAY", with: day)
            let plain = String(name.unicodeScalars.map { $0.isASCII ? Character($0) : "_" })
            #expect(
                field
                    == "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(percentEncode(name))")
        }
    }

    @Test func `texts that a spreadsheet would execute are made harmless`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.sql("update school.task set title = '=HYPERLINK(\"x\")'")
            try school.sql("update school.person set given_name = '@Sam, the first'")
            let text = try await table(school, handout).text
            #expect(text.contains("\"'=HYPERLINK(\"\"x\"\")\""))
            #expect(text.contains("\"'@Sam, the first\""))
            try school.sql("update school.class set name = '+Biology'")
            try school.sql("update school.person set source_id = '=' || person_id")
            let names = try await table(school, handout).text
            #expect(names.contains("'+Biology,"))
            #expect(names.contains(",'=\(school.id(.sam).uuid),"))
        }
    }

    @Test func `a client that accepts JSON equally gets JSON`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            for (accept, type) in [
                ("*/*", "application/json"), ("application/json, text/csv", "application/json"),
                ("text/csv;q=0.5, application/json", "application/json"),
                ("text/csv", "text/csv"), ("text/csv, */*;q=0.1", "text/csv"),
                ("application/json;q=0.2, text/csv;q=0.3", "text/csv"),
            ] {
                let answer = try await school.get(
                    "/v1/handouts/\(handout.id.uuid)/report", as: .tom,
                    headers: [("Accept", accept)])
                #expect(answer.header("content-type")?.hasPrefix(type) == true, "\(accept)")
            }
        }
    }

    private func text(_ value: JSONValue?) -> String {
        switch value {
        case .text(let text)?: text
        case .number(let number)?: number.text
        default: ""
        }
    }
}
