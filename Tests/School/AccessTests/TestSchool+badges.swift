import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

extension TestSchool {
    /// A Tuesday at ten in the morning where Hillside is.
    static let lesson = Timestamp("2027-03-09T09:00:00.000Z")!

    /// Turns badges on, at any hour unless something else is said.
    @discardableResult
    func allowBadges(
        networks: [String] = [], days: [Int64] = [1, 2, 3, 4, 5, 6, 7], from: String = "00:00",
        until: String = "24:00", on: Bool = true, as persona: Persona = .ada
    ) async throws -> Answer {
        let answer = try await put(
            "/v1/badge-rule", as: persona,
            json: [
                "on": .bool(on), "networks": .array(networks.map { .text($0) }),
                "days": .array(days.map { JSONValue(integerLiteral: $0) }), "from": .text(from),
                "until": .text(until),
            ])
        return answer
    }

    func orderBadges(
        for personas: [Persona]? = nil, again: Bool = false,
        of schoolClass: ClassID = TestIDs.biology, as persona: Persona = .tom
    ) async throws -> Answer {
        var body = JSONObject([("again", .bool(again))])
        if let personas {
            body["personIds"] = .array(personas.map { .text(id($0).uuid.description) })
        }
        return try await post(
            "/v1/classes/\(schoolClass.uuid)/badges", as: persona, json: .object(body))
    }

    /// The secret of a new badge for a student of Biology.
    func badge(of persona: Persona = .sam, as teacher: Persona = .tom) async throws -> String {
        let answer = try await orderBadges(for: [persona], again: true, as: teacher)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer.items.first?["secret"]?.text)
    }

    func tryBadge(_ secret: String, from address: String = "127.0.0.1") async throws -> Answer {
        let body: JSONValue = [
            "badge": .text(secret), "browser": ["shared": false, "userAgent": "A camera"],
        ]
        return try await send(
            "POST", "/v1/sign-in/with-badge", token: nil, body: body.bytes, from: address)
    }

    func signIn(withBadge secret: String) async throws -> SignedIn {
        let answer = try await tryBadge(secret)
        try #require(answer.status == 200, "\(answer.text)")
        return SignedIn(answer: answer)
    }
}
