import JSONBytes
import Values

/// A page of a plan: the people whom it is about, or its rows.
struct ImportPlanPage: Sendable {
    /// Whether it is a list of rows.
    private let isByRow: Bool
    private let items: [JSONValue]
    private let next: String?

    private static let rowKinds: [(value: String, text: ImportsText)] = [
        ("removed", .kindRemoved), ("changed", .kindChanged), ("created", .kindCreated),
    ]

    static func load(_ visit: Visit) async throws -> ImportPlanPage {
        let id = visit["id"]
        if visit.query("show") != "rows" {
            let people = try await get("/v1/imports/\(id)/people?limit=30", visit)
            // Where it is about nobody, and in plans of earlier versions, there are only rows.
            if visit.query("change") != nil || !(people["items"]?.array ?? []).isEmpty {
                return ImportPlanPage(people, isByRow: false)
            }
        }
        return ImportPlanPage(
            try await get("/v1/imports/\(id)/changes?limit=50", visit), isByRow: true)
    }

    private static func get(_ path: LocalPath, _ visit: Visit) async throws -> JSONValue {
        try await visit.api.get(
            path.with("change", visit.query("change")).with("pageToken", visit.query("page")))
    }

    private init(_ page: JSONValue, isByRow: Bool) {
        self.isByRow = isByRow
        items = page["items"]?.array ?? []
        next = page["nextPageToken"]?.text
    }

    func view(_ details: JSONValue, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let chosen = visit.query("change")
        guard !items.isEmpty || chosen != nil else { return .nothing }
        let rows = visit.address.withoutQuery.with("show", "rows")
        let here = isByRow ? rows : visit.address.withoutQuery
        return section(.class("stack")) {
            div(.class("row row-apart")) {
                h2 { isByRow ? texts(ImportsText.changes) : texts(ImportPeopleText.title) }
                a(.class("button"), .href("/imports/\(visit["id"])/changes.csv")) {
                    Icon.csv.html
                    texts(ImportPeopleText.csv)
                }
            }
            pills(details, chosen, rows, visit)
            if items.isEmpty {
                p(.class("soft")) {
                    isByRow ? texts(ImportsText.noChanges) : texts(ImportPeopleText.nobody)
                }
            } else if isByRow {
                table(texts)
            } else {
                ImportPeople.table(items, texts)
            }
            PageTrail(visit).links(here.with("change", chosen), next: next, texts)
        }
    }

    private func pills(
        _ details: JSONValue, _ chosen: String?, _ rows: LocalPath, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let people = visit.address.withoutQuery
        func pill(_ path: LocalPath, _ isCurrent: Bool, _ text: String) -> HTML {
            a(.href(path), .current(isCurrent, "true")) { text }
        }
        return nav(
            .class("pills"),
            .label(isByRow ? texts(ImportsText.changes) : texts(ImportPeopleText.title))
        ) {
            pill(people, !isByRow && chosen == nil, texts(ImportPeopleText.title))
            if !isByRow {
                for kind in ImportPeople.kinds {
                    pill(
                        people.with("change", kind.value), chosen == kind.value,
                        texts(
                            kind.text,
                            [
                                "count": texts.number(
                                    ImportPeople.count(details, kind.value))
                            ]))
                }
                pill(
                    people.with("change", "seats"), chosen == "seats",
                    texts(ImportPeopleText.onlyClasses))
            }
            pill(rows, isByRow && chosen == nil, texts(ImportPeopleText.byRow))
            if isByRow {
                for kind in Self.rowKinds {
                    pill(
                        rows.with("change", kind.value), chosen == kind.value,
                        texts(
                            kind.text,
                            ["count": texts.number(ImportPlan.total(details, kind.value))]))
                }
            }
        }
    }

    private func table(_ texts: Texts) -> HTML {
        Console.table(
            texts(ImportsText.changes),
            head: [ImportsText.recordColumn, .changeColumn, .fileColumn].map {
                Console.column(texts($0))
            }
        ) { for item in items { row(item, texts) } }
    }

    private func row(_ item: JSONValue, _ texts: Texts) -> HTML {
        let ids = ["sourceId", "classSourceId", "personSourceId"].compactMap { item[$0]?.text }
        let values = item["values"]?.array ?? []
        let said = values.compactMap { $0["name"]?.text }
        let others = (item["fields"]?.array ?? []).compactMap(\.text).filter {
            !said.contains($0)
        }
        let line = item["line"]?.int64.map { texts.number(Int($0)) }
        return tr {
            th(.scope("row")) {
                let names = [FullName(item)?.text, item["name"]?.text].compactMap(\.self)
                if !names.isEmpty { p { dotted(names.map(written)) } }
                p(.class("small soft code")) { dotted(ids.map(written)) }
            }
            td {
                word(item["change"]?.text, texts)
                for value in values { ImportPeople.difference(value, texts) }
                if !others.isEmpty {
                    p(.class("small soft")) {
                        texts(
                            ImportsText.differs,
                            [
                                "fields": texts.list(
                                    others.map { ImportFieldText.name($0, texts) })
                            ])
                    }
                }
            }
            td(.class("code")) {
                dotted([.text(item["file"]?.text ?? ""), .text(line ?? "")])
            }
        }
    }

    private func word(_ change: String?, _ texts: Texts) -> HTML {
        switch change {
        case "removed": tag(texts(ImportsText.removed), .cross, .bad)
        case "created": tag(texts(ImportsText.created), .plus, .good)
        default: tag(texts(ImportsText.changed), .draft, .info)
        }
    }
}
