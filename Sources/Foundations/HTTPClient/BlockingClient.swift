/// Asks other servers by HTTPS on the calling thread, one call at a time, under the rules of `HTTPClient`: it follows no
/// redirects, and connects to private addresses only if it may.
package struct BlockingClient: BlockingCalls {
    private let limits: HTTPClient.Limits
    private let reachesLocal: Bool

    /// - Parameters:
    ///   - reachesLocal: as for `HTTPClient`.
    ///   - limits: of which only those of one call count.
    package init(reachesLocal: Bool = false, limits: HTTPClient.Limits = HTTPClient.Limits()) {
        self.reachesLocal = reachesLocal
        self.limits = limits
    }

    package func perform(_ request: OutgoingRequest) throws -> OutgoingAnswer {
        guard request.address.isSecure || reachesLocal else { throw OutgoingFailure.notSecure }
        return try CurlCall(request: request, limits: limits, reachesLocal: reachesLocal).perform()
    }
}

/// What asks other servers while the calling thread waits.
package protocol BlockingCalls: Sendable {
    /// Throws an `OutgoingFailure` unless the server answered with any status but a redirect.
    func perform(_ request: OutgoingRequest) throws -> OutgoingAnswer
}
