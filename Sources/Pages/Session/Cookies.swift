import HTTPWire

/// The cookies of a request.
struct Cookies: Sendable {
    private let values: [String: String]

    init(_ headers: HeaderFields) {
        var values: [String: String] = [:]
        for line in headers.all("cookie") {
            for pair in line.split(separator: ";") {
                guard let sign = pair.firstIndex(of: "=") else { continue }
                let name = String(pair[..<sign].trimmed)
                // The first one counts: browsers send the one with the longest path first.
                if values[name] == nil {
                    values[name] = String(pair[pair.index(after: sign)...].trimmed)
                }
            }
        }
        self.values = values
    }

    subscript(cookie: Cookie, isSecure isSecure: Bool) -> String? {
        values[cookie.name(isSecure: isSecure)]
    }
}

/// A cookie of the pages. Under TLS its name begins with `__Host-`, so that no other host, such as a neighbour in the
/// school's domain, can set it.
enum Cookie: String, Sendable {
    /// The session's access token.
    case session = "homeroom"
    /// A random value that ties a form to the browser before anyone is signed in.
    case visit = "homeroom-visit"
    /// A random value by which the service recognizes a browser after the first sign-in with a password. It stays after
    /// sign-out.
    case device = "homeroom-device"
    /// A random value under which the text of forms is sealed. It tells nobody who uses the browser, and ends with it,
    /// but not with a session: what was typed outlives that.
    case typed = "homeroom-typed"
    case language = "homeroom-language"
    /// What ties a sign-in with another system to the browser that began it.
    case attempt = "homeroom-attempt"
    /// What the next page says once.
    case notice = "homeroom-notice"

    func name(isSecure: Bool) -> String { (isSecure ? "__Host-" : "") + rawValue }

    /// - Parameters:
    ///   - value: of characters that a cookie may have.
    ///   - seconds: how long the browser keeps it; `nil` is until it is closed.
    func set(_ value: String, isSecure: Bool, seconds: Int? = nil) -> ResponseField {
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        let secure = isSecure ? "; Secure" : ""
        return ResponseField(
            "Set-Cookie",
            "\(name(isSecure: isSecure))=\(value); Path=/; HttpOnly; SameSite=Lax\(age)\(secure)")
    }

    func clear(isSecure: Bool) -> ResponseField { set("", isSecure: isSecure, seconds: 0) }
}
