import Foundation

/// Where the server's calls for signing in are (RFC 8414).
struct AuthorizationServer: Decodable, Equatable {
    let issuer: String
    let authorization: URL
    let token: URL
    let device: URL?
    let revocation: URL?

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorization = "authorization_endpoint"
        case token = "token_endpoint"
        case device = "device_authorization_endpoint"
        case revocation = "revocation_endpoint"
    }

    /// Asks the server.
    ///
    /// The metadata has to name the server that was asked (section 3.3): otherwise one server could send people and their
    /// codes to another.
    static func discover(
        _ configuration: UplinkConfiguration, _ transport: any Transport
    ) async throws -> AuthorizationServer {
        let url = configuration.address("/.well-known/oauth-authorization-server")
        let answer = try await transport.answer(
            to: HTTPCall("GET", url, headers: ["Accept": "application/json"], timeoutSeconds: 30))
        guard answer.status == 200 else {
            if answer.status == 429 || answer.status >= 500 {
                throw UplinkError.network("The server answered \(answer.status).")
            }
            throw UplinkError.protocolViolation(
                "\(url.absoluteString) answered \(answer.status): this is not a Homeroom server.")
        }
        let found: AuthorizationServer
        do {
            found = try JSON.decode(AuthorizationServer.self, from: answer.body)
        } catch {
            throw UplinkError.protocolViolation(
                "\(url.absoluteString) is not the metadata of an authorization server.")
        }
        let expected = configuration.address("").absoluteString
        guard found.issuer == expected else {
            throw UplinkError.protocolViolation(
                "The server at \(expected) calls itself \(found.issuer). Use that address, or correct the server's."
            )
        }
        for url in [found.authorization, found.token, found.device, found.revocation] {
            if let url { try ServerAddress.check(url) }
        }
        return found
    }
}
