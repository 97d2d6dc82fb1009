/// Guides for those who make apps.
extension DocumentPage {
    static let appSignIn = Guide(
        id: "app-sign-in", title: "Signing in from an app",
        parts: [
            """
            An app never sees a password: it gets tokens with OAuth 2.0. Its `client_id` is its bundle id, which the \
            school must have bought (`/v1/apps`) or registered (`/v1/developer-teams`). It has no secret. \
            `/.well-known/oauth-authorization-server` lists every address.
            """,
            """
            On a device with a browser, listen on a free port of the loopback address, or take `BUNDLEID:/callback`. \
            Open `/oauth/authorize` with `response_type=code`, `client_id`, `redirect_uri`, `state`, `code_challenge` \
            and `code_challenge_method=S256`. The person signs in and allows the app. Compare `state` and `iss`, and \
            exchange the code within a minute:
            """,
            """
                curl -sS $URL/oauth/token -d grant_type=authorization_code -d client_id=org.example.quizzler \\
                    -d code=$CODE -d code_verifier=$VERIFIER -d redirect_uri=http://127.0.0.1:4711/callback
            """,
            """
            On a device without one, show a code that the person types in at `/device` elsewhere. Ask again every five \
            seconds until the answer is no longer `authorization_pending`; after `slow_down`, wait five seconds longer.
            """,
            """
                curl -sS $URL/oauth/device_authorization -d client_id=org.example.quizzler
                curl -sS $URL/oauth/token -d grant_type=urn:ietf:params:oauth:grant-type:device_code \\
                    -d client_id=org.example.quizzler -d device_code=$DEVICE_CODE
            """,
            """
            The access token is valid for an hour. A refresh token gives the next pair and works once. If the answer \
            gets lost, send the same refresh token again within a minute: as long as the lost pair was not used, you \
            get another one. Any other second use ends the session, because two clients have the token.
            """,
            """
            `subject` names the person to your app. It is the same whenever this person signs in to your app, differs \
            in any other app, and says nothing about the person. `POST /oauth/revoke` signs the app out; \
            service accounts ask with `POST /oauth/introspect` what a token stands for.
            """,
        ])

    static let reporting = Guide(
        id: "reporting", title: "Reporting progress from an app",
        parts: [
            """
            Sign the student in with OAuth and send what the student did. Choose an id for each attempt, and send \
            the attempt again under the same id as it goes on.
            """,
            """
                curl -sS $URL/v1/activities -H "Authorization: Bearer $TOKEN" --json '{"activities": [{
                    "id": "0198a1d2-5b1c-7e3f-8a54-2f6f0c6f7a11", "identifierPath": ["unit-2", "check-1"],
                    "startedAt": "2026-09-14T08:00:00Z", "modifiedAt": "2026-09-14T08:04:00Z",
                    "durationSeconds": 240, "progressRanges": [[0, 0.75]],
                    "primaryItem": {"kind": "score", "identifier": "total", "title": "Score",
                                    "score": 8, "maxScore": 10}}]}'
            """,
            """
            The figures are what your app says in the student's name, from a device that the student holds: someone who \
            knows how can report any. Teachers read that beside them. Do not let a grade depend on them alone; where \
            it must not be made up, report scores from your own server as a tool (LTI), which signs them.
            """,
            """
            Only what a teacher assigned is kept. The answer is 202 either way, so that an app cannot find out what \
            was assigned. Progress of 75 % is the range from 0 to 0.75; ranges may overlap.
            """,
        ])

    static let publishing = Guide(
        id: "publishing", title: "Publishing contexts",
        parts: [
            """
            Publish what your app offers with the calls of Apple's ClassKit Catalog API: `/v1/contexts`, \
            `/v1/thumbnails` and `/v1/status/{id}`. Sign a JSON Web Token (ES256) with your team's key; \
            `homeroom developer-token` makes one to try with `curl`.
            """,
            """
                curl -sS "$URL/v1/contexts?environment=production" -H "Authorization: Bearer $TOKEN" --json '{"contexts": [
                    {"data": {"identifierPath": ["org.example.quizzler"], "title": "Quizzler", "type": "app"},
                     "metadata": {"locale": "en-US"}}]}'
            """,
            """
            A call writes to every organization that registered your key and bundle id, in one transaction. An \
            organization that registers your team later receives what the same keys have published elsewhere. Where a \
            child's parent is missing, that organization is passed over; your call is refused only if no organization \
            takes it.
            """,
            """
            A thumbnail is answered with 202 and decoded afterwards; `Location` says where to read its status. \
            Contexts that an app saves for a person (`/v1/me/contexts`) stay that person's own until a handout \
            assigns them.
            """,
        ])

    static let development = Guide(
        id: "development", title: "Trying an app with made-up people",
        parts: [
            """
            The development environment of an organization has a teacher, three students and a class, all made up and \
            kept apart from production. Administrators turn it on with `PUT /v1/development`. Developers use \
            their signed token and the same calls below `/v1/developer/organizations/{organizationId}/development`; \
            `GET /v1/developer/organizations` lists the organizations that registered their key.
            """,
            """
                curl -sS -X PUT $URL/v1/development -H "Authorization: Bearer $TOKEN"
                curl -sS $URL/v1/development/tokens -H "Authorization: Bearer $TOKEN" \\
                    --json '{"role": "student", "bundleId": "org.example.quizzler"}'
                curl -sS -X POST $URL/v1/development/reset -H "Authorization: Bearer $TOKEN"
                curl -sS -X DELETE $URL/v1/development -H "Authorization: Bearer $TOKEN"
            """,
            """
            A token speaks for a made-up teacher or student for an hour. Repeat the `PUT` to bring the environment \
            into line with the registered teams and their contexts. A reset deletes handouts, work and native \
            contexts; the catalog and the tokens stay. `DELETE` removes everything but the audit trail.
            """,
            """
            What you publish with `environment=development` appears there and in the organization's own development \
            catalog. Thumbnails, handouts, activities and reports work as in production, with student progress on. \
            Exports leave it out. Turning it on or off, resets and tokens leave audit events of the organization.
            """,
        ])
}
