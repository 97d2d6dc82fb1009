import ClassKitUplink
import Crypto
import Foundation
import JSONBytes

/// A developer's key, as an administrator has registered it.
struct DeveloperKey {
    let teamID: String
    let keyID: String
    let key: ES256PrivateKey

    /// A token for twenty minutes.
    func token(at now: Date) -> String {
        let seconds = Int64(now.timeIntervalSince1970)
        let claims = JSONObject([
            ("iss", .text(teamID)), ("iat", JSONValue(integerLiteral: seconds)),
            ("exp", JSONValue(integerLiteral: seconds + 1200)),
        ])
        return JWT.sign(claims, keyID: keyID, with: key)
    }
}

/// Publishes contexts by the Catalog API. Publishing again replaces what is there.
struct CatalogPublisher {
    let server: URL
    let environment: String
    let key: DeveloperKey
    let transport: any Transport
    /// Waits between tries; a test does not.
    let pause: @Sendable (Double) async throws -> Void

    /// The most contexts in one call.
    static let largestBatch = 200
    private static let largestBody = 1_000_000
    private static let tries = 6

    /// Publishes the contexts in their order, then the pictures that they name.
    func publish(_ contexts: [CatalogContext], thumbnails: [String: Data]) async throws {
        for body in try bodies(contexts) {
            try await send("/v1/contexts", [], body, "application/json")
        }
        for (id, image) in thumbnails.sorted(by: { $0.key < $1.key }) {
            let type = image.starts(with: [0xFF, 0xD8]) ? "image/jpeg" : "image/png"
            try await send("/v1/thumbnails", [("thumbnailId", id)], image, type)
        }
    }

    /// Calls that the server takes: ancestors in the same one or an earlier one.
    func bodies(_ contexts: [CatalogContext]) throws -> [Data] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bodies: [Data] = []
        var batch: [Data] = []
        var bytes = 0
        func finish() {
            guard !batch.isEmpty else { return }
            let list = Data(batch.joined(separator: Data(",".utf8)))
            bodies.append(Data("{\"contexts\":[".utf8) + list + Data("]}".utf8))
            batch = []
            bytes = 0
        }
        for context in contexts {
            let json = try encoder.encode(context)
            if batch.count == Self.largestBatch || bytes + json.count > Self.largestBody {
                finish()
            }
            batch.append(json)
            bytes += json.count + 1
        }
        finish()
        return bodies
    }

    private func send(
        _ path: String, _ query: [(String, String)], _ body: Data, _ type: String
    ) async throws {
        let url = try address(path, query)
        for count in 1... {
            let answer = await answer(url, body, type)
            switch answer {
            case .success(let answer) where (200..<300).contains(answer.status): return
            case .success(let answer) where answer.status != 429 && answer.status < 500:
                throw ExportError("\(path): \(refusal(answer))")
            case .success(let answer):
                guard count < Self.tries else { throw ExportError("\(path): \(refusal(answer))") }
                let asked = answer.headers["retry-after"].flatMap { Double($0) }
                try await pause(min(asked ?? Double(1 << count), 120))
            case .failure(let error):
                guard count < Self.tries else { throw error }
                try await pause(Double(1 << count))
            }
        }
    }

    private func answer(
        _ url: URL, _ body: Data, _ type: String
    ) async -> Result<HTTPAnswer, any Error> {
        do {
            // Signed anew, because a long export may outlive a token.
            let token = key.token(at: Date())
            return .success(
                try await transport.answer(
                    to: HTTPCall(
                        "POST", url,
                        headers: ["Authorization": "Bearer \(token)", "Content-Type": type],
                        body: body)))
        } catch {
            return .failure(error)
        }
    }

    private func address(_ path: String, _ query: [(String, String)]) throws -> URL {
        let base = server.absoluteString
        var parts = URLComponents(
            string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + path)
        parts?.queryItems = ([("environment", environment)] + query).map {
            URLQueryItem(name: $0, value: $1)
        }
        guard let url = parts?.url else {
            throw ExportError("\(base) is not an address.", status: 64)
        }
        return url
    }

    private func refusal(_ answer: HTTPAnswer) -> String {
        struct CatalogError: Decodable {
            let code: String
            let message: String
        }
        guard let error = try? JSONDecoder().decode(CatalogError.self, from: answer.body) else {
            return "the server answered \(answer.status)."
        }
        return "\(answer.status) \(error.code): \(error.message)"
    }
}
