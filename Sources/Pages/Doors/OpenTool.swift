import HTTPServer
import HTTPWire
import JSONBytes

enum OpenToolText: String, TextKey {
    case title, explanation, go, elsewhere, errorTitle, again, wrong, removed, unoffered

    static let section = "openTool"
}

/// The way into a tool (LTI 1.3): `/open-tool/{task}` begins it, the tool sends the browser back to `/lti/authorize`,
/// and that page posts a message to the tool.
enum OpenTool: Screen {
    static var pages: [Page] {
        [
            .get("/open-tool/{task}", for: .person) { visit in
                try await begin(["taskId": .text(visit["task"])], visit)
            },
            .get("/lti/authorize", for: .person) { visit in
                try await explaining(visit) {
                    guard let request = ToolRequest(visit.request.query) else {
                        return .view(errorView(.wrong, nil, visit))
                    }
                    let message = try await visit.api.post(
                        "/v1/tool-launches/authorization", request.body)
                    return .view(view(message, request, visit))
                }
            },
            // Where a teacher comes to whose choice in a tool could not be taken.
            .get("/lti/refused", for: .person) { visit in
                let isOver = ["tool_launch_over", "busy"].contains(visit.query("why"))
                return .view(errorView(isOver ? .again : .wrong, nil, visit))
            },
            .post("/lti/authorize", for: .person) { _, visit in
                .redirect(visit.address)
            }
            // Tools may send their question as a form, too. Its fields then become the address, to which the browser
            // sends the cookie of the session.
            .showing(ToolRequest.address),
        ]
    }

    /// What a tool asks for in the query of `/lti/authorize`. The API judges it.
    struct ToolRequest: Sendable {
        private static let names: [(StaticString, String)] = [
            ("client_id", "clientId"), ("redirect_uri", "redirectUri"),
            ("response_type", "responseType"), ("response_mode", "responseMode"),
            ("scope", "scope"), ("prompt", "prompt"), ("nonce", "nonce"), ("state", "state"),
            ("login_hint", "loginHint"), ("lti_message_hint", "messageHint"),
        ]

        /// The body of the call about it.
        let body: JSONValue
        /// Where the message goes, as sources of a content security policy.
        let formTargets: [String]

        /// `nil` if a parameter is there twice, so that nobody knows which one counts (RFC 6749 section 3.1).
        init?(_ query: Query) {
            var members = JSONObject()
            for (name, field) in Self.names {
                let values = query.all("\(name)")
                guard values.count <= 1 else { return nil }
                if let value = values.first {
                    members[field] = .text(value)
                } else if field != "state" {
                    members[field] = ""
                }
            }
            body = .object(members)
            formTargets = AuthorizationRequest(query)?.formTargets ?? []
        }

        /// The page of a question that came as a form. What is too long for an address is left out, so that the page
        /// says that something is wrong.
        static func address(of form: Form) -> LocalPath {
            var address: LocalPath = "/lti/authorize"
            for (name, _) in names {
                for value in form.all("\(name)") { address = address.with(name, value) }
            }
            return address.text.utf8.count <= 8_192 ? address : "/lti/authorize"
        }
    }

    /// Begins a launch and leads to the tool. A link on another website would tell the tool who follows it, so the
    /// person is asked first.
    static func begin(_ launch: JSONValue, _ visit: Visit) async throws -> Answer {
        guard !isLedByOthers(visit.request) else { return .view(question(visit)) }
        return try await explaining(visit) {
            let begun = try await visit.api.post("/v1/tool-launches", launch)
            return leave(to: begun["redirectTo"]?.text ?? "/")
        }
    }

    /// To the tool, at an address that an administrator registered.
    private static func leave(to address: String) -> Answer {
        .response(
            HTTPResponse(
                status: 303,
                headers: [
                    ResponseField("Location", address), ResponseField("Cache-Control", "no-store"),
                    ResponseField("Referrer-Policy", "no-referrer"),
                ]))
    }

    /// Says in plain words what the API refuses.
    private static func explaining(
        _ visit: Visit, _ body: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await body()
        } catch let refusal as Refusal {
            switch (refusal.status, refusal.code) {
            case (409, "tool_removed"): return .view(errorView(.removed, nil, visit))
            case (409, "tool_without_content"): return .view(errorView(.unoffered, nil, visit))
            case (409, _): return .view(errorView(.again, nil, visit))
            case (422, _): return .view(errorView(.wrong, refusal.detail, visit))
            default: throw refusal
            }
        }
    }

    // MARK: What one sees

    /// The form that takes the message to the tool. It carries no token of ours: that must not leave this server.
    private static func view(
        _ message: JSONValue, _ request: ToolRequest, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        var view = View(texts(OpenToolText.title), .narrow) {
            div(.class("stack")) {
                h1 { texts(OpenToolText.title) }
                p { texts(OpenToolText.explanation) }
                Tag("form")(
                    Attribute("method", "post"),
                    Attribute("action", message["action"]?.text ?? "/"), Attribute("data-go")
                ) {
                    input(
                        .type("hidden"), .name("id_token"),
                        .value(message["idToken"]?.text ?? ""))
                    if let state = message["state"]?.text {
                        input(.type("hidden"), .name("state"), .value(state))
                    }
                    button(.class("button button-main button-wide"), .type("submit")) {
                        texts(OpenToolText.go)
                    }
                }
            }
        }
        view.formTargets = request.formTargets
        return view
    }

    private static func question(_ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(OpenToolText.title), .narrow) {
            div(.class("stack")) {
                h1 { texts(OpenToolText.title) }
                p { texts(OpenToolText.elsewhere) }
                p {
                    a(.class("button button-main button-wide"), .href(visit.address)) {
                        texts(OpenToolText.go)
                    }
                }
                p { a(.href("/")) { texts(ErrorText.home) } }
            }
        }
    }

    private static func errorView(
        _ text: OpenToolText, _ detail: String?, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return View(texts(OpenToolText.errorTitle), .narrow) {
            div(.class("stack")) {
                h1 { texts(OpenToolText.errorTitle) }
                p { texts(text) }
                if let detail { p(.class("soft"), .lang("en")) { detail } }
                p { a(.href("/")) { texts(ErrorText.home) } }
            }
        }.refused(400)
    }
}
