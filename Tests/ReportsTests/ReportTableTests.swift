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

    /// The lines without quotation: the texts of these tests need none.
    private func lines(_ answer: Answer) -> [[String]] {
        answer.text.split(separator: "\r\n", omittingEmptySubsequences: true).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    @Test func `it has the same figures as JSON, under the names of its fields`() async throws {
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

    @Test func `texts that a spreadsheet would run are made harmless`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.sql("update school.task set title = '=HYPERLINK(\"x\")'")
            try school.sql("update school.person set given_name = '@Sam, the first'")
            let text = try await table(school, handout).text
            #expect(text.contains("\"'=HYPERLINK(\"\"x\"\")\""))
            #expect(text.contains("\"'@Sam, the first\""))
        }
    }

    @Test func `whoever accepts JSON as much gets JSON`() async throws {
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
