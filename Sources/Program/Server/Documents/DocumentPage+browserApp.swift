import CEmbedded

/// The guide for apps that are pages in a browser.
extension DocumentPage {
    static let browserApp = Guide(
        id: "browser-app", title: "A quiz in the browser, from sign-in to report",
        parts: [
            """
            An app may be a page. This one is *Quizzler in the browser* of the demonstration school, word for word: \
            `deploy/quickstart` serves it on an origin of its own, beside the school. Open the report of the handout \
            *Ten sums* as Rosa, be Mira in a second window, and each answer arrives in the report while you look. The \
            strip on every page of the demonstration leads through it.
            """,
            code(quizzler_html), code(quizzler_js),
            """
            Put your own bundle id in place of `CLIENT` and the address of the school in place of `SCHOOL`. The \
            bundle id is the `client_id`, and there is no secret: `state` ties the answer to the tab that asked, `iss` \
            to the school, and the code verifier ties the code to this page. What waits to be sent is kept in the tab, \
            and belongs to one `subject`.
            """,
            """
            The operator lists the origin of your page in `HOMEROOM_CORS_ORIGINS`. An app's addresses for the way back \
            are those of the person's own machine; a page that is served from elsewhere is registered as a connected \
            system, which signs people in and reports nothing, or is a tool (LTI), which reports from its own server.
            """,
        ])
}
