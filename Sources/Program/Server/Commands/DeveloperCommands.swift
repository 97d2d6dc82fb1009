import Crypto
import Files
import JSONBytes
import School
import Values

extension Subcommand {
    static let developerKeyCreate = Subcommand(
        "developer-key create", "Makes a key with which a developer signs Catalog tokens.",
        options: [
            .required("out", "FILE", "A new file for the private key, for its owner alone."), .json,
        ]
    ) { invocation in
        let path = invocation.value("out") ?? ""
        let key = ES256PrivateKey()
        try writeSecret(key.pem, to: path)
        invocation.report([
            ("keyId", .text(newKeyID())), ("privateKeyFile", .text(path)),
            ("publicKey", .text(key.publicKey.pem)),
        ])
    }

    static let developerToken = Subcommand(
        "developer-token", "Signs a token for the Catalog API, so that curl can publish contexts.",
        options: [
            .required("team", "ID", "The registered team."),
            .required("key-id", "ID", "The key's id, as it is registered."),
            .required("key", "FILE", "The private key."),
            .optional("expires", "TIME", "How long it lives, 60m at most; 20m."), .json,
        ]
    ) { invocation in
        let seconds = try NewToken.seconds(invocation.value("expires") ?? "20m")
        guard seconds <= 3600 else {
            throw UsageError(description: "--expires should be 60m at most.")
        }
        let key = try privateKey(in: invocation.value("key") ?? "")
        let now = Clock.system.now.milliseconds / 1000
        let claims = JSONObject([
            ("iss", .text(invocation.value("team") ?? "")), ("iat", JSONValue(integerLiteral: now)),
            ("exp", JSONValue(integerLiteral: now + seconds)),
        ])
        let token = JWT.sign(claims, keyID: invocation.value("key-id") ?? "", with: key)
        guard invocation.has("json") else { return printLine(token) }
        let expiry = Timestamp(milliseconds: (now + seconds) * 1000)
        invocation.report([("token", .text(token)), ("expiresAt", .text(expiry.description))])
    }
}

/// Ten letters and digits, as in Apple's developer accounts.
private func newKeyID() -> String {
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    var generator = SecureGenerator()
    return String((0..<10).compactMap { _ in alphabet.randomElement(using: &generator) })
}

/// Writes a new file that only its owner can read.
private func writeSecret(_ text: String, to path: String) throws(FileError) {
    let file = try File.creating(path, mode: 0o600)
    try file.append(Array(text.utf8))
    try file.sync()
}

private func privateKey(in path: String) throws -> ES256PrivateKey {
    let bytes = try File.contents(of: path, limit: 8192)
    do {
        return try ES256PrivateKey(pem: String(decoding: bytes, as: UTF8.self))
    } catch {
        throw CommandFailure("\(path) is not a PEM private key on the curve P-256: \(error)")
    }
}
