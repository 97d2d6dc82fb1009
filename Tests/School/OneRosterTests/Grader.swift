import Crypto
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// Another system with a service account of its own, and a token with scopes of the gradebook.
struct Grader: Sendable {
    static let scopes = [
        "gradebook.readonly", "gradebook.createput", "gradebook.createpost", "gradebook.delete",
    ]

    let school: TestSchool
    let id: String
    let token: String

    /// - Parameters:
    ///   - grants: `nil` for the gradebook of Biology without results.
    ///   - scopes: the rights of version 1.2.
    init(
        _ school: TestSchool, _ name: String = "Grader", grants: [JSONValue]? = nil,
        scopes: [String] = Grader.scopes
    ) async throws {
        self.school = school
        let account = try await school.post(
            "/v1/service-accounts", as: .ada, json: ["name": .text(name), "role": "rosterReader"])
        id = try #require(account.json["clientId"]?.text)
        let secret = try #require(account.json["clientSecret"]?.text)
        let wanted = scopes.flatMap { right in Edition.allCases.map { $0.right(right) } }
        let issued = try await school.send(
            "POST", "/oauth/token", token: nil,
            body: Array(
                "grant_type=client_credentials&scope=\(wanted.joined(separator: "+"))".utf8),
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Authorization", "Basic \(Base64.encode(Array("\(id):\(secret)".utf8)))"),
            ])
        token = try #require(issued.json["access_token"]?.text)
        let own: JSONValue = [
            "classId": .text(school.biology.uuid.description), "readsResults": false,
        ]
        try await grant(grants ?? [own])
    }

    /// Replaces the grants.
    func grant(_ grants: [JSONValue]) async throws {
        let answer = try await school.put(
            "/v1/service-accounts/\(id)/gradebook-grants", as: .ada,
            json: ["items": .array(grants)])
        try #require(answer.status == 200, "\(answer.text)")
    }

    func get(_ path: String, in edition: Edition = .v1p2) async throws -> Answer {
        try await school.send("GET", "\(edition.path(of: .gradebook))/\(path)", token: token)
    }

    func send(
        _ method: HTTPMethod, _ path: String, _ json: JSONValue? = nil,
        in edition: Edition = .v1p2
    ) async throws -> Answer {
        try await school.send(
            method, "\(edition.path(of: .gradebook))/\(path)", token: token,
            body: json?.bytes ?? [])
    }

    /// The sourcedIds of a collection.
    func ids(_ path: String, in edition: Edition = .v1p2) async throws -> [String] {
        let answer = try await get(path, in: edition)
        #expect(answer.status == 200, "\(answer.text)")
        let objects = answer.json.object?.members.first?.value.array ?? []
        return objects.compactMap { $0["sourcedId"]?.text }
    }

    /// Stores a line item of Biology.
    func putItem(
        _ id: String, title: String = "Quiz", group: String = "class-Biology",
        _ more: [(String, JSONValue)] = []
    ) async throws -> Answer {
        let members: [(String, JSONValue)] =
            [
                ("title", .text(title)), ("class", ["sourcedId": .text(group)]),
                ("school", ["sourcedId": "main"]), ("assignDate", "2026-09-01T08:00:00.000Z"),
                ("dueDate", "2026-09-08T08:00:00Z"), ("resultValueMin", 0),
                ("resultValueMax", 100),
            ] + more
        return try await send(
            "PUT", "lineItems/\(id)", ["lineItem": .object(JSONObject(members))])
    }

    /// Stores a result.
    func putResult(
        _ id: String, of item: String = "quiz", student: String = "sis-sam",
        _ more: [(String, JSONValue)] = [("score", 84.5), ("scoreStatus", "fully graded")]
    ) async throws -> Answer {
        let members: [(String, JSONValue)] =
            [
                ("lineItem", ["sourcedId": .text(item)]),
                ("student", ["sourcedId": .text(student)]), ("scoreDate", "2026-09-09"),
            ] + more
        return try await send("PUT", "results/\(id)", ["result": .object(JSONObject(members))])
    }
}
