import HTTPWire

/// The answer to a request.
///
/// The server writes `Date`, `Content-Length`, `Transfer-Encoding`, `Connection` and `X-Request-Id` itself;
/// fields of these names are dropped, but `Connection: close` is honoured.
package struct HTTPResponse: Sendable {
    /// Writes a body piece by piece; if it throws, the connection is cut so that the client notices.
    package typealias Producer = @Sendable (ResponseWriter) async throws -> Void

    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// A body made while it is sent, chunked if the length is not known beforehand.
        case stream(length: Int?, Producer)
    }

    package var status: Int
    package var headers: [ResponseField]
    package var body: Body

    package init(status: Int, headers: [ResponseField] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A complete body of the given type.
    package init(
        status: Int, type: String, bytes: [UInt8], headers: [ResponseField] = []
    ) {
        self.init(
            status: status, headers: [ResponseField("Content-Type", type)] + headers,
            body: .bytes(bytes))
    }

    /// The value of the first field of that name, in any case.
    package subscript(header name: String) -> String? {
        headers.first { equalIgnoringCase($0.name, name) }?.value
    }
}

/// Whether the two strings are equal, ignoring the case of ASCII letters.
func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
        right.withUTF8 { right in
            guard left.count == right.count else { return false }
            for (own, other) in zip(left, right) where own != other {
                guard own | 0x20 == other | 0x20, (0x61...0x7A).contains(own | 0x20) else {
                    return false
                }
            }
            return true
        }
    }
}
