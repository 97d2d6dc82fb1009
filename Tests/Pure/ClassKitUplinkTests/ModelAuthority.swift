import Foundation
import Synchronization

@testable import ClassKitUplink

/// The server's part of signing in, in the process.
final class ModelAuthority: Transport {
    struct Content: Sendable {
        var issuer = "https://school.example"
        /// By refresh token: whose it is.
        var refreshTokens: [String: String] = [:]
        /// By code: whose it is, and the challenge.
        var codes: [String: (subject: String, challenge: String)] = [:]
        /// What the device call answers, first to last; `nil` gives tokens.
        var deviceAnswers: [String?] = []
        var revoked: [String] = []
        var given = 0
        var calls: [HTTPCall] = []
        var isDown = false
        /// Refresh tokens are taken, but the answer gets lost.
        var losesAnswers = false
        var subjectOfRefresh: String?
    }

    let content = Mutex(Content())

    var now: Content { content.withLock { $0 } }

    func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        let answer = content.withLock { content in
            content.calls.append(call)
            return content.answer(call)
        }
        if now.isDown { throw UplinkError.network("Down.") }
        return answer
    }
}

extension ModelAuthority.Content {
    mutating func answer(_ call: HTTPCall) -> HTTPAnswer {
        if isDown { return .problem(500) }
        let fields = Self.fields(call)
        switch call.url.path() {
        case "/.well-known/oauth-authorization-server":
            return json([
                "issuer": issuer, "authorization_endpoint": "\(issuer)/oauth/authorize",
                "token_endpoint": "\(issuer)/oauth/token",
                "device_authorization_endpoint": "\(issuer)/oauth/device_authorization",
                "revocation_endpoint": "\(issuer)/oauth/revoke",
            ])
        case "/oauth/device_authorization":
            return HTTPAnswer(
                status: 200,
                body: Data(
                    """
                    {"device_code":"device","user_code":"BCDF-GHJK","expires_in":600,"interval":5,
                    "verification_uri":"https://school.example/device",
                    "verification_uri_complete":"https://school.example/device?user_code=BCDF-GHJK"}
                    """.utf8))
        case "/oauth/revoke":
            revoked.append(fields["token"] ?? "")
            return HTTPAnswer(status: 200)
        case "/oauth/token": return token(fields)
        default: return .problem(404)
        }
    }

    private mutating func token(_ fields: [String: String]) -> HTTPAnswer {
        switch fields["grant_type"] {
        case "authorization_code":
            guard let code = codes.removeValue(forKey: fields["code"] ?? ""),
                let verifier = fields["code_verifier"],
                digest(verifier) == code.challenge
            else { return refusal("invalid_grant") }
            return pair(for: code.subject)
        case "refresh_token":
            guard let subject = refreshTokens[fields["refresh_token"] ?? ""] else {
                return refusal("invalid_grant")
            }
            // Like the real one: the former token is good until the new pair is used.
            return pair(for: subjectOfRefresh ?? subject)
        default:
            guard !deviceAnswers.isEmpty, let error = deviceAnswers.removeFirst() else {
                return pair(for: "sam")
            }
            return refusal(error)
        }
    }

    private mutating func pair(for subject: String) -> HTTPAnswer {
        given += 1
        refreshTokens["refresh-\(given)"] = subject
        return HTTPAnswer(
            status: 200,
            body: Data(
                """
                {"access_token":"access-\(given)","token_type":"Bearer","expires_in":3600,
                "refresh_token":"refresh-\(given)","scope":"classkit","subject":"\(subject)"}
                """.utf8))
    }

    private func json(_ fields: [String: String]) -> HTTPAnswer {
        HTTPAnswer(status: 200, body: (try? JSONEncoder().encode(fields)) ?? Data())
    }

    private func refusal(_ error: String) -> HTTPAnswer {
        .problem(400, "{\"error\":\"\(error)\",\"error_description\":\"Because.\"}")
    }

    static func fields(_ call: HTTPCall) -> [String: String] {
        let text = String(decoding: call.body ?? Data(), as: UTF8.self)
        let items = URLComponents(string: "?\(text)")?.queryItems ?? []
        return Dictionary(
            items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}

/// A browser in which a person signs in at once.
struct ModelBrowser: Browser {
    let authority: ModelAuthority
    var subject: String? = "sam"
    /// What the browser brings, from what it should bring.
    var bring: @Sendable ([String: String]) -> [[String: String]] = { [$0] }

    func open(_ url: URL) async throws {
        let query = Dictionary(
            (URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []).map {
                ($0.name, $0.value ?? "")
            }, uniquingKeysWith: { first, _ in first })
        authority.content.withLock {
            if let subject {
                $0.codes["code"] = (subject, query["code_challenge"] ?? "")
            }
        }
        var answer = ["state": query["state"] ?? "", "iss": "https://school.example"]
        if subject == nil {
            answer["error"] = "access_denied"
        } else {
            answer["code"] = "code"
        }
        let redirection = query["redirect_uri"] ?? ""
        for answer in bring(answer) {
            let fields = answer.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
            guard let url = URL(string: "\(redirection)?\(fields)") else { continue }
            // The page is shown after the app has its answer, or at once if it is not the answer.
            Task {
                _ = try? await URLSessionTransport().answer(
                    to: HTTPCall("GET", url, timeoutSeconds: 5))
            }
        }
    }
}

private func digest(_ verifier: String) -> String {
    Data(SHA256.digest(verifier.utf8)).base64URL
}
