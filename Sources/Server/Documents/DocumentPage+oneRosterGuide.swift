/// The guide for systems that read the roster.
extension DocumentPage {
    static let oneRoster = Guide(
        id: "oneroster", title: "Connecting a OneRoster consumer",
        parts: [
            """
            Other systems of the school read the roster with OneRoster 1.2 or 1.1. Create a service account with the role \
            `rosterReader` for each of them: it reads people, classes and rosters, and nothing else. Enter four values in the \
            other system: the client id, the secret, `/oauth/token` as the address for tokens, and \
            `/ims/oneroster/rostering/v1p2` (or `/ims/oneroster/v1p1`) as the base of its calls. It may name scopes of the \
            standard or leave them out; its token then reads all of the roster.
            """,
            """
                curl -sS $URL/oauth/token --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\
                    -d scope=https://purl.imsglobal.org/spec/or/v1p2/scope/roster.readonly
                curl -sS $URL/ims/oneroster/rostering/v1p2/orgs -H "Authorization: Bearer $TOKEN"
                curl -sS -G $URL/ims/oneroster/rostering/v1p2/teachers -H "Authorization: Bearer $TOKEN" \\
                    --data-urlencode "filter=familyName='Meyer' AND status='active'" -d limit=10000 -d fields=sourcedId,email
            """,
            """
            The organization is the `district`, and each location a `school`. A `sourcedId` is the id in your information \
            system, or ours where there is none. A class without a course gets one of its own, as the standard requires one. \
            People without an email address are shown with their managed ID. `terms` are all academic sessions except \
            grading periods. Demographics are empty: Homeroom keeps none.
            """,
            """
            Collections show what is in the roster now. Filter by `dateLastModified` to learn what changed since your last \
            visit: then deactivated people, archived classes, closed terms and ended enrollments are listed, too, with the \
            status `tobedeleted`. What is deleted or erased for good leaves no such record: read whole collections \
            now and then. An unknown field in `filter` or `fields` is an error, an unknown one in `sort` is ignored. \
            `AND` binds closer than `OR`.
            """,
            """
            Every answer has a `Roster-Revision`. If it differs between two pages, the roster changed in between: start \
            again from the first page, or send `If-Match: "REVISION"` to get 412 instead of a page of another \
            revision. With `If-None-Match` the answer is 304 while nothing has changed.
            """,
        ])
}
