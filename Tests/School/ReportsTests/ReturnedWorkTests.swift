import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Work that was given back, in reports")
struct ReturnedWorkTests {
    private func giveBack(
        _ school: TestSchool, _ handout: GivenHandout, _ student: String, _ body: JSONValue
    ) async throws {
        let answer = try await school.put(
            "/v1/handouts/\(handout.id.uuid)/students/source:\(student)/tasks/\(handout.task.uuid)/return",
            as: .tom, json: body)
        #expect(answer.status == 200)
    }

    private func table(
        _ school: TestSchool, _ path: String, as persona: Persona = .tom
    ) async throws -> [Substring] {
        let answer = try await school.get(path, as: persona, headers: [("Accept", "text/csv")])
        return answer.text.split(separator: "\r\n")
    }

    @Test func `every report of the student has it, and the class report counts it`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await giveBack(
                school, handout, "sis-sam", ["note": "Look at 3, once more", "tryAgain": true])
            let students = "/v1/classes/source:class-Biology/students/source:sis-sam/report"
            let report = try await school.report(handout).json
            let returned = report.cell(of: .sam)["returned"]
            #expect(returned?["note"] == "Look at 3, once more")
            #expect(returned?["tryAgain"] == true)
            let moment = returned?["at"]?.text.flatMap(Timestamp.init)
            #expect(try #require(moment) > school.ago(5))
            #expect(report.cell(of: .sue)["returned"] == .null)

            let attempts = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/students/source:sis-sam", as: .tom
            ).json
            #expect(attempts["tasks"]?[0]?["returned"] == returned)
            for answer in [
                try await school.get(students, as: .tom),
                try await school.get("/v1/me/report", as: .sam),
            ] {
                #expect(answer.json["handouts"]?[0]?["tasks"]?[0]?["returned"] == returned)
            }
            let taught = try await school.get("/v1/classes/source:class-Biology/report", as: .tom)
            #expect(taught.json["handouts"]?[0]?["tasks"]?[0]?["studentsReturned"] == 1)

            for path in ["/v1/handouts/\(handout.id.uuid)/report", students] {
                let lines = try await table(school, path)
                #expect(lines.first?.contains("returnedAt,returnedNote,returnedTryAgain") == true)
                let ofSam = lines.dropFirst().filter {
                    $0.contains("\"Look at 3, once more\",true")
                }
                #expect(ofSam.count == 1)
            }
        }
    }

    @Test func `withdrawn returns are in none`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await giveBack(school, handout, "sis-sue", ["note": "Well done"])
            let path = "/v1/handouts/\(handout.id.uuid)/students/source:sis-sue"
            #expect(
                try await school.get(path, as: .tom).json["tasks"]?[0]?["returned"]?["note"]
                    == "Well done")
            let answer = try await school.delete(
                path + "/tasks/\(handout.task.uuid)/return", as: .cora)
            #expect(answer.status == 204)
            #expect(try await school.get(path, as: .tom).json["tasks"]?[0]?["returned"] == .null)
            let taught = try await school.get("/v1/classes/source:class-Biology/report", as: .tom)
            #expect(taught.json["handouts"]?[0]?["tasks"]?[0]?["studentsReturned"] == 0)
        }
    }
}
