import API
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

/// One tool with a task in Biology, and what it does with line items.
struct GradedTask {
    let school: TestSchool
    let fake: FakeTool
    let tool: MadeTool
    let handout: String
    let task: String
    let token: String

    var path: String { "/lti/classes/\(school.biology.uuid)/line-items" }

    /// A line item of the task that is right, with the changes of the test; null leaves a member out.
    func item(_ more: [String: JSONValue] = [:]) -> JSONValue {
        let own: [String: JSONValue] = [
            "label": "Chapter 1", "scoreMaximum": 5, "resourceLinkId": .text(task),
        ]
        return JSONValue.object(JSONObject(own.merging(more) { $1 }.map { ($0, $1) })).withoutNulls
    }

    func ask(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil, token: String? = nil
    ) async throws -> Answer {
        try await school.send(
            method, path, token: token ?? self.token, body: body?.bytes ?? [],
            headers: body == nil
                ? [] : [("Content-Type", "application/vnd.ims.lis.v2.lineitem+json")])
    }

    /// Makes one; returns its id.
    func make(_ more: [String: JSONValue] = [:]) async throws -> String {
        let answer = try await ask(.post, path, item(more))
        try #require(answer.status == 201, "\(answer.text)")
        return (answer.json["id"]?.text ?? "").split(separator: "/").last.map(String.init) ?? ""
    }

    /// Every attempt of a student, as he or she reads it.
    func attempts(of persona: Persona = .sam) async throws -> [JSONValue] {
        let answer = try await school.get("/v1/me/handouts/\(handout)/attempts", as: persona)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json["tasks"]?[0]?["attempts"]?.array ?? []
    }

    /// Titles and scores of the additional items of an attempt.
    static func additional(_ attempt: JSONValue?) -> [String] {
        (attempt?["additionalItems"]?.array ?? []).map {
            "\($0["title"]?.text ?? "?") \($0["score"]?.double ?? -1)"
        }
    }

    func results(_ item: String) async throws -> [Double] {
        let answer = try await ask(.get, "\(path)/\(item)/results")
        #expect(answer.status == 200, "\(answer.text)")
        return (answer.json.array ?? []).compactMap { $0["resultScore"]?.double }
    }
}

/// Runs a test with a tool whose task all students of Biology have.
func withGradedTask(
    _ more: [String: JSONValue] = [:], recipients: JSONValue = nil,
    _ test: (GradedTask) async throws -> Void
) async throws {
    let fake = FakeTool()
    try await withSchool(client: fake) { school in
        let tool = try await school.registerTool()
        let given = try await school.giveTool(tool, more, recipients: recipients)
        let token = try await school.toolToken(of: tool, by: fake)
        try await test(
            GradedTask(
                school: school, fake: fake, tool: tool, handout: given.handout, task: given.task,
                token: token))
    }
}
