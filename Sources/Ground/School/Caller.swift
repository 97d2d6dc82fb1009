import API
import Crypto
import Postgres
import Values

/// Who is asking: made from an access token, never from anything else in a request.
package struct Caller: Sendable {
    /// What is the same for all requests with a token, and shared by them.
    private final class Facts: Sendable {
        let organizationID: OrganizationID
        let personID: PersonID?
        let serviceAccountID: ServiceAccountID?
        let standings: [Standing]
        let app: String?
        let environment: Environment
        let team: String?
        let mustChangePassword: Bool
        let scopes: [String]?
        /// One for each standing.
        let identities: [Identity]
        /// Identifies the token; sent to PostgreSQL only where audit events may be written.
        let audited: [Identity.Setting]
        let party: Party
        let sessionID: UUID?
        let tokenID: String?
        let expiresAt: Timestamp?

        init(
            organizationID: OrganizationID, personID: PersonID?,
            serviceAccountID: ServiceAccountID?, standings: [Standing], app: String?,
            environment: Environment, team: String?, mustChangePassword: Bool, scopes: [String]?,
            sessionID: UUID?, tokenID: String?, expiresAt: Timestamp?
        ) {
            var audited: [Identity.Setting] = []
            if let sessionID { audited.append(.init("school.session", sessionID.description)) }
            if let tokenID { audited.append(.init("school.token", tokenID)) }
            self.audited = audited
            self.sessionID = sessionID
            self.tokenID = tokenID
            self.expiresAt = expiresAt
            self.organizationID = organizationID
            self.personID = personID
            self.serviceAccountID = serviceAccountID
            self.standings = standings
            self.app = app
            self.environment = environment
            self.team = team
            self.mustChangePassword = mustChangePassword
            self.scopes = scopes
            party = Party(
                tenant: organizationID.uuid,
                subject: personID?.uuid ?? serviceAccountID?.uuid
                    ?? Facts.subject(ofServices: standings))
            var settings: [Identity.Setting] = [
                .init("school.organization", organizationID.uuid.description),
                .init("school.environment", environment.rawValue),
            ]
            if let personID { settings.append(.init("school.person", personID.uuid.description)) }
            if let serviceAccountID {
                settings.append(
                    .init("school.service_account", serviceAccountID.uuid.description))
            }
            if let app { settings.append(.init("school.app", app)) }
            if let team { settings.append(.init("school.team", team)) }
            identities = (standings.isEmpty ? [.app] : standings).map {
                Identity(role: $0.databaseRole, settings: settings)
            }
        }

        /// Services whose tokens were made on the command line are one subject for each standing, as
        /// each standing has one allowance (`AllowanceOwner`).
        private static func subject(ofServices standings: [Standing]) -> UUID {
            let index = standings.first.flatMap(Standing.allCases.firstIndex(of:)) ?? 0
            return UUID(high: 0, low: UInt64(index))
        }
    }

    private let facts: Facts
    /// The index in `facts.standings` of the standing that this request runs under, or 0.
    private var position = 0
    /// Where the request came from, for audit events.
    package internal(set) var address: String?
    /// Whether the request reads from a replica, as its endpoint says.
    var readsReplica = false
    /// Whether the request brings much, which is kept in memory while it waits.
    var holdsMuch = false
    /// What the caller may still ask for; `nil` if it is not limited.
    private(set) var allowance: Allowance?

    /// - Parameters:
    ///   - scopes: what the token is limited to; `nil` if it is not.
    ///   - sessionID: the sign-in that the token descends from, for audit events.
    ///   - tokenID: how audit events name the token, see `tokenID(of:)`.
    ///   - expiresAt: when the token ends by itself.
    package init(
        organizationID: OrganizationID, personID: PersonID?,
        serviceAccountID: ServiceAccountID? = nil, standings: [Standing], app: String? = nil,
        environment: Environment = .production, team: String? = nil,
        mustChangePassword: Bool = false, scopes: [String]? = nil, sessionID: UUID? = nil,
        tokenID: String? = nil, expiresAt: Timestamp? = nil
    ) {
        facts = Facts(
            organizationID: organizationID, personID: personID,
            serviceAccountID: serviceAccountID, standings: standings, app: app,
            environment: environment, team: team, mustChangePassword: mustChangePassword,
            scopes: scopes, sessionID: sessionID, tokenID: tokenID, expiresAt: expiresAt)
    }

    /// How audit events name a token: the first 16 hexadecimal digits of its digest, which grant no access.
    static func tokenID(of digest: SHA256Digest) -> String { String(digest.description.prefix(16)) }

    package var organizationID: OrganizationID { facts.organizationID }
    /// `nil` for services and developers.
    package var personID: PersonID? { facts.personID }
    /// A service account's id, or a tool's; `nil` for others, and for a service whose token was made on the command line.
    package var serviceAccountID: ServiceAccountID? { facts.serviceAccountID }
    /// Every standing that the caller may act in.
    package var standings: [Standing] { facts.standings }
    /// The standing that this request runs under.
    package var standing: Standing {
        position < facts.standings.count ? facts.standings[position] : .app
    }
    /// The bundle id of the app that the token was issued to.
    package var app: String? { facts.app }
    package var environment: Environment { facts.environment }
    /// The developer team, for calls of the Catalog API.
    package var team: String? { facts.team }
    /// On whose behalf the database is queried; lanes are fair between organizations, and within one between callers.
    var party: Party {
        var party = facts.party
        party.holdsMuch = holdsMuch
        return party
    }
    /// Whether the token can only change the password.
    package var mustChangePassword: Bool { facts.mustChangePassword }
    /// How audit events name the token; `nil` without one.
    package var tokenID: String? { facts.tokenID }
    /// What the token is limited to, in the words of its standard; `nil` if it is not limited.
    package var scopes: [String]? { facts.scopes }
    /// When the token expires, as known when it was read; `nil` without a token.
    package var expiresAt: Timestamp? { facts.expiresAt }

    /// Whether a message of the channel `school_revocation` is, or may be, about the token.
    package func mayBeRevoked(by message: String) -> Bool {
        guard message != "heartbeat" else { return false }
        let parts = message.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else {
            // The digest of a token, or everything.
            guard message.utf8.count == 64, let tokenID = facts.tokenID else { return true }
            return message.hasPrefix(tokenID)
        }
        let name = parts[1]
        switch parts[0] {
        case "session": return facts.sessionID.map { "\($0)" == name } ?? false
        case "service-account": return facts.serviceAccountID.map { "\($0.uuid)" == name } ?? false
        case "person":
            return facts.personID.map { "\(facts.organizationID.uuid)/\($0.uuid)" == name } ?? false
        default: return true
        }
    }

    /// The same caller, acting in the first listed standing that the caller holds; `nil` if there is none.
    package func acting(asFirstOf listed: [Standing]) -> Caller? {
        for standing in listed {
            guard let position = facts.standings.firstIndex(of: standing) else { continue }
            var caller = self
            caller.position = position
            return caller
        }
        return nil
    }

    /// The settings that identify the token to audit events.
    var audited: [Identity.Setting] { facts.audited }

    /// The same caller with an allowance.
    func limited(by allowance: Allowance) -> Caller {
        var caller = self
        caller.allowance = allowance
        return caller
    }

    /// The same caller, reading from the primary whatever the endpoint says.
    package var onPrimary: Caller {
        var caller = self
        caller.readsReplica = false
        return caller
    }

    /// Whether both are the same caller in the same standing.
    func isSame(as other: Caller) -> Bool {
        facts === other.facts && position == other.position
    }

    /// What PostgreSQL receives before the statements of a transaction that may write audit events.
    var auditedIdentity: Identity {
        var audited = facts.audited
        if let address { audited.append(.init("school.address", address)) }
        if audited.isEmpty { return identity }
        let plain = identity
        return Identity(role: plain.role, settings: plain.settings + audited)
    }

    /// What PostgreSQL receives before the statement. Made once, since a caller is cached for many requests.
    package var identity: Identity { facts.identities[position] }
}
