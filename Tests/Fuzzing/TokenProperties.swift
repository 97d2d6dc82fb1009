import Crypto
import JSONBytes
import Values

/// Tokens: whatever they look like, only what the key has signed is believed.
///
/// An input is the header and the claims as two lines, followed by a signature; their encoding, which no mutation would
/// hit, is done here. It is also read as a token directly.
enum TokenProperties {
    private static let key = ES256PrivateKey()
    private static let stranger = ES256PrivateKey()

    static func check(_ input: UnsafeRawBufferPointer) {
        let bytes = Array(input)
        require(!isBelieved(bytes), "unsigned text is not believed")
        checkBase64(bytes)
        if bytes.starts(with: "-----BEGIN".utf8) {
            _ = try? ES256PublicKey(pem: String(decoding: bytes, as: UTF8.self))
        }
        let lines = bytes.split(
            separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3 else { return }
        let signed = "\(Base64.encodeURL(Array(lines[0]))).\(Base64.encodeURL(Array(lines[1])))"
        require(
            !isBelieved(token(signed, Array(lines[2]))), "no made-up signature is believed")
        guard (try? UnverifiedJWT(parsing: token(signed, [UInt8](repeating: 0, count: 64)))) != nil
        else { return }
        checkSigned(signed, header: lines[0], SplitMix64(input))
    }

    private static func checkSigned(_ signed: String, header: ArraySlice<UInt8>, _ dice: SplitMix64)
    {
        var dice = dice
        let genuine = token(signed, key.sign(Array(signed.utf8)))
        require(isBelieved(genuine), "what the key has signed is believed")
        require(
            (try? JSONValue(parsing: header))?["alg"]?.text == "ES256",
            "only ES256 is believed")
        let foreign = token(signed, stranger.sign(Array(signed.utf8)))
        require(!isBelieved(foreign), "a signature of another key is not believed")
        var changed = genuine
        let index = Int.random(in: 0..<changed.count, using: &dice)
        changed[index] ^= 1 << UInt8.random(in: 0...7, using: &dice)
        require(!isBelieved(changed), "a change after the signature is noticed")
    }

    private static func token(_ signed: String, _ signature: [UInt8]) -> [UInt8] {
        Array("\(signed).\(Base64.encodeURL(signature))".utf8)
    }

    /// Whether the token is the key's; its times are checked too, since they may be any numbers.
    private static func isBelieved(_ token: [UInt8]) -> Bool {
        guard let unverified = try? UnverifiedJWT(parsing: token) else { return false }
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        _ = try? unverified.checkedExpiry(now: now, leewayMilliseconds: 60_000)
        guard let token = try? unverified.verified(by: key.publicKey) else { return false }
        _ = try? token.checkTimes(now: now)
        _ = try? token.expiresAt
        return true
    }

    /// One text for each value, in all three forms.
    private static func checkBase64(_ bytes: [UInt8]) {
        require(Base64.decode(Base64.encode(bytes)) == bytes, "Base64 reads what it writes")
        require(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes, "Base64 reads what it writes")
        let text = String(decoding: bytes, as: UTF8.self)
        if let value = Base64.decode(bytes) {
            require(Base64.encode(value) == text, "a value has one text with padding")
        }
        if let value = Base64.decodeURL(bytes) {
            require(Base64.encodeURL(value) == text, "a value has one text for URLs")
        }
        if let value = Base64.decodeUnpadded(bytes) {
            require(Base64.encodeUnpadded(value) == text, "a value has one text without padding")
        }
    }
}
