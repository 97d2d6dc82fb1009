import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// An app's content, put there directly: the tests of handouts do not use the catalog API.
extension TestSchool {
    func plantContexts(environment: String = "production") throws {
        let contexts: [(path: [String], title: String, isAssignable: Bool)] = [
            ([], "Quizzler", true), (["capitals"], "Capitals", false),
            (["capitals", "europe"], "Capitals of Europe", true),
        ]
        for context in contexts {
            try sql(
                """
                insert into school.context (organization_id, context_id, environment, bundle_id,
                       identifier_path, locale, title, type, is_assignable, universal_link_url)
                values (\(hillside), school.new_id(), \(environment), \(quizzler), \(context.path),
                        'en', \(context.title), 'quiz', \(context.isAssignable), 'https://quizzler.example')
                """)
        }
    }

    /// A task that needs no app.
    static let map: JSONValue = ["kind": "link", "url": "https://maps.example", "title": "A map"]

    /// A task for the assignable context of `plantContexts`.
    var capitals: JSONValue {
        [
            "kind": "appActivity", "bundleId": .text(quizzler),
            "identifierPath": ["capitals", "europe"],
        ]
    }

    /// Gives Biology a handout with these tasks, as Tom does.
    func give(
        _ tasks: [JSONValue], publishAt: JSONValue = "2020-01-01T00:00:00Z",
        by persona: Persona = .tom
    ) async throws -> Answer {
        let handout: JSONValue = [
            "classId": .text(biology.uuid.description), "title": "Work",
            "publishAt": publishAt, "tasks": .array(tasks),
        ]
        return try await post("/v1/handouts", as: persona, json: handout.withoutNulls)
    }

    /// Reports as Sam's app that he was at a context for the last minute, and returns what is stored of him.
    func work(at path: [String] = ["capitals", "europe"]) async throws -> Int {
        try await upload([attempt(at: path, from: ago(1), to: .some(nil))])
        return try storedCount()
    }

    /// A handout of Tom's to Biology with a quiz and a link, published unless stated otherwise.
    func handout(
        _ title: String = "Capitals", publishAt: JSONValue = "2020-01-01T00:00:00Z",
        recipients: JSONValue = nil, by persona: Persona = .tom
    ) async throws -> JSONValue {
        let handout: JSONValue = [
            "classId": .text(biology.uuid.description), "title": .text(title),
            "publishAt": publishAt, "recipients": recipients,
            "tasks": [
                capitals, ["kind": "link", "url": "https://maps.example", "title": "A map"],
            ],
        ]
        let answer = try await post("/v1/handouts", as: persona, json: handout.withoutNulls)
        #expect(answer.status == 201)
        return answer.json
    }

    func path(_ handout: JSONValue, _ rest: String = "") -> String {
        "/v1/handouts/\(handout["id"]?.text ?? "")\(rest)"
    }

    func exists(_ handout: JSONValue) throws -> Bool {
        let id = handout["id"]?.text.flatMap { UUID($0) }
        return try !sql("select from school.handout where handout_id = \(id)").isEmpty
    }
}
