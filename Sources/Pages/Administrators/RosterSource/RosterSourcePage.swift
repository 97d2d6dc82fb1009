import Contract
import JSONBytes
import Values

enum RosterSourceText: String, TextKey {
    case title, intro, link, linkHint
    case url, urlHint, tokenURL, tokenURLHint, clientID, secret, secretHint, secretKept
    case pullTime, pullTimeHint, enabled, settings, save
    case errorTitle, errorURL, errorTokenURL, errorSecret, errorTime
    case state, works, untried, failing, off, waiting, running
    case next, last, never, since, brought, broughtNothing, details
    case pull, remove, removeTitle, removeDoes
    case noticeSaved, noticeOrdered, noticeRemoved

    static let section = "rosterSource"
}

/// Why a pull brought nothing. The keys are the API's codes.
enum RosterFailureText: String, TextKey {
    case unreachable
    case addressRefused = "address_refused"
    case refused, busy
    case unexpectedAnswer = "unexpected_answer"
    case tooLarge = "too_large"
    case changing
    case secretLost = "secret_lost"
    case interrupted
    case queueFull = "queue_full"
    case internalError = "internal_error"

    static let section = "rosterFailure"
}

/// `/roster-source`: the OneRoster provider from which people and classes are pulled every night.
enum RosterSourcePage: Screen {
    static let path: LocalPath = "/roster-source"
    private static let call: LocalPath = "/v1/roster-source"

    static var pages: [Page] {
        [
            .show(path.text, for: .administrator) { visit in
                try await load(visit)
            } render: { source, visit in
                view(
                    source, source.map { RosterSourceForm($0) } ?? RosterSourceForm(), .none, visit)
            },
            .post(path.text, for: .administrator, save)
                .changing(.setting("rosterSourceChange", byID: false, comparesFirst: true)),
            .post("/roster-source/pull", for: .administrator) { _, visit in
                try await visit.api.post("/v1/roster-source/pull")
                return .redirect(path, notice: Notice(RosterSourceText.noticeOrdered))
            },
            .get("/roster-source/removal", for: .administrator) { visit in
                let texts = visit.texts
                return .view(
                    Console.confirmation(
                        visit, title: texts(RosterSourceText.removeTitle),
                        does: texts(RosterSourceText.removeDoes),
                        button: texts(RosterSourceText.remove),
                        to: "/roster-source/removal", back: path))
            },
            .post("/roster-source/removal", for: .administrator) { _, visit in
                try await visit.api.delete(call)
                return .redirect(path, notice: Notice(RosterSourceText.noticeRemoved))
            },
        ]
    }

    /// `nil` if no source is set.
    private static func load(_ visit: Visit) async throws -> JSONValue? {
        do {
            return try await visit.api.get(call)
        } catch let refusal as Refusal where refusal.status == 404 {
            return nil
        }
    }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = RosterSourceForm(form)
        do {
            try await visit.api.put(call, sent.body)
            return .redirect(path, notice: Notice(RosterSourceText.noticeSaved))
        } catch let refusal as Refusal where refusal.status == 422 {
            let problems = try sent.problems(refusal, visit.texts)
            return .view(view(try await load(visit), sent, problems, visit).refused())
        }
    }

    // MARK: The page

    private static func view(
        _ source: JSONValue?, _ form: RosterSourceForm, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(RosterSourceText.title)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                Console.crumbs(texts, [("/imports", .text(texts(ImportsText.title)))])
                heading(title, below: .text(texts(RosterSourceText.intro)))
            }
            problems.summary(texts(RosterSourceText.errorTitle))
            div(.class("two")) {
                if let source { div(.class("stack")) { state(source, visit) } }
                div(.class("stack")) {
                    editForm(visit, path, version: "", .class("card")) {
                        h2 { texts(RosterSourceText.settings) }
                        form.fields(isKept: source != nil, problems, texts)
                        button(.class("button button-main"), .type("submit")) {
                            texts(RosterSourceText.save)
                        }
                    }
                    if source != nil {
                        p {
                            a(.class("button button-risk"), .href("/roster-source/removal")) {
                                texts(RosterSourceText.remove)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func state(_ source: JSONValue, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card")) {
            div(.class("row row-apart")) {
                h2 { texts(RosterSourceText.state) }
                mark(source, texts)
            }
            failure(source, visit)
            dl(.class("facts")) {
                Console.fact(
                    texts(RosterSourceText.last),
                    .text(
                        moment(source["finishedAt"]).map { visit.moment($0) }
                            ?? texts(RosterSourceText.never)))
                if let next = moment(source["nextPullAt"]) {
                    Console.fact(texts(RosterSourceText.next), .text(visit.moment(next)))
                }
                brought(source["lastImport"], visit)
            }
            postForm(visit, "/roster-source/pull") {
                button(.class("button"), .type("submit")) { texts(RosterSourceText.pull) }
            }
        }
    }

    /// What happens now, or how the last pull went.
    private static func mark(_ source: JSONValue, _ texts: Texts) -> HTML {
        switch source["status"]?.text {
        case "running": return tag(texts(RosterSourceText.running), .opened, .info)
        case "waiting": return tag(texts(RosterSourceText.waiting), .late)
        default: break
        }
        if source["failure"]?.object != nil {
            return tag(texts(RosterSourceText.failing), .warn, .warn)
        }
        guard source["enabled"]?.bool == true else {
            return tag(texts(RosterSourceText.off), .off, .line)
        }
        // A pull is of use only if what it brought becomes the directory.
        if let status = importStatus(source["lastImport"]),
            [.awaitingApproval, .failed].contains(status)
        {
            return status.shown(texts)
        }
        return source["lastImport"]?.object == nil
            ? tag(texts(RosterSourceText.untried), .scheduled, .info)
            : tag(texts(RosterSourceText.works), .done, .good)
    }

    @HTMLBuilder
    private static func failure(_ source: JSONValue, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        if let failure = source["failure"], failure.object != nil {
            let code = failure["code"]?.text ?? ""
            p { texts(RosterFailureText(rawValue: code) ?? .internalError) }
            p(.class("small soft"), .lang("en")) { failure["text"]?.text ?? "" }
        }
        if let since = moment(source["failingSince"]) {
            p(.class("small soft")) {
                texts(RosterSourceText.since, ["when": visit.moment(since)])
            }
        }
    }

    @HTMLBuilder
    private static func brought(_ item: JSONValue?, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        if let id = item?["id"]?.text, let status = importStatus(item) {
            Console.fact(
                texts(RosterSourceText.brought), status.shown(texts),
                a(.class("button"), .href("/imports/\(id)")) { texts(RosterSourceText.details) })
        } else {
            Console.fact(
                texts(RosterSourceText.brought), .text(texts(RosterSourceText.broughtNothing)))
        }
    }

    private static func importStatus(_ item: JSONValue?) -> ImportStatus? {
        item?["status"]?.text.flatMap(ImportStatus.init(rawValue:))
    }

    private static func moment(_ value: JSONValue?) -> Timestamp? {
        value?.text.flatMap { Timestamp($0) }
    }
}
