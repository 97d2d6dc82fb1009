public import Foundation

/// An access token and the person it belongs to.
public struct AccessToken: Equatable, Sendable {
    /// Sent with every call.
    public var text: String
    /// The pseudonym of the person, as the server said it with the token.
    public var subject: String

    /// Makes a token.
    public init(text: String, subject: String) {
        self.text = text
        self.subject = subject
    }
}

/// Where access tokens come from.
public protocol TokenSource: Sendable {
    /// A token that should work now.
    ///
    /// - Throws: `UplinkError.signedOut` if there is none, `UplinkError.network` if one cannot be had now.
    func token() async throws -> AccessToken
    /// A token after the server has refused one.
    ///
    /// - Throws: `UplinkError.signedOut` if the sign-in is over, `UplinkError.network` if the server cannot be asked.
    func renewed(after rejected: AccessToken) async throws -> AccessToken
}

/// A token from the environment, for tests and for the development environment. It is not renewed.
public struct FixedToken: TokenSource {
    private let fixed: AccessToken

    /// - Parameter subject: `nil` for one that belongs to this very token, so that the work of two tokens is never mixed.
    public init(text: String, subject: String? = nil) {
        fixed = AccessToken(
            text: text,
            subject: subject ?? "token-" + Data(SHA256.digest(text.utf8).prefix(12)).base64URL)
    }

    /// The token in `CLASSKIT_TOKEN`, of the person whom `CLASSKIT_SUBJECT` names; `nil` if there is none.
    public init?(variables: [String: String] = ProcessInfo.processInfo.environment) {
        guard let text = variables["CLASSKIT_TOKEN"], !text.isEmpty else { return nil }
        self.init(
            text: text, subject: variables["CLASSKIT_SUBJECT"].flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Whose it is.
    public var subject: String { fixed.subject }

    public func token() -> AccessToken { fixed }

    public func renewed(after rejected: AccessToken) throws -> AccessToken {
        throw UplinkError.signedOut
    }
}

/// The sign-in of a person at an app, as it is kept.
struct SignedIn: Codable, Equatable {
    let subject: String
    var accessToken: String
    var refreshToken: String
    /// When the access token is to be renewed.
    var renewAt: Moment
    /// Rises with every pair of tokens. Of two copies the one with the higher number is right.
    var generation: Int
    /// Whether the person has signed out, but the server may not know it yet.
    var isEnding = false

    var access: AccessToken { AccessToken(text: accessToken, subject: subject) }

    func isDue(at now: Moment) -> Bool {
        now.bootID == renewAt.bootID ? now.uptime >= renewAt.uptime : now.wall >= renewAt.wall
    }
}

/// What the server answers to a request for tokens (RFC 6749 section 5.1).
struct TokenAnswer: Decodable {
    let accessToken: String
    let refreshToken: String
    let expiresIn: Double
    let subject: String

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
        case subject
    }

    /// - Parameter former: the sign-in that this goes on with.
    func signedIn(after former: SignedIn?, at now: Moment) -> SignedIn {
        // A minute earlier, so that a token seldom expires on its way.
        let seconds = max(0, expiresIn - 60)
        return SignedIn(
            subject: subject, accessToken: accessToken, refreshToken: refreshToken,
            renewAt: Moment(
                wall: now.wall.addingTimeInterval(seconds), uptime: now.uptime + seconds,
                bootID: now.bootID), generation: (former?.generation ?? 0) + 1)
    }
}

/// What the server answers when it refuses (RFC 6749 section 5.2).
struct OAuthRefusal: Decodable {
    let error: String
    let description: String?

    private enum CodingKeys: String, CodingKey {
        case error
        case description = "error_description"
    }
}
