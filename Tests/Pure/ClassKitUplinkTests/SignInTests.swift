import DeviceKit
import Foundation
import Synchronization
import Testing

@testable import ClassKitUplink

/// Signing in, keeping the tokens, and signing out.
@Suite struct SignInTests {
    private let authority = ModelAuthority()
    private let clock = ModelClock()
    private let folder = TemporaryFolder()

    private func signIn(
        secrets: (any SecretStore)? = nil, browser: (any Browser)? = nil
    ) throws -> SignIn {
        SignIn(
            configuration: try Sample.configuration(), folder: folder.url,
            secrets: secrets ?? SecretFile(folder: folder.url), transport: authority,
            browser: browser ?? ModelBrowser(authority: authority), clock: clock)
    }

    private func keptSubject(_ variables: [String: String] = [:]) throws -> String? {
        try SignIn.keptSubject(
            configuration: try Sample.configuration(), folder: folder.url, variables: variables)
    }

    // MARK: Browser

    @Test func `a browser brings the tokens`() async throws {
        let signIn = try signIn()
        #expect(try await signIn.currentSubject() == nil && keptSubject() == nil)
        await #expect(throws: UplinkError.signedOut) { try await signIn.token() }
        #expect(try await signIn.signInWithBrowser() == "sam")
        #expect(try await signIn.token() == AccessToken(text: "access-1", subject: "sam"))
        #expect(try await signIn.currentSubject() == "sam")
        #expect(try keptSubject() == "sam")
        #expect(try await self.signIn().token().text == "access-1")
        let fields = ModelAuthority.Content.fields(try #require(authority.now.calls.last))
        #expect(fields["client_id"] == "org.example.app" && fields["client_secret"] == nil)
    }

    @Test func `answers of strangers are passed over`() async throws {
        let browser = ModelBrowser(authority: authority) { answer in
            var forged = answer
            forged["state"] = "guessed"
            forged["code"] = "stolen"
            return [forged, ["code": "stolen"], answer]
        }
        #expect(try await signIn(browser: browser).signInWithBrowser() == "sam")
    }

    @Test func `another server's code is refused`() async throws {
        let browser = ModelBrowser(authority: authority) { answer in
            var other = answer
            other["iss"] = "https://other.example"
            return [other]
        }
        let signIn = try signIn(browser: browser)
        await #expect(throws: UplinkError.self) { try await signIn.signInWithBrowser() }
        #expect(authority.now.given == 0)
    }

    @Test func `a person may refuse or go away`() async throws {
        let refusing = try signIn(browser: ModelBrowser(authority: authority, subject: nil))
        await #expect(throws: UplinkError.signInFailed("The person refused.")) {
            try await refusing.signInWithBrowser()
        }
        let absent = try signIn(browser: ModelBrowser(authority: authority) { _ in [] })
        await #expect(throws: UplinkError.signInFailed("Nobody signed in in time.")) {
            try await absent.signInWithBrowser(seconds: 0.3)
        }
        let cancelled = Task { try await absent.signInWithBrowser() }
        cancelled.cancel()
        await #expect(throws: UplinkError.signInFailed("The sign-in was cancelled.")) {
            try await cancelled.value
        }
    }

    @Test(arguments: [
        "POST /callback?code=1 HTTP/1.1", "GET / HTTP/1.1", "GET /callback HTTP/1.1",
        "GET /callback?code=1&code=2 HTTP/1.1", "GET /callback?code=1", "",
    ])
    func onlyAnswersAreRead(line: String) {
        #expect(LoopbackListener.parameters(line) == nil)
    }

    // MARK: The server

    @Test func `a server is who it says it is`() async throws {
        authority.content.withLock { $0.issuer = "https://other.example" }
        let signIn = try signIn()
        let error = await #expect(throws: UplinkError.self) { try await signIn.signInWithBrowser() }
        #expect(error?.description.contains("calls itself https://other.example") == true)
    }

    // MARK: Device code

    @Test func `a code is asked for until the person has typed it`() async throws {
        authority.content.withLock {
            $0.deviceAnswers = ["authorization_pending", "slow_down", "authorization_pending", nil]
        }
        let shown = Shown()
        let start = clock.now.uptime
        #expect(try await signIn().signInWithCode { shown.add($0.userCode) } == "sam")
        #expect(shown.all == ["BCDF-GHJK"])
        #expect(clock.now.uptime - start == 5 + 5 + 10 + 10)
    }

    @Test(arguments: [
        ("access_denied", "The person refused."), ("expired_token", "The code has expired."),
        ("invalid_grant", "Because."),
    ])
    func aCodeMayFail(error: String, text: String) async throws {
        authority.content.withLock { $0.deviceAnswers = [error] }
        let signIn = try signIn()
        await #expect(throws: UplinkError.signInFailed(text)) {
            try await signIn.signInWithCode { _ in }
        }
    }

    @Test func `a code expires here too`() async throws {
        authority.content.withLock {
            $0.deviceAnswers = Array(repeating: "authorization_pending", count: 200)
        }
        let signIn = try signIn()
        await #expect(throws: UplinkError.signInFailed("The code has expired.")) {
            try await signIn.signInWithCode { _ in }
        }
        #expect(authority.now.calls.count < 130)
    }

    // MARK: Renewing

    @Test func `tokens are renewed before they expire`() async throws {
        let signIn = try signIn()
        _ = try await signIn.signInWithBrowser()
        clock.pass(3500)
        #expect(try await signIn.token().text == "access-1")
        clock.setWall(.distantPast)
        clock.pass(60)
        #expect(try await signIn.token().text == "access-2")
        #expect(try await signIn.renewed(after: signIn.token()).text == "access-3")
    }

    @Test func `processes renew once`() async throws {
        let one = try signIn()
        _ = try await one.signInWithBrowser()
        let old = try await one.token()
        let others = try (0..<8).map { _ in try signIn() }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for other in others { group.addTask { try await other.renewed(after: old).text } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts == ["access-2"] && authority.now.given == 2)
    }

    @Test func `a pair is durable before it is used`() async throws {
        _ = try await signIn().signInWithBrowser()
        let full = try signIn(secrets: FullDisk(file: SecretFile(folder: folder.url)))
        let old = try await full.token()
        await #expect(throws: UplinkError.self) { try await full.renewed(after: old) }
        // The pair that could not be kept is not used, and the former refresh token works again.
        #expect(try await signIn().token() == old)
        #expect(try await signIn().renewed(after: old).text == "access-3")
    }

    @Test func `an ended sign-in is forgotten, but not whose it was`() async throws {
        let signIn = try signIn()
        _ = try await signIn.signInWithBrowser()
        authority.content.withLock { $0.refreshTokens = [:] }
        let old = try await signIn.token()
        await #expect(throws: UplinkError.signedOut) { try await signIn.renewed(after: old) }
        await #expect(throws: UplinkError.signedOut) { try await signIn.token() }
        #expect(try keptSubject() == "sam")
    }

    @Test func `a network that fails ends no sign-in`() async throws {
        let signIn = try signIn()
        _ = try await signIn.signInWithBrowser()
        let old = try await signIn.token()
        authority.content.withLock { $0.isDown = true }
        await #expect(throws: UplinkError.network("Down.")) {
            try await signIn.renewed(after: old)
        }
        authority.content.withLock { $0.isDown = false }
        #expect(try await signIn.renewed(after: old).text == "access-2")
    }

    @Test func `another person's pair is not kept`() async throws {
        let signIn = try signIn()
        _ = try await signIn.signInWithBrowser()
        authority.content.withLock { $0.subjectOfRefresh = "pat" }
        let old = try await signIn.token()
        await #expect(throws: UplinkError.self) { try await signIn.renewed(after: old) }
        #expect(try await signIn.token() == old)
    }

    // MARK: Signing out

    @Test func `signing out revokes`() async throws {
        let signIn = try signIn()
        _ = try await signIn.signInWithBrowser()
        try await signIn.signOut()
        #expect(authority.now.revoked == ["refresh-1"])
        #expect(try await signIn.currentSubject() == nil && keptSubject() == nil)
        await #expect(throws: UplinkError.signedOut) { try await signIn.token() }
        try await signIn.signOut()
    }

    @Test func `signing out without a network ends it here and is repeated`() async throws {
        let signIn = try signIn()
        _ = try await signIn.signInWithBrowser()
        authority.content.withLock { $0.isDown = true }
        await #expect(throws: UplinkError.network("Down.")) { try await signIn.signOut() }
        #expect(try await signIn.currentSubject() == nil && keptSubject() == nil)
        await #expect(throws: UplinkError.signedOut) { try await signIn.token() }
        authority.content.withLock { $0.isDown = false }
        _ = try await signIn.signInWithBrowser()
        #expect(authority.now.revoked == ["refresh-1"])
        #expect(try await signIn.token().text == "access-2")
    }

    @Test func `the next person takes over`() async throws {
        _ = try await signIn().signInWithBrowser()
        let next = try signIn(browser: ModelBrowser(authority: authority, subject: "pat"))
        #expect(try await next.signInWithBrowser() == "pat")
        #expect(try keptSubject() == "pat" && authority.now.revoked == ["refresh-1"])
    }

    // MARK: The environment

    @Test func `a token of the environment comes first`() async throws {
        #expect(try keptSubject(["CLASSKIT_TOKEN": "t", "CLASSKIT_SUBJECT": "sam"]) == "sam")
        let one = try keptSubject(["CLASSKIT_TOKEN": "t"])
        #expect(one?.hasPrefix("token-") == true)
        #expect(try one != keptSubject(["CLASSKIT_TOKEN": "u"]))
        #expect(try keptSubject(["CLASSKIT_TOKEN": ""]) == nil)
        let fixed = try #require(FixedToken(variables: ["CLASSKIT_TOKEN": "t"]))
        #expect(fixed.token().text == "t" && fixed.subject == one)
        #expect(throws: UplinkError.signedOut) { try fixed.renewed(after: fixed.token()) }
    }
}
