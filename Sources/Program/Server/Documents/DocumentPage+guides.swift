/// What to read before the calls.
extension DocumentPage {
    struct Guide {
        let id: String
        let title: String
        /// Paragraphs, each with `code` between backticks; one that begins with a space is for the shell.
        let parts: [String]
    }

    mutating func writeGuides() {
        for guide in Self.guides {
            html +=
                "<section id=\"\(guide.id)\" class=\"reading\"><h2>\(escaped(guide.title))</h2>\n"
            for part in guide.parts {
                if part.hasPrefix(" ") {
                    let lines = part.split(separator: "\n", omittingEmptySubsequences: false).map {
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
        quickStart, integrations, signingIn, errors, paging, choosing, repeating, changes, limits,
        versions, importing, passwords, scripts, systems, oneRoster, rosterAPI, scim,
        following, webhooks, exporting, records, retention, appSignIn, reporting, anyApp,
        browserApp, xapi,
        publishing, development,
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
                + "and reports nothing about the person to the app. This is for scripts and tests of your own: it works "
                + "in the development environment, and elsewhere only if the organization allows it "
                + "(`allowsPasswordsInApps`, off at first). Apps use OAuth, and never see a password.",
            "Send `browser` for a page that people sign in to. Its one token is good for the organization's "
                + "`ownDeviceIdleHours` (12 at first) from each `POST /v1/me/session/renewal` on, and for 30 days at "
                + "most. With `shared`, a student's is good for `sharedDeviceIdleMinutes`, others' for 12 hours.",
            "`GET /v1/me/sessions` lists where you are signed in. `DELETE /v1/me/sessions/{id}` ends one of these "
                + "sign-ins, and `DELETE /v1/me/sessions` all but the one that calls. Those who may reset your password "
                + "see and end them with `/v1/people/{id}/sessions`.",
            "While `mustChangePassword` is true, a token can do nothing but change the password with "
                + "`PUT /v1/me/password`.",
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

    private static let choosing = Guide(
        id: "choosing", title: "Choosing what an answer has",
        parts: [
            """
            `fields` names the fields that you want, separated by commas; dots lead into nested ones. In a list they are \
            those of its items. An unknown name is refused, with the names that there are. `expand` adds records that \
            the answer refers to, one level deep, as `expanded`: a class has its `location`, `course`, `term`, \
            `teachers` and `students`. You get what their own calls would show you: a record that you may not read is \
            null, or missing from the list. A page that is expanded has at most 200 items, and adds at most 10,000 \
            records. Each choice has an `ETag` of its own, which `If-Match` takes as well.
            """,
            """
                curl -sS "$URL/v1/classes?expand=teachers,location&fields=name,expanded.teachers.email" \\
                    -H "Authorization: Bearer $TOKEN"
            """,
            """
            `count=true` adds `totalCount` to a list: how many items all its pages have, under your rights and filters. \
            It is counted once, with the first page, and page tokens carry the number on. 100,000 means that many or \
            more, because counting stops there. `order` chooses among orders that a list offers, such as `name` or \
            `oldest`; pages follow one another under each order as they do without one.
            """,
        ])

    private static let repeating = Guide(
        id: "repeating", title: "Repeating a call safely",
        parts: [
            "When an answer is lost, you do not know whether the call took effect. `PUT …/source:ID` creates or "
                + "replaces, so simply repeat it. Send a `POST` with an `Idempotency-Key`, such as a UUID, and repeat "
                + "it with the same key: for 24 hours you get the first answer again, with "
                + "`Idempotency-Replayed: true`, and nothing is done twice. A call that was refused leaves no trace "
                + "of its key. An app removes contexts, and sends and removes their pictures, with a key as well: a "
                + "call that arrives late, after you have repeated it, then undoes nothing newer.",
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
                + "fails with 412 if someone else was faster. Send it as `If-None-Match` with a read, and get 304 "
                + "while nothing changed.",
            "A `PATCH` is a merge patch (RFC 7396): fields you leave out stay as they are, and `null` clears a field. "
                + "In a `PUT`, fields you leave out go back to their default. `null` is refused wherever it would "
                + "mean nothing.",
            """
                ETAG=$(curl -sS -o /dev/null -w '%header{etag}' "$URL/v1/people/$ID" -H "Authorization: Bearer $TOKEN")
                curl -sS -X PATCH "$URL/v1/people/$ID" -H "Authorization: Bearer $TOKEN" \\
                    -H "If-Match: $ETAG" --json '{"grade": "8", "email": null}'
            """,
            "To follow what changes in one list, ask it for `updatedSince` with the moment of your last reading. To "
                + "follow everything, removals included, ask `GET /v1/changes`.",
        ])

    private static let limits = Guide(
        id: "limits", title: "Limits",
        parts: [
            """
            Each person and each service account has an allowance, whatever the number of tokens: by default 100 \
            requests a second, and ten times that at once. A request costs 1, and 1 more for every ten items in the \
            lists of its body. Counting a list costs 5 more, and each kind of records that `expand` adds 2. A report, \
            a check or a page of changes costs 5, a new password 10, an import, an export or one person's archive 20, a \
            sign-in sheet 100.
            """,
            """
            `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10) say what is left; an app gets \
            them only with a refusal. Beyond the allowance the answer is 429 with `Retry-After`. A JSON body has at \
            most 1 MiB, a call with contexts 8 MiB, an archive 1 GiB. What a person's apps upload has an allowance of \
            its own: 32 MiB at once, and 1 MiB a second. xAPI takes 10,000 statements of a person at once, and as many \
            again in the course of a day.
            """,
        ])
}
