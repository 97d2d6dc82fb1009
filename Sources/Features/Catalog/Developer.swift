import Postgres
import School
import Values

/// A developer whose token was verified: a team, in every organization that registered its key.
struct Developer: Sendable {
    /// The registration at one organization.
    struct Registration: Sendable {
        let organizationID: OrganizationID
        let bundleIDs: Set<String>
        /// The SHA-256 of the key that verified the token.
        let keyDigest: [UInt8]
        /// Whether it is a development environment, which accepts development contexts only.
        let isDevelopment: Bool
    }

    let team: String
    /// In order of the organizations' ids, which is also the order of writing.
    let registrations: [Registration]

    /// The registrations that concern an environment.
    func registrations(in environment: Environment) -> [Registration] {
        registrations.filter { environment == .development || !$0.isDevelopment }
    }

    /// Refuses if one of the bundle ids is registered nowhere.
    func check(mayPublish bundleIDs: Set<String>) throws {
        let own = registrations.reduce(into: Set<String>()) { $0.formUnion($1.bundleIDs) }
        guard bundleIDs.isSubset(of: own) else {
            throw CatalogError.notAuthorized("The team may not publish for this bundle id.")
        }
    }

    /// The developer as a caller in one organization.
    func caller(in registration: Registration, _ environment: Environment) -> Caller {
        Caller(
            organizationID: registration.organizationID, personID: nil, standings: [.developer],
            environment: environment, team: team)
    }
}

extension Database {
    /// Runs the body once for each organization that registered the developer; for development also in their
    /// development environments. All of it is one transaction: if the body throws in one of them, nothing is written
    /// in any.
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
    /// Switches row-level security and functions to another organization until the end of the transaction; role, team
    /// and environment stay.
    fileprivate static func turn(to organization: OrganizationID) -> Statement {
        "select set_config('school.organization', \(organization.uuid.description), true)"
    }
}
