/// What to read before the calls.
extension DocumentPage {
    struct Guide {
        let id: String
        let title: String
        /// Paragraphs, each with `code` between backticks; one that begins with a blank is for the shell.
        let parts: [String]
    }

    mutating func writeGuides() {
        for guide in Self.guides {
            html +=
                "<section id=\"\(guide.id)\" class=\"reading\"><h2>\(escaped(guide.title))</h2>\n"
            for part in guide.parts {
                if part.hasPrefix(" ") {
                    let lines = part.split(separator: "\n").map {
                        $0.hasPrefix("    ") ? $0.dropFirst(4) : $0
                    }
                    html +=
                        "<pre class=\"curl\"><code>\(escaped(lines.joined(separator: "\n")))</code></pre>\n"
                } else {
                    html += "<p>\(marked(part))</p>\n"
                }
            }
            html += "</section>\n"
        }
    }

    static let guides: [Guide] = [
        quickStart, signingIn, errors, paging, repeating, changes, reporting,
    ]

    private static let quickStart = Guide(
        id: "quick-start", title: "Quick start",
        parts: [
            "Set the address of your server, sign in, and ask who you are. The examples on this page use the "
                + "variables `URL` and `TOKEN`.",
            """
                URL=http://127.0.0.1:8080
                TOKEN=$(curl -sS $URL/v1/sign-in \\
                    --json '{"managedId": "rosa.delgado@harbour.example", "password": "silver-willow-1"}' \\
                    | grep -o '"accessToken":"[^"]*' | cut -d '"' -f 4)
                curl -sS $URL/v1/me -H "Authorization: Bearer $TOKEN"
            """,
            "The account is the teacher of the demonstration school. Every call below shows who may make it, an "
                + "example for `curl`, and what it answers.",
        ])

    private static let signingIn = Guide(
        id: "signing-in", title: "Signing in",
        parts: [
            "A person signs in with managed ID and password. The access token lives one hour, the refresh token "
                + "30 days and once: each `POST /v1/sign-in/refresh` gives a new pair. Send a `bundleId` to get an "
                + "app's token, which reaches that app's contexts, activities and completions and says nothing "
                + "about the person.",
            "While `mustChangePassword` is true, the token can only call `PUT /v1/me/password`.",
            "A script of the school uses a service account. An administrator creates it with "
                + "`POST /v1/service-accounts`; its role is provisioner or exporter.",
            """
                curl -sS $URL/oauth/token --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials
            """,
            "App developers sign a JSON Web Token with ES256 and their team's key, as for Apple's ClassKit "
                + "Catalog API. `homeroom developer-token` makes one for `curl`.",
        ])

    private static let errors = Guide(
        id: "errors", title: "Errors",
        parts: [
            "Every error is a problem document (RFC 9457). Programs read `code`, people read `detail`, and "
                + "`errors` lists what is wrong with a body, each with a JSON pointer.",
            """
                {"type": "/docs#problem-invalid_body", "title": "The body does not say what this call needs.",
                 "status": 422, "code": "invalid_body", "detail": "This field is needed.",
                 "instance": "4f0c…", "errors": [
                    {"pointer": "/title", "code": "missing", "detail": "This field is needed."}]}
            """,
            "401: sign in. 403: your standing or your relation is not enough. 404: it is not there, or not yours to "
                + "see; the answer is the same. 409: it contradicts what is stored. 412: it changed since you read "
                + "it. 422: the body is wrong. 429 and 503: wait as long as `Retry-After` says.",
        ])

    private static let paging = Guide(
        id: "paging", title: "Lists and pages",
        parts: [
            "A list answers `items`, and `nextPageToken` while there is more. Send it as `pageToken` with the same "
                + "filters, or follow the `Link` header. `limit` is 1 to 1000, by default 100. Nothing is skipped "
                + "or doubled when records are added while you read.",
            """
                curl -sS "$URL/v1/people?limit=500&pageToken=$NEXT" -H "Authorization: Bearer $TOKEN"
            """,
        ])

    private static let repeating = Guide(
        id: "repeating", title: "Repeating a call safely",
        parts: [
            "`PUT …/source:ID` creates or replaces, so it may be repeated. Send a `POST` with an "
                + "`Idempotency-Key`, such as a UUID, and repeat it with the same key when you lost the answer: "
                + "for 24 hours you get the first answer again, with `Idempotency-Replayed: true`.",
            "Activities have ids that the app chooses. Sending one again merges it and counts nothing twice.",
        ])

    private static let changes = Guide(
        id: "changes", title: "Changes and conflicts",
        parts: [
            "Every record that can be read alone has an `ETag`. Send it as `If-Match` with a write, and the write "
                + "fails with 412 if somebody else was faster. Send it as `If-None-Match` with a read, and get 304 "
                + "while nothing changed.",
            "Lists take `updatedSince`. A `PATCH` is a merge patch (RFC 7396): fields that are absent stay, `null` "
                + "clears. In a `PUT`, absent fields go back to their default.",
        ])

    private static let reporting = Guide(
        id: "reporting", title: "Reporting progress from an app",
        parts: [
            "Sign in with your app's `bundleId` and send what the student did. Choose an id for each attempt, and "
                + "send the attempt again as it grows.",
            """
                curl -sS $URL/v1/activities -H "Authorization: Bearer $TOKEN" --json '{"activities": [{
                    "id": "0198a1d2-5b1c-7e3f-8a54-2f6f0c6f7a11", "identifierPath": ["unit-2", "check-1"],
                    "startedAt": "2026-09-14T08:00:00Z", "modifiedAt": "2026-09-14T08:04:00Z",
                    "durationSeconds": 240, "progressRanges": [[0, 0.75]],
                    "primaryItem": {"kind": "score", "identifier": "total", "title": "Score",
                                    "score": 8, "maxScore": 10}}]}'
            """,
            "The answer is 202 whether anything was assigned or not: only what a teacher assigned is kept, and an "
                + "app cannot find out. Progress p is the range from 0 to p; ranges may overlap.",
        ])
}
