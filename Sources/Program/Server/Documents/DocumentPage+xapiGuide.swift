/// The guide for apps that speak the Experience API.
extension DocumentPage {
    static let xapi = Guide(
        id: "xapi", title: "Sending xAPI statements",
        parts: [
            """
            An app that speaks the Experience API (xAPI 1.0.3 or 2.0) sends its statements to `/xapi`. Its person signs \
            in as with any app, and the access token is the credential: `Authorization: Bearer` and the token. Where a \
            library asks for a user name and a password, look for a setting that takes the whole field, such as `auth` \
            of `tincan` for Python. `GET /xapi/about` says what is supported. (`uuidgen`, below, is in Debian’s package \
            `uuid-runtime`.)
            """,
            """
                curl -sS $URL/xapi/statements -H "Authorization: Bearer $TOKEN" \\
                    -H 'X-Experience-API-Version: 1.0.3' --json '{
                      "id": "'$(uuidgen)'",
                      "actor": {"account": {"homePage": "'$URL'", "name": "'$SUBJECT'"}},
                      "verb": {"id": "http://adlnet.gov/expapi/verbs/completed"},
                      "object": {"id": "'$URL'/xapi/activities/org.example.quizzler/unit-2/check-1"},
                      "result": {"score": {"raw": 8, "max": 10}, "duration": "PT4M"},
                      "context": {"registration": "'$(uuidgen)'"}}'
            """,
            """
            The actor is the person of the token: an account whose `homePage` is the URL of this server and whose `name` \
            is the `subject` that came with the token. No other name is taken, no mail address and no managed ID: an \
            app is not told who its person is.
            """,
            """
            The object is a context of your app. Its address is the URL of this server, `/xapi/activities/`, the bundle \
            id, and the identifier path as in `/v1/activities`, each part percent-encoded. The bundle id alone is the \
            app. Statements about anything else are accepted and dropped, as is all work that was not assigned.
            """,
            """
            What counts. `result.score` with `raw` and `max` becomes the primary item, a score from `min` (or 0) to \
            `max`; what is above `max` counts as that. With `scaled` alone it is a score of 1, and with `raw` alone a \
            quantity. Where there is nothing to score, as 0 of 0, the rest of the statement counts. `result.success`, or the verb \
            `passed` or `failed`, becomes pass or fail. `result.completion`, or the verb `completed`, is progress of 100 \
            %; the progress extensions of cmi5 and of the video profile say less. `result.duration` is the time spent; \
            without it none is counted. A verb that is not in the vocabulary of ADL counts only with one of these.
            """,
            """
            Attempts. `context.registration` names the attempt at a context. A statement without one is an attempt of \
            its own. Figures of an attempt add up: the longest duration, all progress, and the latest score. A \
            statement is taken for 30 days after its `timestamp`, and never changes what was assigned or marked done.
            """,
            """
            Repeating. Give each statement an id. The same statement is taken once, however often you send it; another \
            one with its id is 409. A request has up to 500 statements and 1 MiB. If one of them is wrong, none is \
            taken, and `errors` says what and where.
            """,
            """
            What is missing. Homeroom keeps activities and no statements, so they cannot be read, queried or voided. \
            Packages of authoring tools such as Storyline, Captivate and H5P do not run here: they need those calls, \
            and a password of their own. Attachments are not taken, nor are the state, profile and agent resources, nor the form of requests that \
            xAPI 1.0 had for old browsers.
            """,
        ])
}
