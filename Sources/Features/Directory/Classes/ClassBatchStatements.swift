import Postgres
import School

extension Statement {
    /// The current state of the classes with these source ids.
    static func classes(named sources: [String], of organization: OrganizationID) -> Statement {
        """
        select source_id, term_id, origin, archived_at from school.class
         where organization_id = \(organization) and source_id = any (\(sources))
        """
    }
}
