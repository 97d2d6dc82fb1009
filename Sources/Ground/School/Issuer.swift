import API
import HTTPServer
import HTTPWire

/// The URL by which clients know this server: its issuer (RFC 8414 section 2), and the beginning of absolute links.
package struct Issuer: Sendable {
    private let url: String?

    /// - Parameter url: without a slash at its end; `nil` for the one that each request names.
    package init(url: String? = nil) {
        self.url = url
    }

    package func text(for request: Request) -> String {
        if let url { return url }
        let host = request.http.headers["host"] ?? "localhost"
        return (request.http.isSecure ? "https://" : "http://") + host
    }
}
