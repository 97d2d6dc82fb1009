import Postgres
import School

extension FeatureTable {
    /// Other systems of the school, and OpenID Connect.
    static let connectedSystems = FeatureTable(
        calls: """
            GET    /v1/connected-systems                 x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/connected-systems                 x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/connected-systems/{id}            x   .   .   .   .   .   .   .   .   .   .
            PATCH  /v1/connected-systems/{id}            x   .   .   .   .   .   .   .   .   .   .
            DELETE /v1/connected-systems/{id}            x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/connected-systems/{id}/secret     x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/authorizations/absence            anybody
            POST   /v1/authorizations/logout             anybody
            GET    /oauth/jwks                           anybody
            GET    /oauth/userinfo                       anybody
            POST   /oauth/userinfo                       anybody
            GET    /.well-known/openid-configuration     anybody
            """,
        population: [
            """
            insert into school.signing_key (key_id, purpose, private_key, public_key, signs_from)
            values (repeat('k', 43), 'idTokens', 'private', '{}', now()),
                   (repeat('t', 43), 'toolMessages', 'private', '{}', now())
            """,
            """
            insert into school.connected_system
                   (organization_id, connected_system_id, name, redirect_uris, scopes, secret_digest)
            select test.id(o), gen_random_uuid(), 'Library of ' || o, '{https://library.example/callback}',
                   '{profile}', sha256('secret')
              from unnest(array['Hillside', 'Elsewhere']) as o
            """,
        ],
        policies: [
            PolicyRow(
                "connected_system", "select name as label from school.connected_system",
                hillside: ["Library of Hillside"], elsewhere: ["Library of Elsewhere"],
                seenBy: [[.administrator]: .all])
        ],
        rights: [
            WriteRight(
                "connected_system", [.administrator],
                "insert update(id_token_signed_response_alg, name, post_logout_redirect_uris, redirect_uris, removed_at, requires_pkce, scopes, secret_changed_at, secret_digest)"
            )
        ],
        writes: [
            WriteCase(.administrator, "registers a system", register("Hillside"), is: .done),
            WriteCase(
                .administrator, "registers a system elsewhere", register("Elsewhere"), is: .refused),
            WriteCase(.administrator, "renames a system", rename("Hillside"), is: .done),
            WriteCase(
                .administrator, "renames a system elsewhere", rename("Elsewhere"), is: .nothing),
            WriteCase(
                .administrator, "deletes a system", "delete from school.connected_system",
                is: .refused),
            WriteCase(
                .administrator, "reads a system's digest",
                "select secret_digest from school.connected_system", is: .refused),
            WriteCase(.siteManager, "registers a system", register("Hillside"), is: .refused),
            WriteCase(.peopleManager, "renames a system", rename("Hillside"), is: .refused),
            WriteCase(.provisioner, "registers a system", register("Hillside"), is: .refused),
            WriteCase(.teacher, "renames a system", rename("Hillside"), is: .refused),
            WriteCase(.app, "renames a system", rename("Hillside"), is: .refused),
        ])

    private static func register(_ organization: String) -> Statement {
        """
        insert into school.connected_system (organization_id, connected_system_id, name, redirect_uris, secret_digest)
        values (test.id(\(organization)), gen_random_uuid(), 'New', '{https://new.example/}', sha256('new'))
        """
    }

    private static func rename(_ organization: String) -> Statement {
        "update school.connected_system set name = 'New' where name = 'Library of ' || \(organization)"
    }
}
