/// `application/x-www-form-urlencoded`: `name=value` pairs separated by `&`, where `+` is a space and
/// everything but visible ASCII is percent-encoded (RFC 6749 appendix B).
package enum Form {
    /// The pairs of a form in order; `nil` if the bytes are not a form or do not decode to text.
    package static func items(_ bytes: [UInt8]) -> [QueryItem]? {
        guard bytes.allSatisfy(Characters.isTarget) else { return nil }
        return try? Target.query(bytes.span, bytes.indices).items
    }

    /// Decodes a single name or value that was encoded by itself, such as half of a client's credentials (RFC
    /// 6749 section 2.3.1); `nil` if it does not decode to text.
    package static func decoded(_ bytes: [UInt8]) -> String? {
        guard bytes.allSatisfy(Characters.isTarget) else { return nil }
        return try? Target.decode(bytes.span, bytes.indices, plusIsSpace: true)
    }
}
