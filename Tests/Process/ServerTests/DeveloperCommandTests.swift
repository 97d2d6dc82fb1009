import Crypto
import Foundation
import JSONBytes
import Testing

@testable import ServerKit

@Suite struct DeveloperCommands {
    private let homeroom = Homeroom(databaseURL: "host=/nowhere")

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "developer-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test func `a token is signed by the key whose public half was printed`() async throws {
        try await withFolder { folder in
            let path = "\(folder)/key.p8"
            let made = try await homeroom("developer-key", "create", "--out", path, "--json")
            #expect(made.status == 0, "\(made.complaints)")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let keyID = try #require(made.json["keyId"]?.text)

            let signed = try await homeroom(
                "developer-token", "--team", "QUIZTEAM01", "--key-id", keyID, "--key", path)
            #expect(signed.status == 0, "\(signed.complaints)")
            let text = signed.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let publicKey = try ES256PublicKey(pem: made.json["publicKey"]?.text ?? "")
            let token = try JWT(verifying: text) { _ in publicKey }
            #expect(token.keyID == keyID)
            #expect(token.claims["iss"]?.text == "QUIZTEAM01")
        }
    }

    @Test func `an existing key is never overwritten`() async throws {
        try await withFolder { folder in
            let path = "\(folder)/key.p8"
            #expect(try await homeroom("developer-key", "create", "--out", path).status == 0)
            let before = FileManager.default.contents(atPath: path)
            let again = try await homeroom("developer-key", "create", "--out", path)
            #expect(again.status == 1)
            #expect(again.complaints.contains(path))
            #expect(FileManager.default.contents(atPath: path) == before)
        }
    }

    @Test func `an invalid key file and an excessive lifetime are refused`() async throws {
        try await withFolder { folder in
            let path = "\(folder)/key.p8"
            let words = ["developer-token", "--team", "T", "--key-id", "K", "--key", path]
            #expect(try await homeroom.run(words).status == 1, "there is no file")
            try "no key".write(toFile: path, atomically: true, encoding: .utf8)
            let refused = try await homeroom.run(words)
            #expect(refused.status == 1)
            #expect(refused.complaints.contains(path))
            #expect(try await homeroom.run(words + ["--expires", "2h"]).status == 64)
        }
    }
}
