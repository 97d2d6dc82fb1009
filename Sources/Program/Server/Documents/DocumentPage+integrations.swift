import CEmbedded

/// Guides for those who write an integration.
extension DocumentPage {
    static let integrations = Guide(
        id: "integrations", title: "Your first integration",
        parts: [
            """
            This page begins with a token and ends with a program in Python and one in TypeScript. You need a service \
            account. An administrator makes one on the page *Service accounts*, or with this call; the answer shows \
            the secret once.
            """,
            """
                curl -sS $URL/v1/service-accounts -H "Authorization: Bearer $TOKEN" \\
                    --json '{"name": "Class lists", "role": "provisioner"}'
            """,
            """
            With its client id and secret, the program gets an access token, which is good for one hour. Try it by hand:
            """,
            """
                TOKEN=$(curl -sS $URL/oauth/token --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\
                    | grep -o '"access_token":"[^"]*' | cut -d '"' -f 4)
                curl -sS "$URL/v1/classes?order=name&expand=teachers&fields=name,expanded.teachers.familyName" \\
                    -H "Authorization: Bearer $TOKEN"
            """,
            """
            `deploy/publish-clients` makes a client for each language from this API's document: a wheel for `pip` and a \
            tarball for `npm`. They have a method with types for every call, go through the pages of a list, get new \
            tokens, wait as `Retry-After` says, and repeat what was lost on the way where that does no harm. The whole \
            program in Python:
            """,
            code(class_lists_py),
            """
                pip install homeroom_client-*.whl
                python3 class_lists.py $URL $CLIENT_ID $CLIENT_SECRET
            """,
            "And in TypeScript, for Node 18 or newer:",
            code(class_lists_ts),
            """
                npm install homeroom-client-*.tgz
                tsc --strict --target es2022 --module es2022 --moduleResolution node class_lists.ts
                node class_lists.js $URL $CLIENT_ID $CLIENT_SECRET
            """,
            """
            A program that writes does two more things. It creates with `PUT …/source:ID` or with an `Idempotency-Key`, so \
            that it can repeat a call, which the clients do by themselves. And it sends the `ETag` that it has read as \
            `If-Match`, so that it never undoes what someone else has changed meanwhile.
            """,
            """
            A page in a browser may call the API if the server's operator lists its origin in `HOMEROOM_CORS_ORIGINS`. \
            That gives it no rights: it signs people in like any app, with an authorization code and PKCE, and keeps its \
            own token. Cookies are never sent across origins, and a client secret does not belong in a page.
            """,
        ])

    static let versions = Guide(
        id: "versions", title: "Versions and deprecation",
        parts: [
            """
            The version of the API is in its paths: `/v1`. Within a version, changes are compatible: new calls, new \
            optional parameters and fields of bodies, new fields in answers, new words in lists of words, new problem \
            codes, and looser limits. So ignore fields that you do not know, treat an unknown word or code as *other*, \
            and do not depend on the order of fields or on the text of `title` and `detail`.
            """,
            """
            What would break a careful client comes only with a new version: to remove or rename a call or a field, to \
            require what was optional, to change what a field means, or to narrow who may call. Before version 1.0.0 of \
            Homeroom, the changelog names such changes, and a new minor version may have them.
            """,
            """
            An older version is served for at least 24 months after the next one was released. A call that will go away \
            says so in every answer: `Deprecation` (RFC 9745) has the time from which it should not be used any more, \
            `Sunset` (RFC 8594) the time from which it may be gone, at least 12 months later, and `Link` with \
            `rel="deprecation"` leads here. The document marks it as `deprecated`, and its description says what to use \
            instead. Closing a security hole may not always wait; the changelog then says what and why.
            """,
            """
            A state is part of a path: `PUT` sets it and `DELETE` ends it, and both may be repeated. `POST` makes \
            something or starts something. So what 0.1.0 did with `POST …/deactivation`, `…/reactivation`, \
            `…/progress-pause`, `…/closing`, `…/publication` and `…/completion` is now done with `PUT` and `DELETE`; the \
            old calls are deprecated. A list is always `items`, with what else there is to say beside it.
            """,
        ])

    /// A program, indented as shell examples are.
    static func code(_ file: EmbeddedFile) -> String {
        String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { "    \($0)" }.joined(separator: "\n")
    }
}
