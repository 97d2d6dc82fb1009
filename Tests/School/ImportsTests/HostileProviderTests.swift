import AloneKit
import CSV
import HTTPClient
import JSONBytes
import Testing

@testable import Imports

/// What providers do that are broken, overloaded or hostile.
@Suite struct HostileProviders {
    private func run(
        _ provider: FakeProvider, _ pace: RecordedPace = RecordedPace(),
        secret: String = FakeProvider.secret, limits: RosterLimits = RosterLimits()
    ) throws {
        let address = try RosterAddress(url: FakeProvider.url, tokenURL: nil)
        let connection = RosterProvider(
            address, clientID: FakeProvider.clientID, secret: secret, client: provider,
            limits: limits, pace: pace)
        _ = try RosterPull(address: address, provider: connection, limits: limits, spool: "/tmp")
            .run()
    }

    private func failure(
        _ provider: FakeProvider, _ pace: RecordedPace = RecordedPace(),
        secret: String = FakeProvider.secret, limits: RosterLimits = RosterLimits()
    ) throws -> RosterFailure {
        try #require(throws: RosterFailure.self) {
            try run(provider, pace, secret: secret, limits: limits)
        }
    }

    /// Answers requests whose path contains the text.
    private func provider(
        at part: String,
        _ answer: @escaping @Sendable (OutgoingRequest, Int) throws -> OutgoingAnswer?
    ) -> FakeProvider {
        let provider = FakeProvider()
        provider.intercept { request, number in
            guard request.address.rest.contains(part) else { return nil }
            return try answer(request, number)
        }
        return provider
    }

    // MARK: Tokens

    @Test func `a token that is no longer taken is replaced once`() throws {
        let provider = FakeProvider()
        let isRevoked = Flag()
        provider.intercept { request, _ in
            if request.address.rest.contains("/users"), isRevoked.raise() { provider.revokeToken() }
            return nil
        }
        try run(provider)
        #expect(provider.tokens == 2)

        let never = self.provider(at: "/orgs") { _, _ in OutgoingAnswer(status: 401, body: []) }
        #expect(try failure(never).code == .refused)
        #expect(never.tokens == 2)
    }

    @Test func `a wrong secret is refused, and is in no message`() throws {
        let failure = try self.failure(FakeProvider(), secret: "wrong-secret")
        #expect(failure.code == .refused)
        #expect(!failure.detail.contains("wrong-secret"))
    }

    @Test func `a provider that knows no scopes gives a token without`() throws {
        let provider = FakeProvider()
        provider.change { $0.knowsScope = false }
        try run(provider)
        #expect(provider.calls.count(where: { $0 == "/oauth/token" }) == 3)
    }

    @Test(arguments: [
        #"{"access_token": 7}"#, #"{"access_token": ""}"#, "[]", "no JSON", #"{"token": "x"}"#,
        "{\"access_token\": \"a\\r\\nX-Evil: 1\"}",
        "{\"access_token\": \"a\", \"more\": \"\(String(repeating: "b", count: 65_536))\"}",
    ])
    func `what is no token is refused`(body: String) throws {
        let provider = self.provider(at: "/oauth/token") { _, _ in
            OutgoingAnswer(status: 200, body: Array(body.utf8))
        }
        #expect(try failure(provider).code == .unexpectedAnswer)
    }

    // MARK: Pauses

    @Test(arguments: [429, 503])
    func `a provider that asks for a pause gets it`(status: Int) throws {
        let isAsked = Flag()
        let provider = self.provider(at: "/users") { _, _ in
            isAsked.raise() ? OutgoingAnswer(status: status, body: [], retryAfter: 7) : nil
        }
        let pace = RecordedPace()
        try run(provider, pace)
        #expect(pace.pauses == [7])
    }

    @Test func `one that asks for an hour, or again and again, is left for later`() throws {
        let long = provider(at: "/orgs") { _, _ in
            OutgoingAnswer(status: 429, body: [], retryAfter: 3600)
        }
        let later = try failure(long)
        #expect(later.code == .busy && later.retryAfter == 3600)
        let always = provider(at: "/orgs") { _, _ in OutgoingAnswer(status: 503, body: []) }
        let pace = RecordedPace()
        #expect(try failure(always, pace).code == .busy)
        #expect(pace.pauses == [2, 8, 18, 32, 50])
    }

    @Test func `calls that break off are repeated twice`() throws {
        let isBroken = Flag()
        let once = provider(at: "/classes") { _, _ in
            if isBroken.raise() { throw OutgoingFailure.slow }
            return nil
        }
        try run(once)
        let always = provider(at: "/classes") { _, _ in throw OutgoingFailure.unreachable }
        #expect(try failure(always).code == .unreachable)
        #expect(always.calls.count(where: { $0.contains("/classes") }) == 3)
        let errors = provider(at: "/classes") { _, _ in OutgoingAnswer(status: 500, body: []) }
        #expect(try failure(errors).code == .unreachable)
    }

    @Test(arguments: [
        (OutgoingFailure.foreignPlace, RosterFailure.Code.addressRefused),
        (.notSecure, .addressRefused), (.redirects, .unexpectedAnswer), (.tooLong, .tooLarge),
        (.untrusted, .unreachable), (.unknownName, .unreachable),
    ])
    func `what the network refuses is named`(
        failure: OutgoingFailure, code: RosterFailure.Code
    ) throws {
        let provider = self.provider(at: "/") { _, _ in throw failure }
        #expect(try self.failure(provider).code == code)
    }

    // MARK: Pages

    @Test func `links that lead in a circle end the pull`() throws {
        let provider = self.provider(at: "/orgs") { request, number in
            .page(
                of: "orgs", [FakeProvider.record("L\(number)", [])],
                [("Link", "<\(FakeProvider.url)/orgs?page=1>; rel=\"next\"")])
        }
        let failure = try self.failure(provider)
        #expect(failure.code == .unexpectedAnswer && failure.detail.contains("circle"))
    }

    @Test(arguments: [
        "https://evil.example/orgs", "http://169.254.169.254/", "//evil.example/orgs",
        "https://sis.example:444/orgs", "https://sis.example@evil.example/", "ftp://sis.example/",
        "javascript:1", "",
    ])
    func `a link to another server is not followed, and nobody else gets the token`(
        link: String
    ) throws {
        let provider = self.provider(at: "/orgs") { _, _ in
            .page(
                of: "orgs", [FakeProvider.record("L1", [])],
                [("Link", "<\(link)>; rel=\"next\"")])
        }
        #expect(try failure(provider).code == .unexpectedAnswer)
        #expect(provider.calls.count == 3, "a token, the sessions, the first page")
    }

    @Test(arguments: [
        "/ims/oneroster/rostering/v1p2/orgs?offset=5&limit=5", "?offset=5&limit=5",
        "http://sis.example/ims/oneroster/rostering/v1p2/orgs?offset=5&limit=5",
    ])
    func `a link may be relative, or of a server behind a proxy`(link: String) throws {
        let address = try RosterAddress(url: FakeProvider.url, tokenURL: nil)
        let page = try address.page(of: .orgs)
        #expect(
            address.resolve(link, from: page)?.text == "\(FakeProvider.url)/orgs?offset=5&limit=5")
    }

    @Test func `endless pages end`() throws {
        let provider = self.provider(at: "/orgs") { _, number in
            .page(of: "orgs", [FakeProvider.record("L\(number)", [])])
        }
        var limits = RosterLimits()
        limits.pages = 50
        #expect(try failure(provider, limits: limits).code == .tooLarge)
    }

    /// A million lists are three megabytes on the way, and a hundred in memory.
    @Test func `a page of more values than records can have is not read`() throws {
        let opening = Array(#"{"orgs":[["#.utf8)
        let lists = Array(repeating: Array("],[".utf8), count: 1_000_000).flatMap(\.self)
        let provider = self.provider(at: "/orgs") { _, _ in
            OutgoingAnswer(status: 200, body: opening + lists + Array("]]}".utf8))
        }
        let failure = try self.failure(provider)
        #expect(failure.code == .tooLarge && failure.detail.contains("values"))
    }

    @Test func `the same page again and again is noticed`() throws {
        let same = self.provider(at: "/orgs") { _, _ in
            .page(
                of: "orgs", (0..<1000).map { FakeProvider.record("L\($0)", []) })
        }
        let failure = try self.failure(same)
        #expect(failure.code == .unexpectedAnswer && failure.detail.contains("again and again"))
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"orgs": {}}"#, #"{"orgs": [1]}"#, #"{"orgs": [{}]}"#,
        #"{"orgs": [{"sourcedId": true}]}"#, #"{"orgs": [{"sourcedId": ""}]}"#,
        #"{"orgs": [{"sourcedId": "a", "name": {"en": "x"}}]}"#,
        #"{"orgs": [{"sourcedId": "a", "parent": "b"}]}"#,
        #"{"orgs": [{"sourcedId": "a", "parent": {"sourcedId": []}}]}"#, "<html></html>",
        String(repeating: "[", count: 10_000), "{\"orgs\": [\"\u{0}\"]}",
    ])
    func `what is not OneRoster is refused`(body: String) throws {
        let provider = self.provider(at: "/orgs") { _, _ in
            OutgoingAnswer(status: 200, body: Array(body.utf8))
        }
        #expect(try failure(provider).code == .unexpectedAnswer)
    }

    @Test func `a wrong type is named with its record`() throws {
        let provider = FakeProvider()
        provider.edit("classes") {
            $0[1] = FakeProvider.record("K2", [("terms", [["sourcedId": "a,b"]])])
        }
        let failure = try self.failure(provider)
        #expect(failure.detail.contains("terms of \"K2\" in classes"))
    }

    // MARK: One user with many roles

    /// Writes the role with its place so many times, and behind that something else.
    private func user(_ id: String, roles count: Int, then last: [JSONValue] = []) -> JSONValue {
        let role: JSONValue = ["role": "student", "org": FakeProvider.to("L1", "org")]
        return FakeProvider.record(
            id, [("roles", .array(Array(repeating: role, count: count) + last))])
    }

    @Test(arguments: [255, 256])
    func `an id is as long as an import takes`(length: Int) throws {
        let provider = FakeProvider()
        provider.edit("users") {
            $0.append(self.user(String(repeating: "é", count: length), roles: 1))
        }
        guard length > 255 else { return try run(provider) }
        let failure = try self.failure(provider)
        #expect(failure.code == .unexpectedAnswer && failure.detail.contains("sourcedId of more"))
    }

    @Test func `roles count as records`() throws {
        var limits = RosterLimits()
        limits.records = 100
        let provider = FakeProvider()
        provider.edit("users") { $0.append(self.user("X1", roles: 20)) }
        try run(provider, limits: limits)
        provider.edit("users") { $0.append(self.user("X2", roles: 80)) }
        #expect(try failure(provider, limits: limits).code == .tooLarge)
    }

    @Test func `roles of a user leave memory before the last one is made`() throws {
        let provider = FakeProvider()
        provider.edit("users") { $0.append(self.user("X1", roles: 5000, then: [["role": []]])) }
        let whole = try failure(provider)
        #expect(whole.code == .unexpectedAnswer && whole.detail.contains("role of \"X1\""))
        var limits = RosterLimits()
        limits.roleBytes = 100_000
        #expect(try failure(provider, limits: limits).code == .tooLarge)
    }

    @Test(.alone) func `a user with roles at many places is read in time`() throws {
        let roles = (0..<60_000).map { number -> JSONValue in
            ["role": "student", "org": ["sourcedId": .text("a place with the number \(number)")]]
        }
        let record = try RosterRecord(
            FakeProvider.record("X1", [("roles", .array(roles))]), in: .users)
        var rows = CSVWriter()
        let began = ContinuousClock.now
        try RosterTable(.users, .v1p1).append(record, to: &rows)
        #expect(ContinuousClock.now - began < .seconds(10), "not each with all others")
        #expect(rows.bytes.count > 60_000 * 20)
    }

    // MARK: Links

    @Test(arguments: [
        #"<https://a.example/?a=1,2>; rel="next", <x>; rel=last"#,
        #"<https://a.example/?a=1,2>;rel=next"#,
        #"<y>; title="a, <b>; rel=next"; rel="prev", <https://a.example/?a=1,2>; REL="first next""#,
    ])
    func `links are read as RFC 8288 writes them`(field: String) {
        #expect(RosterLinks(field).next == "https://a.example/?a=1,2")
    }

    @Test(arguments: ["", "<", "<a", "<a>", "<a>; rel", "rel=next", "<a>; rel=\"self\"", ">,<,>"])
    func `what is no link is none`(field: String) {
        #expect(RosterLinks(field).next == nil && !RosterLinks(field).isPaging)
    }
}
