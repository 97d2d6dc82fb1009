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
                    html += "<div class=\"curl\"><pre><code>"
                    html += "\(escaped(lines.joined(separator: "\n")))</code></pre></div>\n"
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
            "Set the address of your server, sign in, and ask who you are. All examples on this page use the "
                + "variables `URL` and `TOKEN`; other words in capitals, such as `$ID`, are for you to fill in.",
            """
                URL=http://127.0.0.1:8080
                TOKEN=$(curl -sS $URL/v1/sign-in \\
                    --json '{"managedId": "rosa.delgado@harbour.example", "password": "silver-willow-1"}' \\
                    | grep -o '"accessToken":"[^"]*' | cut -d '"' -f 4)
                curl -sS $URL/v1/me -H "Authorization: Bearer $TOKEN"
            """,
            "This account is a teacher of the demonstration school. Each call below shows who may make it, an "
                + "example for `curl` 7.84 or newer, and what it answers.",
        ])

    private static let signingIn = Guide(
        id: "signing-in", title: "Signing in",
        parts: [
            "A person signs in with managed ID and password and gets two tokens. The access token is good for one "
                + "hour. The refresh token is good for 30 days and works once: `POST /v1/sign-in/refresh` exchanges "
                + "it for a new pair.",
            "Send a `bundleId` to get a token for an app. It reaches that app's contexts, activities and completions, "
                + "and tells the app nothing about the person.",
            "While `mustChangePassword` is true, a token can do nothing but change the password with "
                + "`PUT /v1/me/password`.",
            "Your own scripts use a service account. An administrator adds it with `POST /v1/service-accounts`; its "
                + "role is `provisioner` or `exporter`. It gets access tokens for its id and secret:",
            """
                curl -sS $URL/oauth/token --user "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials
            """,
            "App developers sign a JSON Web Token (ES256) with their team's key, as for Apple's ClassKit Catalog API. "
                + "`homeroom developer-token` makes one to try with `curl`.",
        ])

    private static let errors = Guide(
        id: "errors", title: "Errors",
        parts: [
            "Every error is a problem document (RFC 9457). `code` is for programs and never changes, `detail` is for "
                + "people, and `errors` lists what is wrong in a body, each with a JSON pointer to the place.",
            """
                {"type": "/docs#problem-invalid_body", "title": "Something in the body is wrong.",
                 "status": 422, "code": "invalid_body", "detail": "title: This field is required.",
                 "instance": "4f0c…", "errors": [
                    {"pointer": "/title", "code": "missing", "detail": "This field is required."}]}
            """,
            "400: the request cannot be understood. 401: sign in. 403: you lack a role, or a relation such as "
                + "teaching the class; `detail` says which. 404: it does not exist, or it is not yours to see; the "
                + "answer is the same. 409: it contradicts what is stored. 412: someone changed it since you read it. "
                + "422: something in the body is wrong. 429 and 503: wait as long as `Retry-After` says.",
            "Every answer has an `X-Request-Id`, your own if you send one. Quote it when you ask for help.",
        ])

    private static let paging = Guide(
        id: "paging", title: "Lists and pages",
        parts: [
            "A list answers `items` and, as long as there is more, `nextPageToken`. Send that as `pageToken` with the "
                + "same filters, or follow the `Link` header. `limit` is 1 to 1000, and 100 if you leave it out. "
                + "Records that are added while you read make you neither miss nor repeat others.",
            """
                curl -sS "$URL/v1/people?limit=500" -H "Authorization: Bearer $TOKEN"
                curl -sS "$URL/v1/people?limit=500&pageToken=$NEXT" -H "Authorization: Bearer $TOKEN"
            """,
        ])

    private static let repeating = Guide(
        id: "repeating", title: "Repeating a call safely",
        parts: [
            "When an answer is lost, you cannot tell whether the call took effect. `PUT …/source:ID` creates or "
                + "replaces, so simply repeat it. Send a `POST` with an `Idempotency-Key`, such as a UUID, and repeat "
                + "it with the same key: for 24 hours you get the first answer again, with "
                + "`Idempotency-Replayed: true`, and nothing is done twice.",
            """
                curl -sS "$URL/v1/handouts" -H "Authorization: Bearer $TOKEN" \\
                    -H 'Idempotency-Key: 5f0c1f9e-7f0e-4d55-9d3e-3c1f6a1c2b77' \\
                    --json '{"classId": "source:7a-biology", "title": "Cells"}'
            """,
            "Activities have ids that the app chooses. Sending one again merges it and counts nothing twice.",
        ])

    private static let changes = Guide(
        id: "changes", title: "Changes and conflicts",
        parts: [
            "Every record that can be read alone has an `ETag`. Send it as `If-Match` with a write, and the write "
                + "fails with 412 if somebody else was faster. Send it as `If-None-Match` with a read, and get 304 "
                + "while nothing changed.",
            "A `PATCH` is a merge patch (RFC 7396): fields you leave out stay as they are, and `null` clears a field. "
                + "In a `PUT`, fields you leave out go back to their default. `null` is refused wherever it would "
                + "mean nothing.",
            """
                ETAG=$(curl -sS -o /dev/null -w '%header{etag}' "$URL/v1/people/$ID" -H "Authorization: Bearer $TOKEN")
                curl -sS -X PATCH "$URL/v1/people/$ID" -H "Authorization: Bearer $TOKEN" \\
                    -H "If-Match: $ETAG" --json '{"grade": "8", "email": null}'
            """,
            "To follow what changes, ask a list for `updatedSince` with the moment of your last reading.",
        ])

    private static let reporting = Guide(
        id: "reporting", title: "Reporting progress from an app",
        parts: [
            "Sign in with your app's `bundleId` and send what the student did. Choose an id for each attempt, and send "
                + "the attempt again under the same id as it goes on.",
            """
                curl -sS $URL/v1/activities -H "Authorization: Bearer $TOKEN" --json '{"activities": [{
                    "id": "0198a1d2-5b1c-7e3f-8a54-2f6f0c6f7a11", "identifierPath": ["unit-2", "check-1"],
                    "startedAt": "2026-09-14T08:00:00Z", "modifiedAt": "2026-09-14T08:04:00Z",
                    "durationSeconds": 240, "progressRanges": [[0, 0.75]],
                    "primaryItem": {"kind": "score", "identifier": "total", "title": "Score",
                                    "score": 8, "maxScore": 10}}]}'
            """,
            "Only what a teacher assigned is kept. The answer is 202 either way, so that an app cannot find out what "
                + "was assigned. Progress of 75 % is the range from 0 to 0.75; ranges may overlap.",
        ])
}
