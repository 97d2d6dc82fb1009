import API
import Crypto
import HTTPClient
import JSONBytes
import School
import Values

/// The issuers of sign-in providers, and what is known of them.
final class Issuers: Sendable {
    struct Known: Sendable {
        let metadata: IssuerMetadata
        let keys: KeySet
    }

    /// For how long people wait for a provider that does not answer.
    private static let patienceMilliseconds = 3000

    private let client: any OutgoingCalls
    /// By `place`.
    let known: PublishedKeys<Known>

    init(client: any OutgoingCalls, clock: Clock) {
        self.client = client
        known = PublishedKeys(
            clock: clock, isFailing: { ($0 as? Problem)?.status == 502 },
            ask: { place in
                try await Issuers.asking { try await Issuers.ask(place, through: client) }
            })
    }

    /// By what issuers are known: a name, and whose provider it is. So no organization waits for what another asks.
    static func place(_ issuer: String, of organization: OrganizationID) -> String {
        "\(organization.uuid) \(issuer)"
    }

    private static func ask(
        _ place: String, through client: any OutgoingCalls
    ) async throws -> Known {
        let parts = place.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Problem.unfitIssuer }
        let (party, issuer) = (parts[0], parts[1])
        // A slash at the end is part of the name, but not doubled (OpenID Connect Discovery 1.0 section 4.1).
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let address = base + "/.well-known/openid-configuration"
        let metadata = try IssuerMetadata(
            await document(address, for: party, through: client), of: issuer)
        let published = try await document(metadata.keys.text, for: party, through: client)
        guard let keys = KeySet(published),
            keys.count > 0
        else { throw Problem.providerFailed("It publishes no key for RS256 or ES256.") }
        return Known(metadata: metadata, keys: keys)
    }

    private static func document(
        _ text: String, for party: String, through client: any OutgoingCalls
    ) async throws -> JSONValue {
        guard let address = WebAddress(text) else { throw Problem.unfitIssuer }
        let answer = try await client.send(
            OutgoingRequest(
                address, headers: [("Accept", "application/json")], party: party,
                milliseconds: patienceMilliseconds))
        guard answer.status == 200 else {
            throw Problem.providerFailed("\(address) answers \(answer.status).")
        }
        guard let document = try? JSONValue(parsing: answer.body) else {
            throw Problem.providerFailed("\(address) does not answer JSON.")
        }
        return document
    }

    /// The ID token for a code.
    func exchange(
        _ code: String, at metadata: IssuerMetadata, for provider: Access.Provider,
        _ attempt: ProviderAttempt, redirectURI: String
    ) async throws -> String {
        let client = provider.client
        var items = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code),
            (name: "redirect_uri", value: redirectURI),
            (name: "code_verifier", value: attempt.verifier),
        ]
        var headers = [
            (name: "Accept", value: "application/json"),
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
        ]
        if metadata.takesSecretInForm {
            items += [("client_id", client.id), ("client_secret", client.secret)]
        } else {
            let pair = "\(percentEncode(client.id)):\(percentEncode(client.secret))"
            headers.append(("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))"))
        }
        let request = OutgoingRequest(
            metadata.token, headers: headers, body: Array(FormText.encoded(items).utf8),
            party: "\(provider.organizationID.uuid)", milliseconds: Self.patienceMilliseconds)
        let answer = try await Self.asking { try await self.client.send(request) }
        let document = try? JSONValue(parsing: answer.body)
        guard answer.status == 200, let token = document?["id_token"]?.text else {
            // The code was used before, or is too old: nothing is wrong with the provider.
            if document?["error"] == "invalid_grant" { throw Problem.signInNotBegun }
            throw Problem.providerFailed(Self.refusal(answer.status, document))
        }
        return token
    }

    private static func refusal(_ status: Int, _ document: JSONValue?) -> String {
        switch document?["error"]?.text {
        case "invalid_client", "unauthorized_client":
            "It refuses the client id or the client secret."
        default: "It answers \(status) without an ID token to a code."
        }
    }

    /// Runs what asks a provider, and says what went wrong as a problem.
    private static func asking<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let failure as OutgoingFailure {
            throw failure == .busy
                ? Problem.providersBusy(failure.description)
                : Problem.providerFailed(failure.description)
        } catch let unfit as IssuerMetadata.Unfit {
            throw Problem.providerFailed(unfit.description)
        }
    }
}
