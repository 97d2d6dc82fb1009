import JSONBytes

enum ToolTaskText: String, TextKey {
    case title, intro, none, noneAdvice, choose, orAddress, tool, name, url, urlHint, add
    case open, openNew
    case chosenTitle, chosenNone, chosenWaiting, addChosen
    case errorsTitle, errorName, errorURL, errorTool, errorFull
    case noticeAdded

    static let section = "toolTask"
}

/// `/handouts/{id}/tools`: adds tasks in a tool, by choosing them there (LTI Deep Linking 2.0) or by their address.
enum ToolTasks: Screen {
    static var pages: [Page] {
        [
            .get("/handouts/{id}/tools", for: .teacher) { visit in
                async let handout = EditedHandout.load(visit["id"], visit.api)
                async let tools = Console.all("/v1/tools", visit.api)
                return .view(try await view(handout, tools, .none, .none, visit))
            },
            .post("/handouts/{id}/tools", for: .teacher, addByAddress),
            .get("/handouts/{id}/tools/begin/{tool}", for: .teacher) { visit in
                try await OpenTool.begin(
                    ["toolId": .text(visit["tool"]), "handoutId": .text(visit["id"])], visit)
            },
            .get("/handouts/{id}/tools/{launch}", for: .teacher) { visit in
                async let handout = EditedHandout.load(visit["id"], visit.api)
                async let chosen = visit.api.get("/v1/tool-launches/\(visit["launch"])")
                return .view(try await chosenView(handout, chosen, .none, visit))
            },
            .post("/handouts/{id}/tools/{launch}", for: .teacher, addChosen),
        ]
    }

    // MARK: Adding

    private static func addByAddress(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let handout = try await EditedHandout.load(visit["id"], visit.api)
        let (name, url) = (form["name"].trimmedSpace, form["url"].trimmedSpace)
        var task = JSONObject([
            ("kind", "tool"), ("toolId", .text(form["tool"])), ("title", .text(name)),
        ])
        if !url.isEmpty { task["url"] = .text(url) }
        var problems = FormProblems.none
        if name.isEmpty { problems.add("name", texts(ToolTaskText.errorName)) }
        if problems.isEmpty { problems = try await add([.object(task)], to: handout, visit) }
        guard problems.isEmpty else {
            let tools = try await Console.all("/v1/tools", visit.api)
            return .view(view(handout, tools, form, problems, visit).refused())
        }
        return done(handout)
    }

    private static func addChosen(_ form: Form, _ visit: Visit) async throws -> Answer {
        let handout = try await EditedHandout.load(visit["id"], visit.api)
        let chosen = try await visit.api.get("/v1/tool-launches/\(visit["launch"])")
        let tasks = (chosen["items"]?.array ?? []).map { item in
            var task = item.object ?? JSONObject()
            task["kind"] = "tool"
            task["toolId"] = chosen["toolId"]
            return JSONValue.object(task)
        }
        let problems = try await add(tasks, to: handout, visit)
        guard problems.isEmpty else {
            return .view(chosenView(handout, chosen, problems, visit).refused())
        }
        return done(handout)
    }

    private static func done(_ handout: EditedHandout) -> Answer {
        .redirect("/handouts/\(handout.id)/edit#tasks", notice: Notice(ToolTaskText.noticeAdded))
    }

    /// What the API says against the tasks; nothing if they are added.
    private static func add(
        _ tasks: [JSONValue], to handout: EditedHandout, _ visit: Visit
    ) async throws -> FormProblems {
        let texts = visit.texts
        var problems = FormProblems.none
        do {
            try await handout.adding(tasks, visit.api)
        } catch let refusal as Refusal where refusal.isForForm {
            for (ending, field, key) in [
                ("/url", "url", ToolTaskText.errorURL), ("/title", "name", .errorName),
                ("/toolId", "tool", .errorTool), ("/tasks", "task", .errorFull),
            ] where refusal.fields.keys.contains(where: { $0.hasSuffix(ending) }) {
                problems.add(field, texts(key))
            }
            if problems.isEmpty { problems.add("task", TeachingText.sentence(refusal, texts)) }
        }
        return problems
    }

    // MARK: The pages

    private static func view(
        _ handout: EditedHandout, _ tools: [JSONValue], _ form: Form, _ problems: FormProblems,
        _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return page(handout, problems, visit) {
            if tools.isEmpty {
                emptyBox(texts(ToolTaskText.none), texts(ToolTaskText.noneAdvice))
            } else {
                let offering = tools.filter { $0["deepLinkingUrl"]?.text != nil }
                if !offering.isEmpty {
                    ul(.class("list list-boxed list-wraps"), .label(texts(ToolTaskText.title))) {
                        for tool in offering { li { row(tool, handout, texts) } }
                    }
                }
                postForm(visit, "/handouts/\(handout.id)/tools", .class("card reading")) {
                    h2 { texts(ToolTaskText.orAddress) }
                    Console.choice(
                        "tool", label: texts(ToolTaskText.tool),
                        tools.map { (value: $0["id"]?.text ?? "", text: $0["name"]?.text ?? "") },
                        chosen: form["tool"], problem: problems["tool"])
                    field(
                        "name", label: texts(ToolTaskText.name), problem: problems["name"],
                        .value(form["name"]), Attribute("maxlength", "256"), .dirAuto)
                    field(
                        "url", label: texts(ToolTaskText.url), hint: texts(ToolTaskText.urlHint),
                        problem: problems["url"], .type("url"), .value(form["url"]),
                        Attribute("maxlength", "1000"))
                    button(.class("button"), .type("submit")) { texts(ToolTaskText.add) }
                }
            }
        }
    }

    @HTMLBuilder
    private static func row(
        _ tool: JSONValue, _ handout: EditedHandout, _ texts: Texts
    ) -> [HTML] {
        let name = tool["name"]?.text ?? ""
        let choose = texts(ToolTaskText.choose)
        div(.class("grow")) { p(.class("strong")) { written(name) } }
        div(.class("wrap-end")) {
            a(
                .class("button"),
                .href("/handouts/\(handout.id)/tools/begin/\(tool["id"]?.text ?? "")"),
                .label(texts(MyHandoutText.about, ["action": choose, "task": name]))
            ) {
                Icon.out.html
                choose
            }
        }
    }

    private static func chosenView(
        _ handout: EditedHandout, _ chosen: JSONValue, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let items = chosen["items"]?.array ?? []
        let isAnswered = chosen["answered"]?.bool == true
        return page(handout, problems, visit) {
            if items.isEmpty {
                emptyBox(texts(isAnswered ? ToolTaskText.chosenNone : .chosenWaiting))
                p {
                    a(.class("button"), .href("/handouts/\(handout.id)/tools")) {
                        texts(ToolTaskText.title)
                    }
                }
            } else {
                section(.class("card reading")) {
                    h2 { texts(ToolTaskText.chosenTitle) }
                    ul { for item in items { li(.dirAuto) { item["title"]?.text ?? "" } } }
                    postForm(visit, visit.address.withoutQuery) {
                        button(.class("button button-main"), .type("submit")) {
                            texts(ToolTaskText.addChosen)
                        }
                    }
                }
            }
        }
    }

    private static func page(
        _ handout: EditedHandout, _ problems: FormProblems, _ visit: Visit,
        @HTMLBuilder content: () -> [HTML]
    ) -> View {
        let texts = visit.texts
        let title = texts(ToolTaskText.title)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                crumbs([("/handouts/\(handout.id)/edit", handout.summary.title)], texts)
                heading(title, below: .text(texts(ToolTaskText.intro)))
            }
            problems.summary(texts(ToolTaskText.errorsTitle))
            parts(content)
        }
    }
}
