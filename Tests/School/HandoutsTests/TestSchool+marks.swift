import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Sam in a handout of Tom's with 20 points, whose first link has 2.5.
struct MarkedWork {
    let handout: String
    let student: String
    /// Of the handout as a whole.
    var mark: String { student + "/mark" }
    let taskMark: String
    let task: String
}

extension TestSchool {
    func markedWork() async throws -> MarkedWork {
        let body: JSONValue = [
            "classId": .text(biology.uuid.description), "title": "Capitals",
            "publishAt": "2020-01-01T00:00:00Z", "marking": ["kind": "points", "maximum": 20],
            "tasks": [
                [
                    "kind": "link", "url": "https://maps.example", "title": "A map",
                    "marking": ["kind": "points", "maximum": 2.5],
                ], ["kind": "link", "url": "https://seas.example", "title": "A sea"],
            ],
        ]
        let answer = try await post("/v1/handouts", as: .tom, json: body)
        #expect(answer.status == 201, "\(answer.text)")
        let handout = path(answer.json)
        let student = "\(handout)/students/\(id(.sam).uuid)"
        let task = answer.json["tasks"]?[0]?["id"]?.text ?? ""
        return MarkedWork(
            handout: handout, student: student, taskMark: "\(student)/tasks/\(task)/mark",
            task: task)
    }

    @discardableResult
    func give(
        _ points: Double, at path: String, as persona: Persona = .tom
    ) async throws -> JSONValue {
        let body: JSONValue = ["points": .number(try #require(JSONNumber(points)))]
        let draft = try await put(path + "/draft", as: persona, json: body)
        #expect(draft.status == 200, "\(draft.text)")
        let given = try await put(path, as: persona)
        #expect(given.status == 200, "\(given.text)")
        return given.json
    }

    /// What a teacher is shown of the marks of a handout: `given/draft`.
    func marks(
        of work: MarkedWork, as persona: Persona
    ) async throws -> [String] {
        try await get(work.handout + "/marks", as: persona).items.map { item in
            let worth = ["mark", "draft"].map { item[$0]?["points"]?.double.map { "\($0)" } ?? "-" }
            return "\(item["taskId"]?.text == nil ? "all" : "task") \(worth.joined(separator: "/"))"
        }
    }
}
