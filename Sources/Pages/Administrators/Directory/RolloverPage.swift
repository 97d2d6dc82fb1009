import JSONBytes
import Values

enum RolloverText: String, TextKey {
    case title, intro, next, noNext, copies, none, empty, withTeachers, withStudents
    case grades, gradesHint, preview, errorTitle, errorGrade, errorTerm, errorClosed
    case planTitle, archive, copy, seats, moveUp, leave, changes, who, what
    case archived, copied, moves, leaves, more, does, run, changed, notice, link

    static let section = "rollover"
}

/// `/school/terms/{id}/rollover`: what changing to the next term would do, and a button that does it.
enum RolloverPage: Screen {
    static var pages: [Page] {
        [
            .get("/school/terms/{id}/rollover", for: .administrator, show),
            .post("/school/terms/{id}/rollover", for: .administrator, rollOver),
        ]
    }

    /// What the form asks for.
    struct Wish: Sendable {
        var next = ""
        var copies = "none"
        /// As they were typed: `3 = 4` in a line, and `10 =` for those who leave.
        var grades = ""

        /// The body of the call; `nil` if a line of the grades is not understood.
        var body: JSONObject? {
            var steps: [JSONValue] = []
            for line in grades.split(whereSeparator: \.isNewline) {
                let parts = line.split(separator: "=", omittingEmptySubsequences: false)
                    .map { String($0).trimmedSpace }
                if parts.count == 1, parts[0].isEmpty { continue }
                guard parts.count == 2, !parts[0].isEmpty else { return nil }
                steps.append(
                    [
                        "from": .text(parts[0]),
                        "to": parts[1].isEmpty ? .null : .text(parts[1]),
                    ])
            }
            var members: [(String, JSONValue)] = [
                ("copyClasses", .text(copies)), ("grades", .array(steps)),
            ]
            if !next.isEmpty { members.append(("nextTermId", .text(next))) }
            return JSONObject(members)
        }
    }

    private static let copies: [(word: String, text: RolloverText)] = [
        ("none", .none), ("empty", .empty), ("withTeachers", .withTeachers),
        ("withStudents", .withStudents),
    ]

    // MARK: Asking

    private static func show(_ visit: Visit) async throws -> Answer {
        guard let copies = visit.query("copies") else {
            return .view(try await page(Wish(), nil, .none, visit))
        }
        let wish = Wish(
            next: visit.query("next") ?? "", copies: copies, grades: visit.query("grades") ?? "")
        return .view(try await preview(wish, .none, visit))
    }

    /// The form with the plan below it, or with what is wrong.
    private static func preview(
        _ wish: Wish, _ known: FormProblems, _ visit: Visit
    ) async throws -> View {
        let texts = visit.texts
        var problems = known
        guard let body = wish.body else {
            problems.add("grades", texts(RolloverText.errorGrade))
            return try await page(wish, nil, problems, visit).refused(422)
        }
        do {
            let plan = try await visit.api.post(
                LocalPath("/v1/terms/\(visit["id"])/rollover/preview").with("limit", "200"),
                .object(body))
            return try await page(wish, plan, problems, visit)
        } catch let refusal as Refusal where [409, 422].contains(refusal.status) {
            let field = refusal.fields.keys.sorted().first ?? ""
            if field.hasPrefix("/grades") {
                problems.add("grades", texts(RolloverText.errorGrade))
            } else {
                let text: RolloverText = refusal.status == 409 ? .errorClosed : .errorTerm
                problems.add("next", texts(text))
            }
            return try await page(wish, nil, problems, visit).refused(refusal)
        }
    }

    private static func rollOver(_ form: Form, _ visit: Visit) async throws -> Answer {
        let wish = Wish(next: form["next"], copies: form["copies"], grades: form["grades"])
        guard var body = wish.body else { return .view(try await preview(wish, .none, visit)) }
        body["revision"] = .text(form["revision"])
        do {
            try await visit.api.post("/v1/terms/\(visit["id"])/rollover", .object(body))
        } catch let refusal as Refusal where [409, 422].contains(refusal.status) {
            var problems = FormProblems.none
            if refusal.code == "rollover_changed" {
                problems.add("plan", visit.texts(RolloverText.changed))
            }
            return .view(try await preview(wish, problems, visit).refused(409))
        }
        return .redirect("/school/terms", notice: Notice(RolloverText.notice))
    }

    // MARK: The page

    private static func page(
        _ wish: Wish, _ plan: JSONValue?, _ problems: FormProblems, _ visit: Visit
    ) async throws -> View {
        async let term = visit.api.get("/v1/terms/\(visit["id"])")
        async let open = Console.all("/v1/terms?status=open", visit.api)
        let texts = visit.texts
        let name = try await term["name"]?.text ?? ""
        let terms = try await open.compactMap { item -> (value: String, text: String)? in
            guard let id = item["id"]?.text, id != visit["id"], let name = item["name"]?.text
            else { return nil }
            return (id, name)
        }
        let title = texts(RolloverText.title, ["name": name])
        return View(title) {
            Console.crumbs(texts, [("/school/terms", .text(texts(TermText.title)))])
            problems.summary(texts(RolloverText.errorTitle))
            heading(title, below: .text(texts(RolloverText.intro)))
            form(wish, terms, problems, visit)
            if let plan { self.plan(plan, wish, visit) }
        }
    }

    private static func form(
        _ wish: Wish, _ terms: [(value: String, text: String)], _ problems: FormProblems,
        _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return getForm("/school/terms/\(visit["id"])/rollover", .class("card reading stack")) {
            Console.choice(
                "next", label: texts(RolloverText.next),
                [("", texts(RolloverText.noNext))] + terms, chosen: wish.next,
                problem: problems["next"])
            Console.choice(
                "copies", label: texts(RolloverText.copies),
                copies.map { ($0.word, texts($0.text)) }, chosen: wish.copies)
            grades(wish.grades, problems["grades"], texts)
            p {
                button(.class("button button-main"), .type("submit")) {
                    texts(RolloverText.preview)
                }
            }
        }
    }

    private static func grades(_ value: String, _ problem: String?, _ texts: Texts) -> HTML {
        div(.class(problem == nil ? "field" : "field field-bad")) {
            label(.for("grades")) { texts(RolloverText.grades) }
            p(.class("hint"), .id("grades-hint")) { texts(RolloverText.gradesHint) }
            if let problem {
                p(.class("problem"), .id("grades-problem")) {
                    Icon.warn.html
                    problem
                }
            }
            textarea(
                .class("input"), .id("grades"), .name("grades"), Attribute("rows", "6"),
                .describedBy(problem == nil ? "grades-hint" : "grades-hint grades-problem"),
                Attribute("aria-invalid", problem == nil ? nil : "true")
            ) { value }
        }
    }

    // MARK: The plan

    private static func plan(_ plan: JSONValue, _ wish: Wish, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let counts = plan["counts"]
        let items = plan["items"]?.array ?? []
        let facts: [(RolloverText, String)] = [
            (.archive, "classesArchived"), (.copy, "classesCopied"), (.seats, "seatsCopied"),
            (.moveUp, "studentsMovedUp"), (.leave, "studentsLeaving"),
        ]
        return section(.labelledBy("plan"), .class("stack")) {
            h2(.id("plan")) { texts(RolloverText.planTitle) }
            dl(.class("card facts reading")) {
                for (text, name) in facts {
                    Console.fact(texts(text), .text("\(counts?[name]?.int64 ?? 0)"))
                }
            }
            if !items.isEmpty {
                Console.table(
                    texts(RolloverText.changes),
                    head: [
                        Console.column(texts(RolloverText.who)),
                        Console.column(texts(RolloverText.what)),
                    ]
                ) { for item in items { row(item, texts) } }
            }
            if plan["nextPageToken"]?.text != nil {
                p(.class("soft")) { texts(RolloverText.more, ["n": "\(items.count)"]) }
            }
            run(plan["revision"]?.text ?? "", wish, visit)
        }
    }

    private static func run(_ revision: String, _ wish: Wish, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let hidden = [
            ("next", wish.next), ("copies", wish.copies), ("grades", wish.grades),
            ("revision", revision),
        ]
        return postForm(
            visit, "/school/terms/\(visit["id"])/rollover", .class("card reading stack")
        ) {
            p { texts(RolloverText.does) }
            for (name, value) in hidden {
                input(.type("hidden"), .name(name), .value(value))
            }
            div(.class("row")) {
                button(.class("button button-risk"), .type("submit")) { texts(RolloverText.run) }
                a(.class("button"), .href("/school/terms")) { texts(ConsoleText.cancel) }
            }
        }
    }

    private static func row(_ item: JSONValue, _ texts: Texts) -> HTML {
        let name = item["name"]?.text ?? FullName(item)?.text ?? ""
        return tr {
            th(.scope("row")) { written(name) }
            td { what(item, texts) }
        }
    }

    private static func what(_ item: JSONValue, _ texts: Texts) -> String {
        switch item["change"]?.text {
        case "archiveClass": texts(RolloverText.archived)
        case "copyClass":
            texts(
                RolloverText.copied,
                [
                    "teachers": "\(item["teachers"]?.int64 ?? 0)",
                    "students": "\(item["students"]?.int64 ?? 0)",
                ])
        case "moveUp":
            texts(
                RolloverText.moves,
                [
                    "from": item["fromGrade"]?.text ?? "", "to": item["toGrade"]?.text ?? "",
                ])
        default: texts(RolloverText.leaves, ["from": item["fromGrade"]?.text ?? ""])
        }
    }
}
