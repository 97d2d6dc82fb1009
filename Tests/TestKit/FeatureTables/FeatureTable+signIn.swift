import Postgres
import School

extension FeatureTable {
    /// What browsers hold, where people are signed in, and how apps get tokens.
    static let signIn = FeatureTable(
        calls: """
            POST   /v1/me/session/renewal                x   x   x   x   x   x   x   x   .   .   .
            GET    /v1/me/sessions                       x   x   x   x   x   x   x   x   .   .   .
            DELETE /v1/me/sessions                       x   x   x   x   x   x   x   x   .   .   .
            DELETE /v1/me/sessions/{id}                  x   x   x   x   x   x   x   x   .   .   .
            GET    /v1/people/{id}/sessions              x   x   x   .   .   .   .   .   .   .   .
            DELETE /v1/people/{id}/sessions/{sessionId}  x   x   x   .   .   .   .   .   .   .   .
            POST   /v1/me/authorizations/check           x   x   x   x   x   x   x   x   .   .   .
            POST   /v1/me/authorizations                 x   x   x   x   x   x   x   x   .   .   .
            POST   /v1/me/device-codes/check             x   x   x   x   x   x   x   x   .   .   .
            POST   /v1/me/device-codes/approval          x   x   x   x   x   x   x   x   .   .   .
            POST   /v1/me/device-codes/refusal           x   x   x   x   x   x   x   x   .   .   .
            POST   /oauth/device_authorization           anybody
            POST   /oauth/revoke                         anybody
            POST   /oauth/introspect                     anybody
            GET    /.well-known/oauth-authorization-server anybody
            """,
        population: [
            """
            insert into school.authorization_code
                   (organization_id, digest, person_id, app, environment, redirect_uri, challenge, expires_at)
            select p.organization_id, sha256(p.person_id::text::bytea), p.person_id, 'org.example.quizzler',
                   'production', 'org.example.quizzler:/callback', 'challenge', now()
              from school.person as p where p.person_id in (test.id('sam'), test.id('omar'))
            """,
            """
            insert into school.device_code
                   (organization_id, digest, user_code, app, environment, person_id, is_allowed, requested_at, expires_at)
            select p.organization_id, sha256(p.person_id::text::bytea),
                   case p.person_id when test.id('sam') then 'WDJBMJHT' else 'BCDFGHJK' end, 'org.example.quizzler',
                   'production', p.person_id, true, now(), now()
              from school.person as p where p.person_id in (test.id('sam'), test.id('omar'))
            """,
        ],
        policies: [
            PolicyRow(
                "authorization_code",
                "select test.called(person_id) as label from school.authorization_code",
                hillside: ["sam"], elsewhere: ["omar"]),
            PolicyRow(
                "device_code", "select test.called(person_id) as label from school.device_code",
                hillside: ["sam"], elsewhere: ["omar"]),
        ],
        rights: [], writes: [])
}
