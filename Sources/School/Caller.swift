import Postgres
import Values

/// Who asks: made from an access token, never from anything else in a request.
package struct Caller: Sendable {
    package let organizationID: OrganizationID
    /// `nil` for service accounts and developers.
    package let personID: PersonID?
    /// Everything the caller may act as.
    package let standings: [Standing]
    /// The one that this request runs under.
    package internal(set) var standing: Standing
    /// The bundle id of the app in whose name the token speaks.
    package let app: String?
    package let environment: Environment
    /// The developer team, for calls of the Catalog API.
    package let team: String?
    /// The token can only change the password.
    package let mustChangePassword: Bool
    /// From where the request came, for audit events.
    package internal(set) var address: String?
    /// One for each of the standings.
    private var identities: [Identity] = []

    package init(
        organizationID: OrganizationID, personID: PersonID?, standings: [Standing],
        app: String? = nil, environment: Environment = .production, team: String? = nil,
        mustChangePassword: Bool = false
    ) {
        self.organizationID = organizationID
        self.personID = personID
        self.standings = standings
        standing = standings.first ?? .app
        self.app = app
        self.environment = environment
        self.team = team
        self.mustChangePassword = mustChangePassword
        identities = standings.map { makeIdentity($0) }
    }

    /// The same caller, acting as the first of the listed standings that he or she holds; `nil` for none.
    package func acting(asFirstOf listed: [Standing]) -> Caller? {
        guard let first = listed.first(where: standings.contains) else { return nil }
        var caller = self
        caller.standing = first
        return caller
    }

    /// What PostgreSQL is told before the statements of a transaction, where events may be written.
    var auditedIdentity: Identity {
        guard let address else { return identity }
        let plain = identity
        return Identity(
            role: plain.role, settings: plain.settings + [.init("school.address", address)])
    }

    /// What PostgreSQL is told before the statement; made once, since a caller is remembered for many requests.
    package var identity: Identity {
        standings.firstIndex(of: standing).map { identities[$0] } ?? makeIdentity(standing)
    }

    private func makeIdentity(_ standing: Standing) -> Identity {
        var settings: [Identity.Setting] = [
            .init("school.organization", organizationID.uuid.description),
            .init("school.environment", environment.rawValue),
        ]
        if let personID { settings.append(.init("school.person", personID.uuid.description)) }
        if let app { settings.append(.init("school.app", app)) }
        if let team { settings.append(.init("school.team", team)) }
        return Identity(role: standing.databaseRole, settings: settings)
    }
}
