import Crypto
import HTTPWire
import School
import Values

/// A request of `POST /oauth/token`: an access token for the client's credentials (RFC 6749 section 4.4.2).
struct TokenRequest: Sendable {
    /// `nil` if the client id is malformed, and hence unknown.
    let clientID: ServiceAccountID?
    let secret: Token
    /// The requested scopes; empty if the client leaves them to the server.
    let scopes: [String]

    /// - Parameter form: the fields of the body; `nil` if it is not a form.
    init(_ headers: HeaderFields, form: [QueryItem]?) throws(OAuthError) {
        guard let form else {
            throw .invalidRequest("The body should be application/x-www-form-urlencoded.")
        }
        let fields = try TokenRequest.fields(form)
        guard let grantType = fields["grant_type"] else {
            throw .invalidRequest("The grant_type is missing.")
        }
        guard grantType == "client_credentials" else { throw .unsupportedGrantType }
        let client = try TokenRequest.client(headers.all("authorization"), fields)
        clientID = UUID(client.id).map { ID($0) }
        secret = Token(text: client.secret)
        scopes = (fields["scope"] ?? "").split(separator: " ").map(String.init)
    }

    /// The fields by name. A field without a value counts as absent, a repeated one is an error, and unknown ones are
    /// ignored (section 3.2).
    private static func fields(_ form: [QueryItem]) throws(OAuthError) -> [String: String] {
        var fields: [String: String] = [:]
        for item in form {
            guard fields.updateValue(item.value, forKey: item.name) == nil else {
                throw .invalidRequest("A parameter is given more than once.")
            }
        }
        return fields.filter { !$0.value.isEmpty }
    }

    /// Id and secret, from the header or from the body, never from both (section 2.3).
    private static func client(
        _ authorization: [String], _ fields: [String: String]
    ) throws(OAuthError) -> (id: String, secret: String) {
        guard let header = authorization.first else {
            guard let id = fields["client_id"], let secret = fields["client_secret"] else {
                throw .invalidClient
            }
            return (id, secret)
        }
        guard authorization.count == 1, fields["client_secret"] == nil else {
            throw .invalidRequest("A client authenticates in one way only.")
        }
        guard let client = basic(header) else { throw .invalidClient }
        guard [nil, client.id].contains(fields["client_id"]) else {
            throw .invalidRequest("The client_id is not that of the Authorization header.")
        }
        return client
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
