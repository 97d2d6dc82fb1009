import JSONBytes
import Postgres
import School
import TestKit
import Values

extension TestSchool {
    /// The body of a student of the main location, with other fields on top.
    func student(
        _ givenName: String, _ familyName: String, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("givenName", .text(givenName)), ("familyName", .text(familyName)),
            ("roles", [role("student")]),
        ]
        for (key, value) in more {
            members.removeAll { $0.0 == key }
            members.append((key, value))
        }
        return .object(JSONObject(members))
    }

    /// The answer to a call that is repeated while too many others are waiting, at most a hundred times.
    func served(_ call: () async throws -> Answer) async throws -> Answer {
        var answer = try await call()
        for _ in 0..<100 where answer.status == 503 { answer = try await call() }
        return answer
    }

    /// A role at the main location.
    func role(_ word: String) -> JSONValue {
        ["role": .text(word), "locationId": .text(mainLocation.uuid.description)]
    }

    /// The ids of a page, and the token of the next one.
    func page(_ path: String, as persona: Persona) async throws -> (ids: [String], next: String?) {
        let answer = try await get(path, as: persona)
        return (answer.items.compactMap { $0["id"]?.text }, answer.json["nextPageToken"]?.text)
    }
}

extension Answer {
    /// A text field of the answer.
    func text(_ key: String) -> String? { json[key]?.text }

    /// Who is in a list of ids.
    func texts(_ key: String) -> [String] { (json[key]?.array ?? []).compactMap(\.text) }
}

extension JSONValue {
    /// A document without some of its members.
    func without(_ keys: String...) -> JSONValue {
        guard let object else { return self }
        return .object(
            JSONObject(object.members.filter { !keys.contains($0.key) }.map { ($0.key, $0.value) }))
    }
}
