import Contract
import Values

/// A page of a plan: the people whom it is about, or its rows.
struct ImportPlanPage: Sendable {
    private enum Items: Sendable {
        case people([Document<ImportedPerson>])
        case rows([Document<ImportChange>])
    }

    private let items: Items
    private let next: String?

    private static let rowKinds: [(value: RowChange, text: ImportsText)] = [
        (.removed, .kindRemoved), (.changed, .kindChanged), (.created, .kindCreated),
    ]

    static func load(_ visit: Visit) async throws -> ImportPlanPage {
        let id = visit["id"]
        if visit.query("show") != "rows" {
            let people = try await get(ImportCalls.people.of(id).with(.limit, 30), visit)
            // Where it is about nobody, and in plans of earlier versions, there are only rows.
            if visit.query("change") != nil || !people.items.isEmpty {
                return ImportPlanPage(.people(people.items), next: people.nextPageToken)
            }
        }
        let rows = try await get(ImportCalls.changes.of(id).with(.limit, 50), visit)
        return ImportPlanPage(.rows(rows.items), next: rows.nextPageToken)
    }

    private static func get<Item>(
        _ call: Asked<ImportPlanQuery, ListPage<Item>>, _ visit: Visit
    ) async throws -> ListPage<Item> {
        try await visit.api.answer(
            to: call.with(.change, visit.query("change")).with(.pageToken, visit.query("page")))
    }

    private init(_ items: Items, next: String?) {
        self.items = items
        self.next = next
    }

    private var isByRow: Bool {
        switch items {
        case .people: false
        case .rows: true
        }
    }

    private var isEmpty: Bool {
        switch items {
        case .people(let people): people.isEmpty
        case .rows(let rows): rows.isEmpty
        }
    }

    func view(_ details: Document<ImportDetails>, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let chosen = visit.query("change")
        guard !isEmpty || chosen != nil else { return .nothing }
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
            switch items {
            case .people([]): p(.class("soft")) { texts(ImportPeopleText.nobody) }
            case .rows([]): p(.class("soft")) { texts(ImportsText.noChanges) }
            case .people(let people): ImportPeople.table(people, texts)
            case .rows(let rows): table(rows, texts)
            }
            PageTrail(visit).links(here.with("change", chosen), next: next, texts)
        }
    }

    private func pills(
        _ details: Document<ImportDetails>, _ chosen: String?, _ rows: LocalPath, _ visit: Visit
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
                        people.with("change", kind.value.rawValue), chosen == kind.value.rawValue,
                        texts(
                            kind.text,
                            [
                                "count": texts.number(
                                    ImportPeople.count(details, kind.value))
                            ]))
                }
                pill(
                    people.with("change", PersonChange.seats.rawValue),
                    chosen == PersonChange.seats.rawValue,
                    texts(ImportPeopleText.onlyClasses))
            }
            pill(rows, isByRow && chosen == nil, texts(ImportPeopleText.byRow))
            if isByRow {
                for kind in Self.rowKinds {
                    pill(
                        rows.with("change", kind.value.rawValue), chosen == kind.value.rawValue,
                        texts(
                            kind.text,
                            ["count": texts.number(ImportPlan.total(details, kind.value))]))
                }
            }
        }
    }

    private func table(_ rows: [Document<ImportChange>], _ texts: Texts) -> HTML {
        Console.table(
            texts(ImportsText.changes),
            head: [ImportsText.recordColumn, .changeColumn, .fileColumn].map {
                Console.column(texts($0))
            }
        ) { for item in rows { row(item, texts) } }
    }

    private func row(_ item: Document<ImportChange>, _ texts: Texts) -> HTML {
        let ids = [item.sourceId, item.classSourceId, item.personSourceId].compactMap(\.self)
        let values = item.values
        let said = values.map(\.name)
        let others = item.fields.filter { !said.contains($0) }
        let line = item.line.map { texts.number($0) }
        return tr {
            th(.scope("row")) {
                let name = FullName(item.givenName, item.familyName, nil)?.text
                let names = [name, item.name].compactMap(\.self)
                if !names.isEmpty { p { dotted(names.map(written)) } }
                p(.class("small soft code")) { dotted(ids.map(written)) }
            }
            td {
                word(item.change.known, texts)
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
                dotted([.text(item.file.text), .text(line ?? "")])
            }
        }
    }

    private func word(_ change: RowChange?, _ texts: Texts) -> HTML {
        switch change {
        case .removed: tag(texts(ImportsText.removed), .cross, .bad)
        case .created: tag(texts(ImportsText.created), .plus, .good)
        case .changed, nil: tag(texts(ImportsText.changed), .draft, .info)
        }
    }
}
