import Postgres
import School

extension Statement {
    static func removeBundles(of team: String, in organization: OrganizationID) -> Statement {
        """
        delete from school.developer_bundle
         where organization_id = \(organization) and team_id = \(team)
        """
    }

    static func removeKeys(of team: String, in organization: OrganizationID) -> Statement {
        """
        delete from school.developer_key
         where organization_id = \(organization) and team_id = \(team)
        """
    }

    /// Takes the bundle ids away from the deployment's teams.
    static func takeBundles(_ ids: [String], for team: String) -> Statement {
        "select school.take_bundles(\(team), \(ids))"
    }

    static func addBundles(
        _ ids: [String], to team: String, in organization: OrganizationID
    ) -> Statement {
        """
        insert into school.developer_bundle (organization_id, team_id, bundle_id)
        select \(organization), \(team), bundle_id from unnest(\(ids)) as bundle_id
        """
    }

    /// Copies what the team published elsewhere with the same keys; the rules are in
    /// `SQL/functions/catalog/registering.sql`.
    static func adoptContexts(of team: String) -> Statement {
        "select school.adopt_contexts(\(team))"
    }

    static func addKeys(
        _ keys: TeamKeys, to team: String, in organization: OrganizationID
    ) -> Statement {
        """
        insert into school.developer_key (organization_id, team_id, key_id, public_key)
        select \(organization), \(team), k.key_id, k.public_key
          from unnest(\(keys.ids), \(keys.publicKeys)) as k (key_id, public_key)
        """
    }
}
