import School
import Values

/// Id and secret that a service account sent.
struct ServiceCredentials: Sendable {
    /// `nil` if the client id is malformed, and hence unknown.
    let clientID: ServiceAccountID?
    let secret: Token

    init(id: String, secret: String) {
        clientID = UUID(id).map { ID($0) }
        self.secret = Token(text: secret)
    }
}
