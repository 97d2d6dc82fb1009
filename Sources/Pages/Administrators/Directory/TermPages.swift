import HTTPWire
import JSONBytes
import Values

enum TermText: String, TextKey {
    case title, intro, new, name, kind, schoolYear, semester, term, gradingPeriod
    case startsOn, endsOn, parent, noParent, sourceID, make, save
    case errorTitle, errorOverlap, errorDays, errorParent, errorClosed
    case remove, removeTitle, removeDoes, inUse, emptyTitle, emptyAdvice, status, open, closed
    case days, close, closeTitle, closeDoes, closeNow, reopen, reopenRefused, classes
    case noticeMade, noticeSaved, noticeRemoved, noticeClosed, noticeReopened

    static let section = "term"
}

/// `/school/terms`: school years and their parts; closing one archives its classes.
enum TermPages: Screen {
    static var pages: [Page] {
        [
            .show(
                "/school/terms", for: .manager, menu: MenuEntry(.scheduled, TermText.title)
            ) { visit in
                try await Console.all("/v1/terms", visit.api)
            } render: { items, visit in
                view(items, visit)
            },
            .get("/school/terms/{id}/closing", for: .directoryManager, askToClose),
            .post("/school/terms/{id}/closing", for: .directoryManager) { _, visit in
                try await visit.api.put("/v1/terms/\(visit["id"])/closing")
                return .redirect("/school/terms", notice: Notice(TermText.noticeClosed))
            },
            .post("/school/terms/{id}/reopening", for: .directoryManager, reopen),
        ] + editor.pages
    }

    static let kinds: [(word: String, text: TermText)] = [
        ("schoolYear", .schoolYear), ("semester", .semester), ("term", .term),
        ("gradingPeriod", .gradingPeriod),
    ]

    private static let editor = RecordEditor(
        path: "/school/terms", api: "/v1/terms", kind: "term", audience: .directoryManager,
        words: { texts in
            RecordEditor.Words(
                list: texts(TermText.title), new: texts(TermText.new), make: texts(TermText.make),
                save: texts(TermText.save), errorTitle: texts(TermText.errorTitle),
                remove: texts(TermText.remove), removeTitle: texts(TermText.removeTitle),
                removeDoes: texts(TermText.removeDoes), inUse: texts(TermText.inUse))
        },
        notices: (
            Notice(TermText.noticeMade), Notice(TermText.noticeSaved),
            Notice(TermText.noticeRemoved)
        ), fields: fields,
        reasons: { texts in
            [
                "terms_overlap": texts(TermText.errorOverlap),
                "ends_before_it_starts": texts(TermText.errorDays),
                "outside_parent": texts(TermText.errorParent),
                "parts_outside": texts(TermText.errorParent),
                "not_larger": texts(TermText.errorParent),
                "term_closed": texts(TermText.errorClosed),
            ]
        },
        // People say which day is the last; the API, which is the first one after it.
        shown: { record in
            guard var shown = record.object, let end = record["endsOn"]?.text.flatMap({ Day($0) })
            else { return record }
            shown["endsOn"] = .text(end.advanced(by: -1).description)
            return .object(shown)
        },
        sent: { body in
            guard let last = body["endsOn"]?.text.flatMap({ Day($0) }) else { return body }
            var sent = body
            sent["endsOn"] = .text(last.advanced(by: 1).description)
            return sent
        })

    @Sendable private static func fields(_ visit: Visit) async throws -> [RecordField] {
        let texts = visit.texts
        let parents = try await Console.all("/v1/terms?status=open", visit.api).compactMap {
            item -> (value: String, text: String)? in
            guard let id = item["id"]?.text, id != visit["id"], let name = item["name"]?.text
            else { return nil }
            return (id, name)
        }
        return [
            RecordField(id: "name", label: texts(TermText.name), isRequired: true),
            RecordField(
                id: "kind", label: texts(TermText.kind),
                control: .choice(kinds.map { ($0.word, texts($0.text)) }), isRequired: true),
            RecordField(
                id: "startsOn", label: texts(TermText.startsOn), control: .day, isRequired: true),
            RecordField(
                id: "endsOn", label: texts(TermText.endsOn), control: .day, isRequired: true),
            RecordField(
                id: "parentId", label: texts(TermText.parent),
                control: .choice([("", texts(TermText.noParent))] + parents)),
            RecordField(id: "sourceId", label: texts(TermText.sourceID)),
        ]
    }

    // MARK: Closing

    private static func askToClose(_ visit: Visit) async throws -> Answer {
        let id = visit["id"]
        async let term = visit.api.get("/v1/terms/\(id)")
        async let classes = Console.all(
            LocalPath("/v1/classes?status=active").with("termId", id), visit.api)
        let texts = visit.texts
        let name = try await term["name"]?.text ?? ""
        let count = try await classes.count
        return .view(
            Console.confirmation(
                visit, title: texts(TermText.closeTitle, ["name": name]),
                does: texts(TermText.closeDoes, count: count), button: texts(TermText.closeNow),
                to: "/school/terms/\(id)/closing", back: "/school/terms"))
    }

    private static func reopen(_ form: Form, _ visit: Visit) async throws -> Answer {
        do {
            try await visit.api.delete("/v1/terms/\(visit["id"])/closing")
        } catch let refusal as Refusal where refusal.code == "term_closed" {
            return .view(
                Console.refused(
                    visit.texts(TermText.reopenRefused), back: "/school/terms", refusal.status,
                    visit.texts))
        }
        return .redirect("/school/terms", notice: Notice(TermText.noticeReopened))
    }

    // MARK: The list

    private static func view(_ items: [JSONValue], _ visit: Visit) -> View {
        let texts = visit.texts
        let changes = visit.person?.belongs(to: .directoryManager) == true
        let newestFirst = items.sorted {
            ($0["startsOn"]?.text ?? "", $1["endsOn"]?.text ?? "")
                > ($1["startsOn"]?.text ?? "", $0["endsOn"]?.text ?? "")
        }
        return View(texts(TermText.title)) {
            heading(texts(TermText.title), below: .text(texts(TermText.intro))) {
                if changes {
                    a(.class("button button-main"), .href("/school/terms/new")) {
                        Icon.plus.html
                        texts(TermText.new)
                    }
                }
            }
            if items.isEmpty {
                emptyBox(texts(TermText.emptyTitle), texts(TermText.emptyAdvice))
            } else {
                Console.table(
                    texts(TermText.title),
                    head: [
                        Console.column(texts(TermText.name)), Console.column(texts(TermText.days)),
                        Console.column(texts(TermText.status)),
                        Console.column(texts(ConsoleText.links)),
                    ]
                ) { for item in newestFirst { row(item, changes, visit) } }
            }
        }
    }

    private static func row(_ item: JSONValue, _ changes: Bool, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let id = item["id"]?.text ?? ""
        let name = item["name"]?.text ?? ""
        let isOpen = item["status"]?.text != "closed"
        let kind = kinds.first { $0.word == item["kind"]?.text }.map { texts($0.text) }
        return tr {
            th(.scope("row")) {
                if changes, isOpen {
                    a(.href("/school/terms/\(id)/edit"), .dirAuto) { name }
                } else {
                    written(name)
                }
                p(.class("small soft")) { kind ?? "" }
            }
            td(.class("number")) { days(item, visit) }
            td {
                tag(
                    texts(isOpen ? TermText.open : .closed), isOpen ? .opened : .completed,
                    isOpen ? .good : .line)
            }
            td {
                div(.class("row")) {
                    a(.href(LocalPath("/school/classes").with("term", id))) {
                        texts(TermText.classes)
                        span(.class("unseen")) { ": \(name)" }
                    }
                    if isOpen, visit.person?.belongs(to: .administrator) == true {
                        a(.class("button"), .href("/school/terms/\(id)/rollover")) {
                            texts(RolloverText.link)
                            span(.class("unseen")) { ": \(name)" }
                        }
                    }
                    if changes { switching(id, name, isOpen: isOpen, visit) }
                }
            }
        }
    }

    private static func days(_ item: JSONValue, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let first = item["startsOn"]?.text.flatMap { Day($0) }
        let last = item["endsOn"]?.text.flatMap { Day($0) }?.advanced(by: -1)
        return .text(
            [first, last].compactMap { $0 }.map { texts.day($0, today: visit.today) }
                .joined(separator: " – "))
    }

    private static func switching(
        _ id: String, _ name: String, isOpen: Bool, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        guard !isOpen else {
            return a(.class("button"), .href("/school/terms/\(id)/closing")) {
                texts(TermText.close)
                span(.class("unseen")) { ": \(name)" }
            }
        }
        return postForm(visit, "/school/terms/\(id)/reopening") {
            button(
                .class("button"), .type("submit"), .label("\(texts(TermText.reopen)): \(name)")
            ) { texts(TermText.reopen) }
        }
    }
}

extension Day {
    fileprivate func advanced(by days: Int) -> Day { Day(daysSince1970: daysSince1970 + days) }
}
