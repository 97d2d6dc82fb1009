import ClassKitUplink
import DeviceKit
import Foundation
import HTTPWire
import JSONBytes
import TestKit
import Testing

/// Signing in at the whole service.
@Suite struct SignInOnServer {
    private func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "sign-in-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private func signIn(_ school: TestSchool, _ folder: URL, as persona: Persona = .sam) throws
        -> SignIn
    {
        SignIn(
            configuration: try school.configuration(), folder: folder,
            secrets: SecretFile(folder: folder),
            transport: SchoolServer(school, app: .samsApp),
            browser: PersonsBrowser(school: school, person: persona), clock: HastyClock())
    }

    @Test func `a browser signs a person in, and tokens are renewed and revoked`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            try await withFolder { folder in
                let signIn = try signIn(school, folder)
                let subject = try await signIn.signInWithBrowser(seconds: 30)
                #expect(subject.utf8.count == 43)
                let first = try await signIn.token()
                #expect(try await isGood(first, school))
                let second = try await signIn.renewed(after: first)
                #expect(second.subject == subject && second.text != first.text)
                #expect(try await isGood(second, school))
                try await signIn.signOut()
                #expect(try await !isGood(second, school))
                #expect(try await self.signIn(school, folder).currentSubject() == nil)
            }
        }
    }

    @Test func `a code signs a person in, always with the same pseudonym`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let browser = try await school.browserToken(.sam)
            try await withFolder { folder in
                let signIn = try signIn(school, folder)
                let subject = try await signIn.signInWithCode { code in
                    Task {
                        let body: JSONValue = ["userCode": .text(code.userCode)]
                        _ = try await school.send(
                            "POST", "/v1/me/device-codes/approval", token: browser,
                            body: body.bytes)
                    }
                }
                #expect(try await isGood(signIn.token(), school))
                #expect(try await signIn.signInWithBrowser(seconds: 30) == subject)
                let sues = try self.signIn(school, folder, as: .sue)
                #expect(try await sues.signInWithBrowser(seconds: 30) != subject)
            }
        }
    }

    private func isGood(_ token: AccessToken, _ school: TestSchool) async throws -> Bool {
        try await school.send("GET", "/v1/me/contexts?path=%5B%5D", token: token.text).status == 200
    }
}

/// A browser in which a person is signed in and allows everything.
private struct PersonsBrowser: Browser {
    let school: TestSchool
    let person: Persona

    func open(_ url: URL) async throws {
        let query = Dictionary(
            (URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []).map {
                ($0.name, $0.value ?? "")
            }, uniquingKeysWith: { first, _ in first })
        let body: JSONValue = [
            "clientId": .text(query["client_id"] ?? ""),
            "redirectUri": .text(query["redirect_uri"] ?? ""),
            "responseType": .text(query["response_type"] ?? ""),
            "codeChallenge": .text(query["code_challenge"] ?? ""),
            "codeChallengeMethod": .text(query["code_challenge_method"] ?? ""),
            "scope": .text(query["scope"] ?? ""), "state": .text(query["state"] ?? ""),
            "environment": .text(query["environment"] ?? ""),
        ]
        let answer = try await school.send(
            "POST", "/v1/me/authorizations", token: try await school.browserToken(person),
            body: body.bytes, headers: [("Host", "127.0.0.1")])
        guard let target = answer.json["redirectTo"]?.text, let url = URL(string: target) else {
            throw UplinkError.signInFailed(answer.text)
        }
        Task { try await URLSessionTransport().answer(to: HTTPCall("GET", url)) }
    }
}

/// The machine's clock, on which pauses are short.
private struct HastyClock: DeviceClock {
    var now: Moment { .now }

    func sleep(seconds: Double) async throws {
        try await Task.sleep(for: .milliseconds(Int(seconds * 20)))
    }
}
