import JSONBytes
import Testing

@testable import Pages

/// Tools on pages: the way into one, choosing content, and registering.
@Suite struct ToolsOnPages {
    private static let message: JSONValue = [
        "action": "https://quiz.example/launch?a=<b>", "idToken": "a.b.c", "state": "s <t>",
    ]

    private static let question =
        "/lti/authorize?client_id=x1&redirect_uri=https%3A%2F%2Fquiz.example%2Flaunch"
        + "&response_type=id_token&response_mode=form_post&scope=openid&prompt=none&nonce=n"
        + "&state=s&login_hint=l&lti_message_hint=m"

    private func student(_ answers: [String: FakeAPI.Answer]) -> Browser {
        let browser = Browser(FakeAPI(answers))
        browser.signIn()
        return browser
    }

    @Test func `a student gets to the tool's login`() async throws {
        let browser = student([
            "POST /v1/tool-launches": (
                201, ["id": "l1", "redirectTo": "https://quiz.example/login?iss=x"]
            )
        ])
        let page = try await browser.get("/open-tool/t7")
        #expect(page.status == 303)
        #expect(page.header("Location") == "https://quiz.example/login?iss=x")
        #expect(browser.api.body(of: "POST /v1/tool-launches") == ["taskId": "t7"])
    }

    /// Otherwise the tool's own public pages could learn which student reads them.
    @Test(
        arguments: [
            ("cross-site", false), ("same-site", false), ("same-origin", true), ("none", true),
        ], ["/open-tool/t7", "/handouts/h1/tools/begin/x1"])
    func `who was led here by another website is asked first`(
        from: (site: String, begins: Bool), address: String
    ) async throws {
        let browser = TeacherBrowser.make([
            "POST /v1/tool-launches": (201, ["redirectTo": "https://quiz.example/login"])
        ])
        let page = try await browser.get(address, [(name: "Sec-Fetch-Site", value: from.site)])
        #expect(browser.api.lines.contains("POST /v1/tool-launches") == from.begins)
        #expect(page.status == (from.begins ? 303 : 200))
        if !from.begins {
            #expect(page.text.contains("Another website wants to open a tool"))
            #expect(page.text.contains("href=\"\(address)\""))
        }
    }

    @Test func `the message is posted to the tool alone, without a token of ours`() async throws {
        let browser = student(["POST /v1/tool-launches/authorization": (200, Self.message)])
        let page = try await browser.get(Self.question)
        for text in [
            "action=\"https://quiz.example/launch?a=&lt;b&gt;\"",
            "name=\"id_token\" value=\"a.b.c\"",
            "name=\"state\" value=\"s &lt;t&gt;\"", "data-go",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        let form = page.text.ranges(of: "data-go").first.map { page.text[$0.lowerBound...] } ?? ""
        let end = form.ranges(of: "</form>").first.map { form[..<$0.lowerBound] } ?? ""
        #expect(!end.isEmpty && !end.contains(FormKey.field))
        let policy = page.header("Content-Security-Policy") ?? ""
        #expect(policy.hasSuffix("form-action 'self' https://quiz.example"))
        #expect(
            browser.api.body(of: "POST /v1/tool-launches/authorization") == [
                "clientId": "x1", "redirectUri": "https://quiz.example/launch",
                "responseType": "id_token", "responseMode": "form_post", "scope": "openid",
                "prompt": "none", "nonce": "n", "state": "s", "loginHint": "l", "messageHint": "m",
            ])
    }

    @Test func `a question as a form becomes an address, and a doubled one is wrong`() async throws
    {
        let browser = student(["POST /v1/tool-launches/authorization": (200, Self.message)])
        let sent = try await browser.post(
            "/lti/authorize", [("client_id", "x1"), ("nonce", "n n")], token: .some(nil))
        #expect(sent.status == 303)
        #expect(sent.header("Location") == "/lti/authorize?client_id=x1&nonce=n%20n")
        let doubled = try await browser.get("/lti/authorize?nonce=a&nonce=b")
        #expect(doubled.status == 400)
        #expect(!browser.api.lines.contains("POST /v1/tool-launches/authorization"))
    }

    @Test func `what cannot be opened is said in plain words`() async throws {
        for (answer, text) in [
            (FakeAPI.problem(409, "tool_launch_over"), "took too long"),
            (FakeAPI.problem(409, "tool_removed"), "no longer uses this tool"),
            (FakeAPI.problem(409, "tool_without_content"), "offers no content"),
            (FakeAPI.problem(422, "invalid_body"), "does not understand"),
        ] {
            let browser = student(["POST /v1/tool-launches/authorization": answer])
            let page = try await browser.get(Self.question)
            #expect(page.status == 400 && page.text.contains(text), "\(text)")
            #expect(page.text.contains("Go to the start page"))
        }
    }

    @Test func `a choice that could not be taken is said in plain words`() async throws {
        let browser = TeacherBrowser.make([:])
        for (why, text) in [
            ("tool_launch_over", "took too long"), ("deep_links_refused", "does not understand"),
            ("%3Cscript%3E", "does not understand"),
        ] {
            let page = try await browser.get("/lti/refused?why=\(why)")
            #expect(page.status == 400 && page.text.contains(text), "\(why)")
            #expect(!page.text.contains("<script>"))
        }
    }

    @Test func `a teacher adds what was chosen, or an address`() async throws {
        let browser = TeacherBrowser.make([
            "GET /v1/tools": (
                200,
                [
                    "items": [
                        ["id": "x1", "name": "Quiz <one>", "deepLinkingUrl": "https://q.example/"],
                        ["id": "x2", "name": "Plain", "deepLinkingUrl": .null],
                    ]
                ]
            ),
            "GET /v1/tool-launches/l1": (
                200,
                [
                    "id": "l1", "toolId": "x1", "handoutId": "h1", "answered": true,
                    "items": [["title": "Cells <b>", "url": "https://q.example/cells"]],
                ]
            ),
            "PATCH /v1/handouts/h1": (200, ["id": "h1"]),
        ])
        let page = try await browser.get("/handouts/h1/tools")
        #expect(page.text.contains("Quiz &lt;one&gt;") && page.text.contains(">Plain<"))
        #expect(page.text.contains("href=\"/handouts/h1/tools/begin/x1\""))
        #expect(!page.text.contains("/tools/begin/x2"))
        let added = try await browser.post(
            "/handouts/h1/tools", [("tool", "x2"), ("name", "Start"), ("url", "")])
        #expect(added.status == 303)
        let tasks = browser.api.body(of: "PATCH /v1/handouts/h1")?["tasks"]?.array
        #expect(tasks?.last == ["kind": "tool", "toolId": "x2", "title": "Start"])
        let chosen = try await browser.get("/handouts/h1/tools/l1")
        #expect(chosen.text.contains("Cells &lt;b&gt;"))
        let taken = try await browser.post("/handouts/h1/tools/l1")
        #expect(taken.header("Location") == "/handouts/h1/edit#tasks")
        let last = browser.api.body(of: "PATCH /v1/handouts/h1")?["tasks"]?.array?.last
        #expect(last?["toolId"] == "x1" && last?["title"] == "Cells <b>")
    }

    @Test func `a teacher opens the tool of a task, in the editor and from what was reported`()
        async throws
    {
        let task: JSONValue = [
            "id": "t5", "kind": "tool", "title": "Cells <b>", "toolId": "x1",
            "toolName": "Quiz <one>",
        ]
        let browser = TeacherBrowser.make([
            "GET /v1/handouts/h1": (200, TeacherBrowser.handout(tasks: [task])),
            "GET /v1/handouts/h1/tasks/t5/items": (
                200,
                [
                    "handout": ["title": "Fractions"], "task": ["title": "Cells <b>"],
                    "studentsWithData": 0, "items": [],
                ]
            ),
        ])
        let editor = try await browser.get("/handouts/h1/edit")
        #expect(editor.text.contains("href=\"/open-tool/t5\" target=\"_blank\""))
        #expect(editor.text.contains("Open in Quiz &lt;one&gt;, in a new window: Cells &lt;b&gt;"))
        let items = try await browser.get("/handouts/h1/tasks/t5/items")
        #expect(items.text.contains("href=\"/open-tool/t5\""))
        #expect(items.text.contains("Open in Quiz &lt;one&gt;"))
    }

    @Test func `a student reads what a tool reports, not what an app does`() async throws {
        func page(since: JSONValue) async throws -> String {
            let task: JSONValue = [
                "kind": "tool", "title": "Cells", "toolId": "x1", "toolName": "Quiz <one>",
            ]
            let browser = student([
                "GET /v1/me/handouts/h1": (
                    200,
                    [
                        "id": "h1", "title": "Biology", "classId": "c1", "className": "7A",
                        "assignments": [
                            ["id": "t5", "task": task, "recording": ["since": since]]
                        ],
                    ]
                ),
                "GET /v1/me/licences": (200, ["items": []]),
            ])
            return try await browser.get("/my-work/h1/tasks/t5").text
        }
        let recorded = try await page(since: "2026-11-13T07:00:00.000Z")
        #expect(recorded.contains("by <strong><bdi>Quiz &lt;one&gt;</bdi></strong>."))
        #expect(recorded.contains("It reports your score in this task"))
        #expect(recorded.contains("href=\"/open-tool/t5\"") && !recorded.contains("the app"))
        let unrecorded = try await page(since: .null)
        #expect(unrecorded.contains("do not see what you do in <bdi>Quiz &lt;one&gt;</bdi>"))
    }

    @Test func `what is wrong with a tool stands beside its field`() async throws {
        let refusal = FakeAPI.problem(
            422, "invalid_body",
            JSONObject([
                (
                    "errors",
                    [
                        ["pointer": "/redirectUris", "code": "wrong_count"],
                        ["pointer": "/launchUrl", "code": "invalid_url"],
                        ["pointer": "/locationId", "code": "unknown_reference"],
                    ]
                )
            ]))
        let browser = AdministratorsPages.browser(["POST /v1/tools": refusal])
        _ = try await browser.get("/tools/new")
        let page = try await browser.post(
            "/tools/new",
            [("name", "Quiz <one>"), ("location", "l9"), ("loginUrl", "quiz.example/login")])
        #expect(page.status == 422 && page.text.contains("value=\"Quiz &lt;one&gt;\""))
        for (field, text) in [
            ("redirectUris", "Enter one to ten addresses"), ("launchUrl", "Enter an address"),
            ("loginUrl", "Enter an address"), ("keySetUrl", "Enter an address"),
            ("location", "Choose one of your locations"),
        ] {
            #expect(page.text.contains("<a href=\"#\(field)\">\(text)"), "\(field)")
            #expect(page.text.contains("id=\"\(field)-problem\""), "\(field)")
        }
    }

    @Test func `an administrator registers a tool, and reads what the tool has to know`()
        async throws
    {
        let tool: JSONValue = [
            "id": "x1", "name": "Quiz", "clientId": "x1", "deploymentId": "d1",
            "loginUrl": "https://q.example/login", "launchUrl": "https://q.example/launch",
            "redirectUris": ["https://q.example/launch"], "keySetUrl": "https://q.example/keys",
            "deepLinkingUrl": .null, "keySet": .null, "locationId": "l2", "sharesNames": true,
            "sharesEmails": false,
        ]
        let browser = AdministratorsPages.browser(
            [
                "GET /v1/tools": (200, ["items": [tool]]), "POST /v1/tools": (201, tool),
                "GET /v1/tools/x1": (200, tool), "PATCH /v1/tools/x1": (200, tool),
                "DELETE /v1/tools/x1": (204, .null),
            ], site: "https://school.example")
        let list = try await browser.get("/tools")
        #expect(list.text.contains("href=\"/tools/x1\""))
        _ = try await browser.get("/tools/new")
        let made = try await browser.post(
            "/tools/new",
            [
                ("name", " Quiz "), ("loginUrl", "https://q.example/login"),
                ("launchUrl", "https://q.example/launch"), ("deepLinkingUrl", ""),
                ("keySetUrl", "https://q.example/keys"),
                ("redirectUris", "https://q.example/a\r\nhttps://q.example/b"), ("location", ""),
                ("share", "sharesNames"),
            ])
        #expect(made.header("Location") == "/tools/x1")
        #expect(
            browser.api.body(of: "POST /v1/tools")?["redirectUris"] == [
                "https://q.example/a", "https://q.example/b",
            ])
        let page = try await browser.get("/tools/x1")
        for text in [
            "https://school.example/lti/authorize", "https://school.example/lti/token",
            "https://school.example/lti/jwks", "d1", "value=\"sharesNames\" checked",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        let saved = try await browser.post(
            "/tools/x1", [("name", "Quiz"), ("location", ""), ("deepLinkingUrl", "")])
        #expect(saved.status == 303)
        let body = browser.api.body(of: "PATCH /v1/tools/x1")
        #expect(body?["locationId"] == .null && body?["sharesNames"] == false)
        _ = try await browser.get("/tools/x1/removal")
        #expect(try await browser.post("/tools/x1/removal").status == 303)
        #expect(browser.api.lines.contains("DELETE /v1/tools/x1"))
    }
}
