import Postgres
import Values

/// Who asks: made from an access token, never from anything else in a request.
package struct Caller: Sendable {
    /// What stays the same in all requests with a token, shared by them.
    private final class Facts: Sendable {
        let organizationID: OrganizationID
        let personID: PersonID?
        let serviceAccountID: ServiceAccountID?
        let standings: [Standing]
        let app: String?
        let environment: Environment
        let team: String?
        let mustChangePassword: Bool
        /// One for each of the standings.
        let identities: [Identity]
        let party: Party

        init(
            organizationID: OrganizationID, personID: PersonID?,
            serviceAccountID: ServiceAccountID?, standings: [Standing], app: String?,
            environment: Environment, team: String?, mustChangePassword: Bool
        ) {
            self.organizationID = organizationID
            self.personID = personID
            self.serviceAccountID = serviceAccountID
            self.standings = standings
            self.app = app
            self.environment = environment
            self.team = team
            self.mustChangePassword = mustChangePassword
            party = Party(tenant: organizationID.uuid, subject: personID?.uuid)
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
    }

    private let facts: Facts
    /// Of the one in `facts.standings` that this request runs under, or 0.
    private var position = 0
    /// From where the request came, for audit events.
    package internal(set) var address: String?

    package init(
        organizationID: OrganizationID, personID: PersonID?,
        serviceAccountID: ServiceAccountID? = nil, standings: [Standing], app: String? = nil,
        environment: Environment = .production, team: String? = nil,
        mustChangePassword: Bool = false
    ) {
        facts = Facts(
            organizationID: organizationID, personID: personID,
            serviceAccountID: serviceAccountID, standings: standings, app: app,
            environment: environment, team: team, mustChangePassword: mustChangePassword)
    }

    package var organizationID: OrganizationID { facts.organizationID }
    /// `nil` for services and developers.
    package var personID: PersonID? { facts.personID }
    /// `nil` for all but service accounts; also for a service whose token was made by the command.
    package var serviceAccountID: ServiceAccountID? { facts.serviceAccountID }
    /// Everything the caller may act as.
    package var standings: [Standing] { facts.standings }
    /// The one that this request runs under.
    package var standing: Standing {
        position < facts.standings.count ? facts.standings[position] : .app
    }
    /// The bundle id of the app in whose name the token speaks.
    package var app: String? { facts.app }
    package var environment: Environment { facts.environment }
    /// The developer team, for calls of the Catalog API.
    package var team: String? { facts.team }
    /// On whose behalf the database is asked: organizations share it fairly.
    var party: Party { facts.party }
    /// The token can only change the password.
    package var mustChangePassword: Bool { facts.mustChangePassword }

    /// The same caller, acting as the first of the listed standings that he or she holds; `nil` for none.
    package func acting(asFirstOf listed: [Standing]) -> Caller? {
        for standing in listed {
            guard let position = facts.standings.firstIndex(of: standing) else { continue }
            var caller = self
            caller.position = position
            return caller
        }
        return nil
    }

    /// Whether the other one is the same, acting as the same.
    func isSame(as other: Caller) -> Bool {
        facts === other.facts && position == other.position
    }

    /// What PostgreSQL is told before the statements of a transaction, where events may be written.
    var auditedIdentity: Identity {
        guard let address else { return identity }
        let plain = identity
        return Identity(
            role: plain.role, settings: plain.settings + [.init("school.address", address)])
    }

    /// What PostgreSQL is told before the statement; made once, since a caller is remembered for many requests.
    package var identity: Identity { facts.identities[position] }
}
