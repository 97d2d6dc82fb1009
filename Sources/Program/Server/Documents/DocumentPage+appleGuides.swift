/// The guide for systems that speak with Apple School Manager.
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
}
