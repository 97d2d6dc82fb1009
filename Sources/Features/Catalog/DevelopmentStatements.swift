import Postgres
import Values

/// The development environment of the caller's organization; the rules are in `SQL/functions/development/environments.sql`.
extension Statement {
    static let developmentEnvironment: Statement = """
        select organization_id, name, turned_on_at,
               class_id, people
          from school.development_environment()
        """

    /// Returns whether it was off before.
    static let turnOnDevelopment: Statement =
        "select school.turn_on_development() as is_new"

    /// Returns whether it was on before, as the next one does.
    static let turnOffDevelopment: Statement =
        "select school.turn_off_development() as is_there"

    static let resetDevelopment: Statement =
        "select school.reset_development() as is_there"

    /// Synchronizes the environment's teams, bundle ids and contexts with the organization's own.
    static let followTeams: Statement = "select school.follow_teams()"

    /// Stores the digest of a token for a made-up person.
    /// By which the app of a token knows its person; null for a token that is no app's. For the server's own login.
    static func subject(ofToken digest: [UInt8]) -> Statement {
        "select school.subject_of_token(\(digest)) as subject"
    }

    static func createDevelopmentToken(
        _ digest: [UInt8], role: String, person: UUID?, app: String?, expiresAt: Timestamp
    ) -> Statement {
        """
        select outcome, person
          from school.create_development_token(\(digest), \(role), \(person), \(app), \(expiresAt))
        """
    }
}
