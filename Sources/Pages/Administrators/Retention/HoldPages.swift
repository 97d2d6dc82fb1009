import JSONBytes
import Values

/// What keeps a person's or a class's data, whatever the rules say.
struct Hold: Sendable {
    /// Whose data a hold keeps.
    enum Subject: Sendable {
        case person(String)
        case group(String)

        /// `/v1/people/…` or `/v1/classes/…`.
        var call: LocalPath {
            switch self {
            case .person(let id): "/v1/people/\(id)"
            case .group(let id): "/v1/classes/\(id)"
            }
        }

        var page: LocalPath {
            switch self {
            case .person(let id): "/people/\(id)"
            case .group(let id): "/school/classes/\(id)"
            }
        }

        /// The name of the person or class; throws what the API answers if there is none.
        func name(_ visit: Visit) async throws -> String {
            let document = try await visit.api.get(call)
            let name: String? =
                switch self {
                case .person: DirectoryPerson(document)?.name
                case .group: document["displayName"]?.text ?? document["name"]?.text
                }
            guard let name else { throw UnexpectedDocument() }
            return name
        }
    }

    let id: String
    let subject: Subject
    let reason: String
    let since: Timestamp?
    /// `nil` if the person or class is unknown, or there are too many holds to ask for all names.
    private(set) var name: String?

    private init?(_ item: JSONValue) {
        guard let id = item["id"]?.text else { return nil }
        if let person = item["personId"]?.text {
            subject = .person(person)
        } else if let group = item["classId"]?.text {
            subject = .group(group)
        } else {
            return nil
        }
        self.id = id
        reason = item["reason"]?.text ?? ""
        since = item["createdAt"]?.text.flatMap { Timestamp($0) }
    }

    /// Each name is a call.
    private static let mostNames = 60

    /// All holds, the oldest first.
    static func all(_ visit: Visit) async throws -> [Hold] {
        let found = try await visit.api.get("/v1/retention/holds")
        var holds = (found["items"]?.array ?? []).compactMap { Hold($0) }
        try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            for (index, hold) in holds.prefix(mostNames).enumerated() {
                group.addTask {
                    do {
                        return (index, try await hold.subject.name(visit))
                    } catch let refusal as Refusal where refusal.status == 404 {
                        return (index, nil)
                    }
                }
            }
            while let (index, name) = try await group.next() { holds[index].name = name }
        }
        return holds
    }

    func title(_ texts: Texts) -> String {
        if let name { return name }
        return switch subject {
        case .person: texts(RetentionText.someone)
        case .group: texts(RetentionText.someClass)
        }
    }
}

/// `/settings/data/holds/…`: places a hold and lifts it.
enum HoldPages: Screen {
    static var pages: [Page] {
        [
            .get("/settings/data/holds/new", for: .administrator) { visit in
                guard let subject = subject(visit.query("person"), visit.query("class")) else {
                    return .redirect("/settings/data")
                }
                return .view(try await form(subject, reason: "", .none, visit))
            },
            .post("/settings/data/holds", for: .administrator, place),
            .get("/settings/data/holds/{id}/lift", for: .administrator) { visit in
                .view(question(visit))
            },
            .post("/settings/data/holds/{id}/lift", for: .administrator) { _, visit in
                try await visit.api.delete("/v1/retention/holds/\(visit["id"])")
                return .redirect("/settings/data", notice: Notice(RetentionText.noticeLifted))
            },
        ]
    }

    /// The holds on the page about retention.
    static func card(_ holds: [Hold], _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card"), .labelledBy("holds")) {
            h2(.id("holds")) { texts(RetentionText.holds) }
            p(.class("soft")) { texts(RetentionText.holdsIntro) }
            if holds.isEmpty { p { texts(RetentionText.holdsNone) } }
            ul(.class("list")) {
                for hold in holds {
                    li {
                        div(.class("grow")) {
                            p { a(.href(hold.subject.page), .dirAuto) { hold.title(texts) } }
                            p(.dirAuto) { hold.reason }
                            if let since = hold.since {
                                p(.class("small soft")) {
                                    texts(RetentionText.since, ["when": visit.moment(since)])
                                }
                            }
                        }
                        a(
                            .class("button"), .href("/settings/data/holds/\(hold.id)/lift")
                        ) { texts(RetentionText.lift) }
                    }
                }
            }
            p(.class("soft")) { texts(RetentionText.holdsHow) }
        }
    }

    private static func subject(_ person: String?, _ group: String?) -> Hold.Subject? {
        if let person = person?.nilIfEmpty { return .person(person) }
        return group?.nilIfEmpty.map { .group($0) }
    }

    private static func place(_ sent: Form, _ visit: Visit) async throws -> Answer {
        guard let subject = subject(sent["person"], sent["class"]) else {
            return .redirect("/settings/data")
        }
        let reason = String(sent["reason"].trimmed)
        let field: (String, String) =
            switch subject {
            case .person(let id): ("personId", id)
            case .group(let id): ("classId", id)
            }
        do {
            try await visit.api.post(
                "/v1/retention/holds",
                .object(JSONObject([(field.0, .text(field.1)), ("reason", .text(reason))])))
        } catch let refusal as Refusal where refusal.status == 422 {
            guard refusal.fields["/reason"] != nil else { throw refusal }
            var problems = FormProblems.none
            let text: ConsoleText = reason.isEmpty ? .errorMissing : .errorTooLong
            problems.add("reason", visit.texts(text))
            return .view(try await form(subject, reason: reason, problems, visit).refused())
        }
        return .redirect("/settings/data", notice: Notice(RetentionText.noticePlaced))
    }

    private static func form(
        _ subject: Hold.Subject, reason: String, _ problems: FormProblems, _ visit: Visit
    ) async throws -> View {
        let texts = visit.texts
        let title = texts(RetentionText.placeTitle, ["name": try await subject.name(visit)])
        let hidden =
            switch subject {
            case .person(let id): ("person", id)
            case .group(let id): ("class", id)
            }
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            heading(title)
            problems.summary(texts(RetentionText.errorTitle))
            postForm(visit, "/settings/data/holds", .class("card reading stack")) {
                p { texts(RetentionText.placeDoes) }
                input(.type("hidden"), .name(hidden.0), .value(hidden.1))
                field(
                    "reason", label: texts(RetentionText.reason),
                    hint: texts(RetentionText.reasonHint), problem: problems["reason"],
                    .value(reason), .autocomplete("off"))
                div(.class("row")) {
                    button(.class("button button-main"), .type("submit")) {
                        texts(RetentionText.place)
                    }
                    a(.class("button"), .href(subject.page)) { texts(ConsoleText.cancel) }
                }
            }
        }
    }

    private static func question(_ visit: Visit) -> View {
        let texts = visit.texts
        return Console.confirmation(
            visit, title: texts(RetentionText.liftTitle), does: texts(RetentionText.liftDoes),
            button: texts(RetentionText.lift), to: "/settings/data/holds/\(visit["id"])/lift",
            back: "/settings/data")
    }
}
