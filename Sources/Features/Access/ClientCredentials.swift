import Values

/// Id and secret that a service account or a connected system sent.
struct ClientCredentials: Sendable {
    /// `nil` if the client id is malformed, and hence unknown.
    let clientID: UUID?
    let secret: Token

    init(id: String, secret: String) {
        clientID = UUID(id)
        self.secret = Token(text: secret)
    }
}
