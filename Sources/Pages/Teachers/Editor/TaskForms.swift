import JSONBytes

enum TaskText: String, TextKey {
    case linkTitle, linkIntro, url, urlHint, linkName
    case timeTitle, timeIntro, app, minutes, minutesHint
    case add, noApps
    case errorsTitle, errorURL, errorName, errorApp, errorMinutes, errorFull
    case noticeAdded

    static let section = "task"
}

/// `/handouts/{id}/link` and `/handouts/{id}/time`: adds a link, or time in an app, to a handout.
enum TaskForms: Screen {
    static var pages: [Page] {
        [
            .get("/handouts/{id}/link", for: .teacher) { visit in
                let handout = try await EditedHandout.load(visit["id"], visit.api)
                return .view(linkView(handout, .none, .none, visit))
            },
            .post("/handouts/{id}/link", for: .teacher, addLink),
            .get("/handouts/{id}/time", for: .teacher) { visit in
                async let handout = EditedHandout.load(visit["id"], visit.api)
                async let apps = CatalogEntry.apps(visit.api)
                return .view(try await timeView(handout, apps, .none, .none, visit))
            },
            .post("/handouts/{id}/time", for: .teacher, addTime),
        ]
    }

    private static func addLink(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let handout = try await EditedHandout.load(visit["id"], visit.api)
        let (url, name) = (form["url"].trimmedSpace, form["name"].trimmedSpace)
        var problems = FormProblems.none
        if url.isEmpty { problems.add("url", texts(TaskText.errorURL)) }
        if name.isEmpty { problems.add("name", texts(TaskText.errorName)) }
        if problems.isEmpty {
            problems = try await add(
                ["kind": "link", "url": .text(url), "title": .text(name)], to: handout, visit)
        }
        guard problems.isEmpty else {
            return .view(linkView(handout, form, problems, visit).refused())
        }
        return done(handout)
    }

    private static func addTime(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        async let loaded = EditedHandout.load(visit["id"], visit.api)
        async let apps = CatalogEntry.apps(visit.api)
        let handout = try await loaded
        var task: JSONObject = JSONObject([
            ("kind", "wholeApp"), ("bundleId", .text(form["app"])),
        ])
        var problems = FormProblems.none
        if form["app"].isEmpty { problems.add("app", texts(TaskText.errorApp)) }
        let typed = form["minutes"].trimmedSpace
        if !typed.isEmpty {
            task["kind"] = "timedApp"
            let minutes = Int64(typed) ?? 0
            task["minutes"] = .number(JSONNumber(minutes))
            if minutes < 1 { problems.add("minutes", texts(TaskText.errorMinutes)) }
        }
        if problems.isEmpty { problems = try await add(.object(task), to: handout, visit) }
        guard problems.isEmpty else {
            return .view(timeView(handout, try await apps, form, problems, visit).refused())
        }
        return done(handout)
    }

    private static func done(_ handout: EditedHandout) -> Answer {
        .redirect("/handouts/\(handout.id)/edit#tasks", notice: Notice(TaskText.noticeAdded))
    }

    /// What the API says against the task; nothing if it is added.
    private static func add(
        _ task: JSONValue, to handout: EditedHandout, _ visit: Visit
    ) async throws -> FormProblems {
        let texts = visit.texts
        var problems = FormProblems.none
        do {
            try await handout.adding(task, visit.api)
        } catch let refusal as Refusal where refusal.isForForm {
            for (ending, field, key) in [
                ("/url", "url", TaskText.errorURL), ("/title", "name", .errorName),
                ("/bundleId", "app", .errorApp), ("/minutes", "minutes", .errorMinutes),
                ("/tasks", "task", .errorFull),
            ] where refusal.fields.keys.contains(where: { $0.hasSuffix(ending) }) {
                problems.add(field, texts(key))
            }
            if problems.isEmpty { problems.add("task", TeachingText.sentence(refusal, texts)) }
        }
        return problems
    }

    // MARK: The pages

    private static func linkView(
        _ handout: EditedHandout, _ form: Form, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return page(.linkTitle, .linkIntro, handout, problems, visit) {
            field(
                "url", label: texts(TaskText.url), hint: texts(TaskText.urlHint),
                problem: problems["url"], .type("url"), .value(form["url"]),
                Attribute("maxlength", "2048"))
            field(
                "name", label: texts(TaskText.linkName), problem: problems["name"],
                .value(form["name"]), Attribute("maxlength", "256"), .dirAuto)
        }
    }

    private static func timeView(
        _ handout: EditedHandout, _ apps: [CatalogEntry], _ form: Form, _ problems: FormProblems,
        _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return page(.timeTitle, .timeIntro, handout, problems, visit, canAdd: !apps.isEmpty) {
            if apps.isEmpty {
                p { texts(TaskText.noApps) }
            } else {
                div(.class("field")) {
                    label(.for("app")) { texts(TaskText.app) }
                    selectTag(.class("input"), .id("app"), .name("app")) {
                        for app in apps {
                            option(
                                .value(app.bundleID), .selected(app.bundleID == form["app"]),
                                .dirAuto
                            ) { app.title }
                        }
                    }
                }
                field(
                    "minutes", label: texts(TaskText.minutes),
                    hint: texts(TaskText.minutesHint), problem: problems["minutes"],
                    style: "input input-short", .type("number"), Attribute("min", "1"),
                    Attribute("max", "1440"),
                    .value(form.has("minutes") ? form["minutes"] : "10"))
            }
        }
    }

    private static func page(
        _ title: TaskText, _ intro: TaskText, _ handout: EditedHandout, _ problems: FormProblems,
        _ visit: Visit, canAdd: Bool = true, @HTMLBuilder fields: () -> [HTML]
    ) -> View {
        let texts = visit.texts
        let title = texts(title)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                crumbs([("/handouts/\(handout.id)/edit", handout.summary.title)], texts)
                heading(title, below: .text(texts(intro)))
            }
            problems.summary(texts(TaskText.errorsTitle))
            postForm(visit, visit.address.withoutQuery, .class("card reading"), .id("task")) {
                parts(fields)
                div(.class("row")) {
                    if canAdd {
                        button(.class("button button-main"), .type("submit")) {
                            texts(TaskText.add)
                        }
                    }
                    a(.class("button button-plain"), .href("/handouts/\(handout.id)/edit#tasks")) {
                        texts(TeachingText.cancel)
                    }
                }
            }
        }
    }
}
