import Crypto
import HTTPClient
import JSONBytes

/// What an issuer says about itself (OpenID Connect Discovery 1.0 section 3).
struct IssuerMetadata: Sendable {
    let issuer: String
    let authorization: WebAddress
    let token: WebAddress
    let keys: WebAddress
    /// Whether it names itself when it sends people back (RFC 9207).
    let namesItself: Bool
    /// Whether the client's secret goes into the form; else it is sent as with HTTP Basic.
    let takesSecretInForm: Bool

    /// Why the document is of no use.
    struct Unfit: Error, CustomStringConvertible {
        let description: String
    }

    init(_ document: JSONValue, of issuer: String) throws(Unfit) {
        guard document["issuer"]?.text == issuer else {
            throw Unfit(
                description:
                    "It describes another issuer than the one that was asked. Check each letter, "
                    + "also a slash at the end.")
        }
        func address(_ name: String) throws(Unfit) -> WebAddress {
            guard let address = document[name]?.text.flatMap(WebAddress.init) else {
                throw Unfit(description: "It has no usable \(name).")
            }
            return address
        }
        self.issuer = issuer
        authorization = try address("authorization_endpoint")
        token = try address("token_endpoint")
        keys = try address("jwks_uri")
        // An issuer behind TLS does not lead people away from it.
        if WebAddress(issuer)?.isSecure == true, !authorization.isSecure {
            throw Unfit(description: "Its authorization_endpoint does not begin with https://.")
        }
        namesItself = document["authorization_response_iss_parameter_supported"] == true
        let methods = document["token_endpoint_auth_methods_supported"]?.array
        takesSecretInForm =
            methods?.contains("client_secret_basic") == false
            && methods?.contains("client_secret_post") == true
    }

    /// Where a person goes to sign in.
    func request(_ items: [(name: String, value: String)]) -> String {
        let query = FormText.encoded(items)
        return authorization.text + (authorization.rest.contains("?") ? "&" : "?") + query
    }
}
