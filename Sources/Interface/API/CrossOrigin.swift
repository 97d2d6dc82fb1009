import HTTPServer
import HTTPWire

/// The origins whose pages may call the API from a browser (the CORS protocol of the Fetch standard).
///
/// No answer allows credentials, so a browser never sends a cookie across origins: a page has its own access token or
/// none. To be listed gives an origin no authority.
package struct CrossOrigin: Sendable {
    private let origins: Set<String>
    private let apps: Set<String>
    private let exposed: ResponseField

    /// - Parameters:
    ///   - origins: exact, as browsers send them: `https://app.example`.
    ///   - apps: more of them, of pages that are an app: they may make an app's calls, and no others.
    ///   - headers: names of further headers that these pages may read in answers.
    package init(origins: Set<String>, apps: Set<String> = [], exposing headers: [String]) {
        self.origins = origins
        self.apps = apps
        exposed = ResponseField(
            "Access-Control-Expose-Headers",
            (Self.exposedHeaders + headers).joined(separator: ", "))
    }

    /// The answer to a preflight; `nil` for any other request. It is the same for every path that the origin may call,
    /// whether or not there is a call, and no one need be known.
    package func preflight(_ http: HTTPRequest) -> Response? {
        guard http.method == .options, origin(of: http) != nil,
            http.headers["access-control-request-method"] != nil
        else { return nil }
        return Response(204, headers: Self.permissions)
    }

    /// What an answer to this request says to the browser.
    package func fields(for http: HTTPRequest) -> [ResponseField] {
        guard let origin = origin(of: http) else { return [Self.vary] }
        return [
            Self.vary, ResponseField("Access-Control-Allow-Origin", origin), exposed,
        ]
    }

    /// The origin of the request if it is listed for what it asks.
    private func origin(of http: HTTPRequest) -> String? {
        guard let origin = http.headers["origin"] else { return nil }
        if origins.contains(origin) { return origin }
        let isAppCall = Self.appCalls.contains("/" + http.segments.joined(separator: "/"))
        return isAppCall && apps.contains(origin) ? origin : nil
    }

    /// What an app calls: it signs in, saves and reads contexts, and reports.
    private static let appCalls: Set<String> = [
        "/oauth/token", "/v1/me/contexts", "/v1/activities", "/v1/me/completions",
    ]

    /// Also for other origins: a cache must not answer one with what another got.
    private static let vary = ResponseField("Vary", "Origin")

    /// Chromium asks again after two hours at the latest.
    private static let permissions = [
        ResponseField("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
        ResponseField(
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, "
                + "X-Experience-API-Version, X-Request-Id"),
        ResponseField("Access-Control-Max-Age", "7200"),
    ]

    private static let exposedHeaders = [
        "Accept-Ranges", "Content-Disposition", "Content-Range", "ETag", "Idempotency-Replayed",
        "Link", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate",
        "X-Experience-API-Consistent-Through", "X-Experience-API-Version", "X-Request-Id",
        "X-Total-Count",
    ]
}
