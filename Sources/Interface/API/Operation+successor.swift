import HTTPWire

extension Operation {
    /// What took the place of a call that is still answered for clients that know no other.
    package struct Successor: Sendable {
        /// Method and path.
        let call: String

        /// When the call should no longer have been used, in seconds since 1970 (RFC 9745): 2026-12-01.
        private static let deprecatedAt = 1_796_083_200
        /// When it may be gone (RFC 8594), two years later.
        private static let goneAt = "Fri, 01 Dec 2028 00:00:00 GMT"

        /// What each answer says about it.
        package var fields: [ResponseField] {
            [
                ResponseField("Deprecation", "@\(Self.deprecatedAt)"),
                ResponseField("Sunset", Self.goneAt),
                ResponseField("Link", "</docs#versions>; rel=\"deprecation\"; type=\"text/html\""),
            ]
        }

        /// What the document says about it.
        var sentence: String { "Use `\(call)` instead, which does the same." }
    }

    /// The name that this call had before, with which it is still answered.
    package func formerly(_ method: HTTPMethod, _ path: String) -> Operation {
        Operation(
            method, path, summary, access: access, body: body, answers: answers,
            problems: problems, keys: method == .post ? .honoured : keys, fields: fields,
            cost: cost, extensions: extensions,
            successor: Successor(call: "\(self.method.name) \(self.path)"))
    }
}
