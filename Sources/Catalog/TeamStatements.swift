import Postgres
import School

extension Statement {
    private static let teamColumns: Statement = """
        select t.team_id as "id", t.team_id, t.name, t.origin,
               (select coalesce(json_agg(b.bundle_id order by b.bundle_id), '[]')
                  from school.developer_bundle as b
                 where b.organization_id = t.organization_id and b.team_id = t.team_id) as "bundleIds",
               (select coalesce(json_agg(json_build_object('keyId', k.key_id, 'publicKey', k.public_key)
                                         order by k.key_id), '[]')
                  from school.developer_key as k
                 where k.organization_id = t.organization_id and k.team_id = t.team_id) as "keys",
               t.created_at, t.updated_at, t.version
          from school.developer_team as t
        """

    static func teams(
        of organization: OrganizationID, after: String?, limit: Int
    ) -> Statement {
        """
        \(fragment: teamColumns)
         where t.organization_id = \(organization) and t.team_id > \(after ?? "")
         order by t.team_id limit \(limit)
        """
    }

    static func team(_ id: String, of organization: OrganizationID) -> Statement {
        """
        \(fragment: teamColumns) where t.organization_id = \(organization) and t.team_id = \(id)
        """
    }

    static func lockTeam(_ id: String, of organization: OrganizationID) -> Statement {
        """
        select version from school.developer_team
         where organization_id = \(organization) and team_id = \(id) for update
        """
    }

    static func addTeam(_ team: NewTeam, to organization: OrganizationID) -> Statement {
        """
        insert into school.developer_team (organization_id, team_id, name)
        values (\(organization), \(team.id), \(team.name))
        """
    }

    /// From then on the team is the organization's own, even if it was the deployment's before.
    static func renameTeam(_ team: NewTeam, of organization: OrganizationID) -> Statement {
        """
        update school.developer_team set name = \(team.name), origin = 'organization'
         where organization_id = \(organization) and team_id = \(team.id)
        """
    }

    static func removeTeam(_ id: String, of organization: OrganizationID) -> Statement {
        """
        delete from school.developer_team where organization_id = \(organization) and team_id = \(id)
        """
    }

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
    static func takeBundles(for team: NewTeam) -> Statement {
        "select school.take_bundles(\(team.id), \(team.bundleIDs))"
    }

    static func addBundles(_ team: NewTeam, in organization: OrganizationID) -> Statement {
        """
        insert into school.developer_bundle (organization_id, team_id, bundle_id)
        select \(organization), \(team.id), bundle_id from unnest(\(team.bundleIDs)) as bundle_id
        """
    }

    /// Copies what the team published elsewhere with the same keys; the rules are in
    /// `SQL/functions/catalog/registering.sql`.
    static func adoptContexts(of team: String) -> Statement {
        "select school.adopt_contexts(\(team))"
    }

    static func addKeys(_ team: NewTeam, in organization: OrganizationID) -> Statement {
        """
        insert into school.developer_key (organization_id, team_id, key_id, public_key)
        select \(organization), \(team.id), k.key_id, k.public_key
          from unnest(\(team.keyIDs), \(team.publicKeys)) as k (key_id, public_key)
        """
    }
}
