import JSONBytes
import Postgres
import TestKit
import Testing

/// A change as `person sam created`, with the id's name where the test knows it.
struct SeenChange: Hashable, CustomStringConvertible {
    let kind: String
    let id: String
    let what: String

    init(_ kind: String, _ id: String, _ what: String) {
        (self.kind, self.id, self.what) = (kind, id, what)
    }

    init(_ json: JSONValue) throws {
        kind = try #require(json["kind"]?.text)
        id = try #require(json["id"]?.text)
        what = try #require(json["what"]?.text)
    }

    var description: String { "\(kind) \(id) \(what)" }
}

/// Somebody who follows the changes of a school.
struct Follower {
    let school: TestSchool
    let persona: Persona
    private(set) var position: String

    init(_ persona: Persona, in school: TestSchool) async throws {
        self.school = school
        self.persona = persona
        let answer = try await school.get("/v1/changes", as: persona)
        try #require(answer.status == 200)
        position = try #require(answer.json["position"]?.text)
    }

    /// What there is after the position, in one answer; moves on.
    mutating func read(limit: Int = 1000) async throws -> (changes: [SeenChange], hasMore: Bool) {
        let answer = try await school.get(
            "/v1/changes?after=\(position)&limit=\(limit)", as: persona)
        try #require(answer.status == 200)
        position = try #require(answer.json["position"]?.text)
        let changes = try #require(answer.json["items"]?.array).map { try SeenChange($0) }
        return (changes, answer.json["hasMore"]?.bool == true)
    }

    /// What there is after the position, at least that many.
    mutating func read(atLeast count: Int) async throws -> [SeenChange] {
        let all = try await read().changes
        try #require(all.count >= count)
        return all
    }
}
