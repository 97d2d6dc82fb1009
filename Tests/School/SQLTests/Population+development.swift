import Postgres

extension Population {
    /// The development environments of both organizations, with nobody in them; and a team of the deployment, which no
    /// organization knows of.
    static let developments: [Statement] = [
        """
        insert into school.organization (organization_id, name)
        select encode(substring(sha256(name::bytea) for 16), 'hex')::uuid, name || ' (development)'
          from school.organization
        """,
        """
        insert into school.development_directory (organization_id, development_id)
        select o.organization_id, d.organization_id
          from school.organization as o
          join school.organization as d on d.name = o.name || ' (development)'
        """,
        """
        insert into school.deployment_team (team_id, name) values ('ALL', 'Everywhere')
        """,
        """
        insert into school.deployment_key (team_id, key_id, public_key) values ('ALL', 'KEY', 'PEM')
        """,
        """
        insert into school.deployment_bundle (bundle_id, team_id) values ('org.example.everywhere', 'ALL')
        """,
    ]
}
