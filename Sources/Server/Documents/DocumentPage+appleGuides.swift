/// The guides for systems that speak with Apple School Manager.
extension DocumentPage {
    static let rosterAPI = Guide(
        id: "roster-api", title: "Connecting a reader of Apple’s Roster API",
        parts: [
            """
            A system that reads people and classes from Apple School Manager reads them from Homeroom below \
            `/rosterapi/v1`, in place of `https://api-school.apple.com/rosterapi/v1`. Create a service account with the \
            role `rosterReader` for it. Its token may be limited to `edu.users.read` and `edu.classes.read`; the users of \
            a class need both.
            """,
            """
                curl -sS $URL/oauth/token --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\
                    --data-urlencode "scope=edu.users.read edu.classes.read"
                curl -sS "$URL/rosterapi/v1/users?role=Student&limit=500" -H "Authorization: Bearer $TOKEN"
                curl -sS $URL/rosterapi/v1/classes -H "Authorization: Bearer $TOKEN"
            """,
            """
            While `moreToFollow` is true, send `nextPageToken` as `pageToken`. Teachers are `Instructor`, and everyone \
            else who has a role is `Staff`. Deactivated people and archived classes are not listed. There is no delta: read \
            everything once a day. People may call with tokens of their own, and see what they see below `/v1`. Apple’s page \
            on which an administrator consents is not part of Homeroom: service accounts stand in for it.
            """,
        ])

    static let appsAndBooks = Guide(
        id: "apps-and-books", title: "Connecting a device manager",
        parts: [
            """
            A device manager (MDM) assigns the licences of a location with Apple’s App and Book Management API, version 2, \
            below `/mdm/v2`, in place of `https://vpp.itunes.apple.com/mdm/v2`. Make a content token for it with \
            `POST /v1/content-tokens`, or on the page *Service accounts*. The answer shows it once. It is the Base64 of a \
            JSON object and goes into the header as it is; the object says when it ends.
            """,
            """
                curl -sS $URL/mdm/v2/assets -H "Authorization: Bearer $CONTENT_TOKEN"
                curl -sS $URL/mdm/v2/users/create -H "Authorization: Bearer $CONTENT_TOKEN" \\
                    --json '{"users": [{"clientUserId": "u-7", "managedAppleId": "sam@harbour.example"}]}'
                curl -sS $URL/mdm/v2/assets/associate -H "Authorization: Bearer $CONTENT_TOKEN" \\
                    --json '{"assets": [{"adamId": "990011223"}], "clientUserIds": ["u-7"], "serialNumbers": ["C02XL0GSJG5J"]}'
                curl -sS "$URL/mdm/v2/status?eventId=$EVENT_ID" -H "Authorization: Bearer $CONTENT_TOKEN"
            """,
            """
            What is wrong in a request is refused with `errorNumber`, and nothing is done. Otherwise the answer has an \
            `eventId`, and `GET /mdm/v2/status` says what became of it: too few licences (9709), or a user who is not \
            registered (9609). Each asset is assigned to all that the request names, or to none. Requests may be repeated: \
            whoever has a licence keeps it, and an `Idempotency-Key` has no meaning here.
            """,
            """
            A user is a person with a role at the location, found by managed ID or email address; the device manager knows \
            users by `clientUserId` alone. Books stay with their holders. Lists have 500 items on a page; a `versionId` that \
            differs between two pages means that you begin again. Homeroom sends no notifications and no invitations.
            """,
        ])
}
