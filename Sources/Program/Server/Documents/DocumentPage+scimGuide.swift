/// The guide for identity providers that write people and classes.
extension DocumentPage {
    static let scim = Guide(
        id: "scim", title: "Connecting an identity provider over SCIM",
        parts: [
            """
            An identity provider writes people and classes with SCIM 2.0 (RFC 7643 and RFC 7644) below `/scim/v2`. Create a \
            service account with the role `directoryWriter` for it, or let the operator make a token that lasts longer. \
            It reads and writes people, classes and seats, and nothing else. It never makes or changes an administrator.
            """,
            """
                curl -sS $URL/oauth/token --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials
                curl -sS -G $URL/scim/v2/Users -H "Authorization: Bearer $TOKEN" \\
                    --data-urlencode 'filter=userName eq "rosa.delgado@harbour.example"'
            """,
            """
            A user is a person. `userName` is the managed ID, `externalId` what your provider calls the person, `roles` are \
            `staff`, `student` and `teacher`, `employeeNumber` is the number of the person, and `organization` the location. \
            A new user without roles is `staff`. What the directory has no word for, such as telephone numbers, is ignored.
            """,
            """
            A group is a class or a location; `kind` in the extension `urn:homeroom:scim:schemas:extension:school:2.0:Group` \
            says which. New groups are classes. A member with the role `student` and without the role `teacher` learns in \
            the class, everyone else teaches it; `teachers` in the same extension lists them. Members of a location hold \
            a role there.
            """,
            """
            `DELETE` deactivates a user, whom SCIM no longer shows. A new user with the same `userName` is the same person \
            again, with seats and results. A class with handouts is archived, since reports name it. A `remove` of \
            `members` that names nobody is refused; replace them by an empty list to empty a group.
            """,
        ])
}
