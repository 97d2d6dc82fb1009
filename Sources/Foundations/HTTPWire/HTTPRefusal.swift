/// Why a request is answered with an error before it reaches its handler, or why its body cannot be read: a
/// status, a code for programs and a sentence for people.
package struct HTTPRefusal: Error, Sendable, Equatable {
    package let status: Int
    /// Stable, in snake case.
    package let code: String
    package let detail: String

    package init(status: Int, code: String, detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    /// Violates the grammar of RFC 9112, or the stricter reading of it here.
    static func malformed(_ detail: String) -> HTTPRefusal {
        HTTPRefusal(status: 400, code: "malformed_request", detail: detail)
    }

    static let targetTooLong = HTTPRefusal(
        status: 414, code: "target_too_long",
        detail: "The request target is longer than 8192 bytes.")
    static let headTooLarge = HTTPRefusal(
        status: 431, code: "head_too_large",
        detail: "The request head is larger than 16 KiB or has more than 100 fields.")
    static let versionNotSupported = HTTPRefusal(
        status: 505, code: "http_version_not_supported",
        detail: "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
    static let methodNotImplemented = HTTPRefusal(
        status: 501, code: "method_not_implemented",
        detail: "The method is longer than any that is known here.")
    static let transferCodingNotSupported = HTTPRefusal(
        status: 501, code: "transfer_coding_not_supported",
        detail: "The only transfer coding supported is chunked.")
    static let expectationFailed = HTTPRefusal(
        status: 417, code: "expectation_failed",
        detail: "The only expectation supported is 100-continue.")

    /// The body is longer than the route accepts.
    package static let bodyTooLarge = HTTPRefusal(
        status: 413, code: "body_too_large", detail: "The body is larger than allowed here.")
    /// The peer ended its side within the body.
    package static let bodyIncomplete = HTTPRefusal(
        status: 400, code: "body_incomplete", detail: "The body ended before its announced end.")
    /// Below the minimum rate, or over the deadline.
    package static let bodyTooSlow = HTTPRefusal(
        status: 408, code: "body_too_slow", detail: "The body did not arrive in time.")
}
