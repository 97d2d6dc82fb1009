import Postgres
import School
import Values

/// Somebody whose token verifies: a team, in every organization that registered its key.
struct Developer: Sendable {
    /// What one organization registered.
    struct Registration: Sendable {
        let organizationID: OrganizationID
        let bundleIDs: Set<String>
        /// The SHA-256 of the key that verified the token.
        let keyDigest: [UInt8]
        /// Whether it is the development environment of one, which takes development contexts only.
        let isDevelopment: Bool
    }

    let team: String
    /// In the order of the organizations' ids, which is the order in which they are written to.
    let registrations: [Registration]

    /// Those that are concerned with an environment.
    func registrations(in environment: Environment) -> [Registration] {
        registrations.filter { environment == .development || !$0.isDevelopment }
    }

    /// Refuses bundle ids of which one is registered nowhere.
    func check(mayPublish bundleIDs: Set<String>) throws {
        let own = registrations.reduce(into: Set<String>()) { $0.formUnion($1.bundleIDs) }
        guard bundleIDs.isSubset(of: own) else {
            throw CatalogError.notAuthorized("The team may not publish for this bundle id.")
        }
    }

    /// The developer as the caller of one organization.
    func caller(in registration: Registration, _ environment: Environment) -> Caller {
        Caller(
            organizationID: registration.organizationID, personID: nil, standings: [.developer],
            environment: environment, team: team)
    }
}

extension Database {
    /// Runs the body once for each organization that registered the developer, and for development also in their
    /// development environments, all in one transaction: what throws in one of them is written in none.
    func transaction(
        as developer: Developer, _ environment: Environment,
        _ body: (Session, Developer.Registration) async throws -> Void,
        beforeCommit: () throws -> Void = {}
    ) async throws {
        let registrations = developer.registrations(in: environment)
        guard let first = registrations.first else { return }
        try await transaction(as: developer.caller(in: first, environment)) { session in
            for registration in registrations {
                if registration.organizationID != first.organizationID {
                    _ = try await session.query(.turn(to: registration.organizationID))
                }
                try await body(session, registration)
            }
            try beforeCommit()
        }
    }
}

extension Statement {
    /// Row security and functions go by another organization from here to the end of the transaction; role,
    /// team and environment stay.
    fileprivate static func turn(to organization: OrganizationID) -> Statement {
        "select set_config('school.organization', \(organization.uuid.description), true)"
    }
}
