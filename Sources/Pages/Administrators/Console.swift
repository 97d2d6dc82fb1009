import JSONBytes

enum ConsoleText: String, TextKey {
    case path, pages, previous, next, search, cancel, none
    case errorMissing, errorTooLong, errorWrong, errorTaken
    case refusedTitle, back, links

    static let section = "console"
}

/// The parts that the pages for administrators have in common.
enum Console {
    /// The way back, above the heading.
    static func crumbs(
        _ texts: Texts, _ steps: [(path: LocalPath, name: HTML)]
    ) -> HTML {
        nav(.label(texts(ConsoleText.path))) {
            ol(.class("crumbs")) {
                for step in steps { li { a(.href(step.path)) { step.name } } }
            }
        }
    }

    /// A line of `dl.facts`.
    static func fact(_ name: String, _ value: HTML, _ action: HTML = .nothing) -> HTML {
        div {
            dt { name }
            dd { value }
            if !action.isEmpty { dd { action } }
        }
    }

    /// A labelled list to choose one of.
    static func choice(
        _ id: String, label text: String, _ options: [(value: String, text: String)],
        chosen: String, problem: String? = nil
    ) -> HTML {
        div(.class(problem == nil ? "field" : "field field-bad")) {
            label(.for(id)) { text }
            if let problem {
                p(.class("problem"), .id("\(id)-problem")) {
                    Icon.warn.html
                    problem
                }
            }
            selectTag(
                .class("input"), .id(id), .name(id),
                .describedBy(problem == nil ? nil : "\(id)-problem"),
                Attribute("aria-invalid", problem == nil ? nil : "true")
            ) {
                for item in options {
                    option(.value(item.value), .selected(item.value == chosen)) { item.text }
                }
            }
        }
    }

    /// A table in a box that scrolls. The first column names the row.
    static func table(
        _ label: String, head: [HTML], isTall: Bool = false, @HTMLBuilder rows: () -> [HTML]
    ) -> HTML {
        div(
            .class(isTall ? "table-box table-tall" : "table-box"), .role("region"), .label(label),
            .tabindex(0)
        ) {
            Tag("table")(.class("table table-fixed")) {
                thead { tr { HTML.parts(head) } }
                tbody { HTML.parts(rows()) }
            }
        }
    }

    /// The head of a column.
    static func column(_ name: String, _ style: String? = nil) -> HTML {
        th(.scope("col"), Attribute("class", style)) { name }
    }

    /// The question before something that is not easily undone: what will happen, a button to do it, and a way back.
    static func confirmation(
        _ visit: Visit, title: String, does: String, button text: String, to action: LocalPath,
        back: LocalPath, more: HTML = .nothing
    ) -> View {
        View(title) {
            heading(title)
            postForm(visit, action, .class("card reading stack")) {
                p { does }
                more
                div(.class("row")) {
                    button(.class("button button-risk"), .type("submit")) { text }
                    a(.class("button"), .href(back)) { visit.texts(ConsoleText.cancel) }
                }
            }
        }
    }

    /// The page at `path` that asks before its form, with the same address, does something.
    ///
    /// - Parameter values: what stands in the texts, such as a name.
    static func question<Key: TextKey>(
        _ path: String, title: Key, does: Key, button: Key,
        back: @escaping @Sendable (Visit) -> LocalPath,
        values: @escaping @Sendable (Visit) async throws -> [String: String] = { _ in [:] }
    ) -> Page {
        .get(path, for: .administrator) { visit in
            let texts = visit.texts
            let values = try await values(visit)
            return .view(
                confirmation(
                    visit, title: texts(title, values), does: texts(does, values),
                    button: texts(button), to: visit.address.withoutQuery, back: back(visit)))
        }
    }

    /// A search by name; it keeps the other filters of the address.
    static func search(_ path: LocalPath, label text: String, _ visit: Visit) -> HTML {
        getForm(path, .class("filter no-print"), .role("search"), .label(text)) {
            for name in ["location", "term", "course"] {
                if let value = visit.query(name) {
                    input(.type("hidden"), .name(name), .value(value))
                }
            }
            div(.class("field field-grow")) {
                label(.for("q")) { text }
                input(
                    .class("input"), .id("q"), .name("q"), .type("search"), .autocomplete("off"),
                    Attribute("maxlength", "256"), .value(visit.query("q")))
            }
            button(.class("button button-main"), .type("submit")) {
                Icon.search.html
                visit.texts(ConsoleText.search)
            }
        }
    }

    /// Says why something was not done.
    static func refused(
        _ reason: String, back: LocalPath, _ status: Int, _ texts: Texts
    ) -> View {
        View(texts(ConsoleText.refusedTitle)) {
            h1 { texts(ConsoleText.refusedTitle) }
            p(.class("reading")) { reason }
            p { a(.class("button"), .href(back)) { texts(ConsoleText.back) } }
        }.refused(status)
    }

    /// Every item of a list, page by page. A page that leads to itself is the last.
    static func all(_ path: LocalPath, _ api: Client) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var token: String?
        var next: String?
        repeat {
            token = next
            let page = try await api.get(path.with("limit", "1000").with("pageToken", token))
            items += page["items"]?.array ?? []
            next = page["nextPageToken"]?.text
        } while next != nil && next != token
        return items
    }
}

/// Where a list that comes in pages stands. The address holds the way back, because the API's pages only lead on.
struct PageTrail: Sendable {
    let token: String?
    /// The tokens of the pages between the first and this one.
    private let passed: [String]
    /// How many pages the way back is kept for; before them there is the first page.
    private static let longest = 12

    init(_ visit: Visit) {
        token = visit.query("page")
        passed = (visit.query("passed") ?? "").split(separator: ",").map(String.init)
    }

    /// Links to the previous and the next page.
    ///
    /// - Parameter base: the address of the first page, with its filters.
    func links(_ base: LocalPath, next: String?, _ texts: Texts) -> HTML {
        guard token != nil || next != nil else { return .nothing }
        let before = base.with("page", passed.last)
            .with("passed", passed.dropLast().joined(separator: ",").nilIfEmpty)
        let way = (passed + [token].compactMap { $0 }).suffix(Self.longest)
        let after = base.with("page", next).with("passed", way.joined(separator: ",").nilIfEmpty)
        return nav(.class("pages"), .label(texts(ConsoleText.pages))) {
            if token != nil {
                a(.class("button"), .rel("prev"), .href(before)) {
                    Icon.previous.html
                    " "
                    texts(ConsoleText.previous)
                }
            }
            if next != nil {
                a(.class("button"), .rel("next"), .href(after)) {
                    texts(ConsoleText.next)
                    " "
                    Icon.next.html
                }
            }
        }
    }
}
