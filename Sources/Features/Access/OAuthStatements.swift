import Crypto
import Postgres
import School
import Values

extension Statement {
    /// Keeps a code that the caller allowed; false if the organization no longer knows the client.
    static func authorize(
        _ request: AuthorizationRequest, code: Token, by token: Token
    ) -> Statement {
        guard request.client.system == nil else {
            return """
                select school.authorize_system(
                           \(code.digest), \(UUID(request.client.id)), \(request.redirectURI),
                           \(request.challenge?.text), \(request.scopes), \(request.nonce), \(token.digest))
                       as is_known
                """
        }
        return """
            select school.authorize(
                       \(code.digest), \(request.client.id), \(request.redirectURI),
                       \(request.challenge?.text), \(request.environment.rawValue), \(token.digest))
                   as is_known
            """
    }

    /// No row if the code is not valid.
    static func exchange(
        _ code: Token, of app: String, redirectURI: String, challenge: CodeChallenge,
        pair: TokenPair, address: String
    ) -> Statement {
        """
        select subject
          from school.exchange_code(
                   \(code.digest), \(app), \(redirectURI), \(challenge.text), \(UUID.v7()),
                   \(pair.access.digest), \(pair.accessExpiresAt), \(pair.refresh.digest),
                   \(pair.refreshExpiresAt), \(address))
        """
    }

    /// One word: `made`, `taken` or `client`.
    static func beginDevice(
        _ code: Token, _ userCode: UserCode, of app: String, environment: String
    ) -> Statement {
        """
        select school.begin_device_code(
                   \(code.digest), \(userCode.letters), \(app), \(environment)) as outcome
        """
    }

    /// The app that waits under a short code; no row if none does.
    static func openDevice(_ userCode: UserCode) -> Statement {
        "select app, name, requested_at from school.open_device_code(\(userCode.letters))"
    }

    /// False if no app waits under the short code any more.
    static func answerDevice(
        _ userCode: UserCode, isAllowed: Bool, by token: Token
    ) -> Statement {
        """
        select school.answer_device_code(\(userCode.letters), \(isAllowed), \(token.digest))
               as is_answered
        """
    }

    /// The outcome is `issued` or the standard's word for why not.
    static func exchangeDevice(
        _ code: Token, of app: String, pair: TokenPair, address: String
    ) -> Statement {
        """
        select outcome, subject
          from school.exchange_device_code(
                   \(code.digest), \(app), \(UUID.v7()), \(pair.access.digest),
                   \(pair.accessExpiresAt), \(pair.refresh.digest), \(pair.refreshExpiresAt),
                   \(address))
        """
    }

    static func revoke(_ token: Token, ofApp app: String, address: String) -> Statement {
        "select school.revoke_app_token(\(token.digest), \(app), \(address))"
    }

    /// False if the secret is not the client's.
    static func revoke(
        _ token: Token, of account: ClientCredentials, address: String
    ) -> Statement {
        """
        select school.revoke_client_token(
                   \(account.clientID), \(account.secret.digest), \(token.digest), \(address))
               as is_client
        """
    }

    /// No row if the secret is wrong; null if the token is unknown or not valid.
    static func introspect(_ token: Token, by account: ClientCredentials) -> Statement {
        """
        select token from school.introspect(
                   \(account.clientID), \(account.secret.digest), \(token.digest))
        """
    }
}
