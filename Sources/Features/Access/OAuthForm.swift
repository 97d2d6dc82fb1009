import API
import Crypto
import HTTPWire
import School
import Values

/// The form that a client of OAuth sent, and how the client authenticates.
struct OAuthForm: Sendable {
    private let fields: [String: String]
    private let authorization: [String]

    /// - Parameter form: the fields of the body; `nil` if it is not a form.
    ///
    /// A field without a value counts as absent, a repeated one is an error, and unknown ones are ignored (RFC 6749
    /// section 3.2).
    init(_ headers: HeaderFields, form: [QueryItem]?) throws(OAuthError) {
        guard let form else {
            throw .invalidRequest("The body should be application/x-www-form-urlencoded.")
        }
        var fields: [String: String] = [:]
        for item in form {
            guard fields.updateValue(item.value, forKey: item.name) == nil else {
                throw .invalidRequest("A parameter is given more than once.")
            }
        }
        self.fields = fields.filter { !$0.value.isEmpty }
        authorization = headers.all("authorization")
    }

    subscript(name: String) -> String? { fields[name] }

    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = fields[name] else { throw .invalidRequest("The \(name) is missing.") }
        return value
    }

    /// The requested scopes; empty if the client leaves them to the server.
    var scopes: [String] { (fields["scope"] ?? "").split(separator: " ").map(String.init) }

    /// Whether the client sent something secret; an app has nothing that it could keep secret.
    var isSecret: Bool { !authorization.isEmpty || fields["client_secret"] != nil }

    /// The bundle id of an app (RFC 6749 section 2.1). What has the form of other clients' ids needs a secret.
    func app() throws(OAuthError) -> String {
        guard !isSecret else { throw .appsHaveNoSecret }
        let id = try required("client_id")
        guard UUID(id) == nil else { throw .invalidClient }
        return id
    }

    /// Id and secret of a connected system; `nil` for an app.
    func system() throws(OAuthError) -> ClientCredentials? {
        guard isSecret else { return nil }
        let sent = try account()
        guard sent.clientID != nil else { throw .appsHaveNoSecret }
        return sent
    }

    /// The scope of an app, which it may leave out.
    func checkAppScope() throws(OAuthError) {
        guard scopes.allSatisfy({ $0 == AppScope.classKit }) else { throw .invalidAppScope }
    }

    /// Id and secret of a service account or a connected system, from the header or from the body, never from both (section 2.3).
    func account() throws(OAuthError) -> ClientCredentials {
        guard let header = authorization.first else {
            guard let id = fields["client_id"], let secret = fields["client_secret"] else {
                throw .invalidClient
            }
            return ClientCredentials(id: id, secret: secret)
        }
        guard authorization.count == 1, fields["client_secret"] == nil else {
            throw .invalidRequest("A client authenticates in one way only.")
        }
        guard let account = OAuthForm.basic(header) else { throw .invalidClient }
        guard [nil, account.id].contains(fields["client_id"]) else {
            throw .invalidRequest("The client_id is not that of the Authorization header.")
        }
        return ClientCredentials(id: account.id, secret: account.secret)
    }

    /// HTTP Basic; both halves are form-encoded before they are joined (section 2.3.1).
    private static func basic(_ header: String) -> (id: String, secret: String)? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let bytes = Base64.decode(parts[1].drop { $0 == " " }.utf8),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let id = Form.decoded(Array(bytes[..<colon])),
            let secret = Form.decoded(Array(bytes[(colon + 1)...]))
        else { return nil }
        return (id, secret)
    }
}

/// What the tokens of an app are good for.
enum AppScope {
    static let classKit = "classkit"
    /// What the person is shown of it before allowing it.
    static let sees = ["progressOnAssigned", "completions"]
}
