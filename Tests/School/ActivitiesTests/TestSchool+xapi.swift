import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Values

extension TestSchool {
    /// What in-process requests call this server.
    static let server = "http://localhost"
    static let cmi5Progress = "https://w3id.org/xapi/cmi5/result/extensions/progress"

    /// The name by which an app knows its person.
    func subject(of app: Persona) throws -> String {
        try sql(
            """
            select school.subject_of(\(app.isElsewhere ? elsewhere : hillside), \(app.personID), \(quizzler))
                       as subject
            """)[0].text("subject")
    }

    /// The IRI of a context of Quizzler.
    func iri(_ path: [String] = TestSchool.context) -> String {
        "\(Self.server)/xapi/activities/" + ([quizzler] + path).joined(separator: "/")
    }

    /// A statement of Sam's Quizzler, half an hour ago unless the test says otherwise. `nil` as `id` leaves it out.
    func statement(
        _ verb: String = "completed", id: UUID? = UUID.v7(), about iri: String? = nil,
        by app: Persona = .samsApp, at moment: Timestamp? = nil, result: JSONValue? = nil,
        registration: UUID? = nil, more: [(String, JSONValue)] = []
    ) throws -> JSONValue {
        var members = JSONObject()
        if let id { members["id"] = .text(id.description) }
        members["actor"] = [
            "objectType": "Agent",
            "account": [
                "homePage": .text(Self.server), "name": .text(try subject(of: app)),
            ],
        ]
        members["verb"] = [
            "id": .text(verb.contains(":") ? verb : "http://adlnet.gov/expapi/verbs/\(verb)"),
            "display": ["en-US": .text(verb)],
        ]
        members["object"] = ["objectType": "Activity", "id": .text(iri ?? self.iri())]
        members["timestamp"] = .text((moment ?? ago(30)).description)
        if let result { members["result"] = result }
        if let registration {
            members["context"] = ["registration": .text(registration.description)]
        }
        for (key, value) in more { members[key] = value }
        return .object(members)
    }

    /// Sends a statement, or an array of them.
    @discardableResult
    func state(
        _ body: JSONValue, as app: Persona = .samsApp, version: String? = "1.0.3",
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await post(
            "/xapi/statements", as: app, json: body, headers: Self.fields(version) + headers)
    }

    /// Sends a statement with an id.
    func putStatement(
        _ body: JSONValue, id: String, as app: Persona = .samsApp
    ) async throws -> Answer {
        try await put(
            "/xapi/statements?statementId=\(id)", as: app, json: body,
            headers: Self.fields("1.0.3"))
    }

    private static func fields(_ version: String?) -> [(String, String)] {
        version.map { [("X-Experience-API-Version", $0)] } ?? []
    }

    /// How many receipts there are.
    func receiptCount() throws -> Int {
        try sql("select count(*) as count from school.statement_receipt")[0].int("count")
    }
}

extension JSONValue {
    /// The object with one member set, or without it.
    func with(_ key: String, _ value: JSONValue?) -> JSONValue {
        guard var object else { return self }
        object[key] = value
        return .object(object)
    }
}
