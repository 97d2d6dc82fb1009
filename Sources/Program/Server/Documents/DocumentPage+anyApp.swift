import CEmbedded

/// The guide for apps in any language.
extension DocumentPage {
    static let anyApp = Guide(
        id: "any-app", title: "Reporting progress from any app",
        parts: [
            """
            An app in any language reports progress with five calls. This is a complete one in Python, without other \
            packages. Run it with the address of your server and the bundle id of an app that the school has.
            """,
            code(report_progress_py),
            """
            Sign-in. The person types the code in at `/device`, so the app sees no password. Keep the refresh token \
            and `subject`, and send what waits only while `subject` is that of the person who did the work. After a \
            401, refresh once; if that is refused, keep what waits and ask the person to sign in again.
            """,
            """
            Contexts. Save what your app has to offer when it starts, parents and children in any order, up to 200 at \
            a time. Saving again replaces. A teacher who opens the app finds them in the chooser. \
            `GET /v1/me/contexts?descendants=true` returns everything that the app sees, and then, with \
            `updatedSince`, only what changed. `PUT /v1/me/contexts/thumbnail` adds a picture.
            """,
            """
            Activities. Begin a new id for each attempt, and send the whole attempt again as it goes on: the greatest \
            `modifiedAt` wins, ranges add up, and sending twice does no harm. `sentAt` lets the server correct a wrong \
            clock. The answer is 202 whether or not the work was assigned; `refused` names activities that are \
            malformed. Do not send those again.
            """,
            """
            Retries. Keep what you send until it was answered. If there is no answer, or for 5xx, try again after \
            1, 2, 4 … seconds, up to 15 minutes, each a little longer at random. For 429, wait as long as \
            `Retry-After` says. For 413, send half. Any other 4xx stays the same however often you try. Work is \
            accepted for 30 days.
            """,
        ])
}
