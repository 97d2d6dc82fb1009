import API
import Postgres

/// What a request wants of a collection: which objects, which of their fields, in which order.
struct RosterQuery: Sendable {
    static let parameters: [Operation.Parameter] =
        [
            .optional("limit", .integer(1...10_000), "How many objects at most; 100 when absent."),
            .optional(
                "offset", .integer(0...1_000_000_000), "How many objects to skip; 0 when absent."),
            .optional(
                "after", .text(1...1000),
                "Only what comes after this sourcedId, instead of offset; not with sort by another field. Link has it."
            ),
            .optional(
                "sort", .text(1...100),
                "A field; its texts are in the order of Unicode. By sourcedId when absent or unknown."
            ),
            .optional("orderBy", .word(["asc", "desc"]), "asc when absent."),
            .optional(
                "filter", .text(1...4000),
                "Such as familyName='Meyer' AND status='active'; with = != > >= < <= ~ (contains)."),
        ] + fieldsParameter

    static let fieldsParameter: [Operation.Parameter] = [
        .repeatable(
            "fields", .text(1...2000), "Only these fields: with commas, or one in each parameter.")
    ]

    let limit: Int
    /// How many objects the client counts before the page.
    let offset: Int
    /// Behind which place the page begins; `nil` if it begins at the offset.
    private(set) var place: RosterPlace?
    let fields: [RosterField]
    /// Whether `fields` names one that the standard does not know; then all are answered.
    let hasUnknownField: Bool
    /// Which objects, for `where`.
    let conditions: [Statement]
    let order: RosterOrder
    /// Whether it wants all objects in the roster, in the order of their sourcedIds.
    private let isWhole: Bool
    /// Whether it is one object, looked up by its id.
    let isSingle: Bool
    /// Whether objects that left the roster are among them. Those are forgotten after a time, and that does
    /// not change the revision.
    let showsFormer: Bool
    /// What the number of objects depends on, beside the collection; `nil` if the filter leaves nothing out.
    let filter: String?

    /// - Parameter parent: which objects belong to the parent of a nested collection.
    init(
        _ request: Request, of collection: RosterCollection, parent: Statement?
    ) throws(StatusInfo) {
        limit = request.queryInteger("limit") ?? 100
        offset = request.queryInteger("offset") ?? 0
        (fields, hasUnknownField) = Self.fields(request, of: collection)
        let terms = collection.fields.flatMap(\.terms)
        let wanted = try Self.filter(request)
        let condition = try wanted?.condition(on: terms, of: collection.object)
        // Objects that left the roster are for clients that ask what changed.
        showsFormer = wanted?.findsFormer ?? false
        // Some clients always ask for what is active, which is what they get without a filter.
        let isFiltered = wanted.map { !$0.findsAllActive } ?? false
        filter = isFiltered ? request.query("filter") : nil
        let conditions: [Statement?] = [
            collection.condition, parent, isFiltered ? condition : nil,
            showsFormer ? nil : "x.is_active",
        ]
        self.conditions = conditions.compactMap(\.self)
        order = RosterOrder(request, among: terms)
        isSingle = false
        isWhole = filter == nil && parent == nil && order.isByID && !order.isDescending
        place = request.query("after").map { RosterPlace(sourcedID: $0) }
        guard place == nil || order.isByID else {
            throw StatusInfo(
                status: 400, minor: .invalidData,
                "after: This cannot be combined with sort by another field.")
        }
    }

    /// The one object that a sourcedId names, in the roster or no longer.
    init(
        _ request: Request, single sourcedID: String, of collection: RosterCollection
    ) throws(StatusInfo) {
        limit = 1
        offset = 0
        place = nil
        (fields, hasUnknownField) = Self.fields(request, of: collection)
        conditions = [collection.condition, collection.named(sourcedID)].compactMap(\.self)
        order = RosterOrder(request, among: [])
        isSingle = true
        isWhole = false
        showsFormer = true
        filter = nil
    }

    /// The same from a place on.
    func beginning(behind place: RosterPlace) -> RosterQuery {
        var query = self
        query.place = place
        return query
    }

    /// After which sourcedId a page of all objects in the roster begins, empty for none; `nil` for any other page.
    var wholeAfter: String? { isWhole ? place?.sourcedID ?? "" : nil }

    private static func filter(_ request: Request) throws(StatusInfo) -> Filter? {
        guard let text = request.query("filter") else { return nil }
        do {
            return try Filter(parsing: text)
        } catch {
            throw StatusInfo.filter(error)
        }
    }

    /// The fields to answer. What the standard has and nobody here fills in is left out, and a name that it does not
    /// have selects all.
    private static func fields(
        _ request: Request, of collection: RosterCollection
    ) -> (chosen: [RosterField], hasUnknown: Bool) {
        let names = request.queries("fields").flatMap { $0.split(separator: ",") }.map {
            String($0.drop { $0 == " " })
        }
        let hasUnknown = names.contains { name in
            !collection.fields.contains { $0.name == name }
                && !RosterModel.has(name, collection.object)
        }
        guard !names.isEmpty, !hasUnknown else { return (collection.fields, hasUnknown) }
        let chosen = collection.fields.filter { names.contains($0.name) }
        // An object is never empty.
        return (chosen.isEmpty ? Array(collection.fields.prefix(1)) : chosen, false)
    }

    /// How many objects there are, and a page of them, with the object behind it. There is one row at least; `place` is
    /// null where no object is.
    /// `offset 0` keeps the planner from computing the revision for each row.
    ///
    /// - Parameter known: how many there were when they were counted last, at a revision. They are counted if it is
    ///   another one by now, unless the page goes on behind a place.
    func statement(of collection: RosterCollection, known: RosterTotal? = nil) -> Statement {
        let chosen = chosen(of: collection)
        let keyed = isWhole ? collection.keyed?.count : nil
        let count: Statement = keyed ?? "(select count(*) \(fragment: chosen))"
        let total: Statement =
            switch known {
            case let known? where place != nil: "\(known.total)::bigint"
            case let known?:
                """
                case when v.revision = \(known.revision) then \(known.total)::bigint else \(fragment: count) end
                """
            case nil: count
            }
        return """
            select r.revision, r.total, p.*
              from (select v.revision, \(fragment: total) as total
                      from (select \(fragment: collection.part.revision) as revision offset 0) as v
                    offset 0) as r
              left join (\(fragment: page(of: collection, chosen))) as p on true
             order by p.place
            """
    }

    private func chosen(of collection: RosterCollection) -> Statement {
        """
          from \(fragment: collection.source) as x
         where \(fragment: conditions.map { "(\(fragment: $0))" }.joined(by: " and "))
        """
    }

    /// Whose work all objects are about that the caller did not write: of each class its `person_id`, null if there are
    /// several.
    func work(in collection: RosterCollection) -> Statement {
        """
        select x.class_id, case when count(distinct x.person_id) = 1 then min(x.person_id::text)::uuid end as person_id
               \(fragment: chosen(of: collection)) and x.is_active and not x.is_own
         group by x.class_id
        """
    }

    /// The same for a page of a whole collection, found by its index.
    ///
    /// - Parameter isExact: whether `total` is null, and the page empty, if the roster has another revision by now.
    func statement(
        _ pages: PagesByID, of collection: RosterCollection, by index: RosterIndex, isExact: Bool
    ) -> Statement {
        let from = place.map { (after: $0.sourcedID, skip: 0) } ?? index.start(of: offset)
        let rows = pages.rows(
            after: from.after, offset: from.skip,
            limit: "case when r.total is null then 0 else \(limit + 1) end")
        let revision = collection.part.revision
        return """
            select r.revision, r.total, p.*
              from (select v.revision,
                           case when v.revision = \(index.revision) or not \(isExact) then \(index.total)::bigint end
                               as total
                      from (select \(fragment: revision) as revision offset 0) as v
                    offset 0) as r
              left join lateral (select x.place, \(fragment: columns), x.sourced_id as page_key, null::text as page_sort
                                   from \(fragment: rows)) as p on true
             order by p.place
            """
    }

    /// The index of a whole collection.
    func index(_ pages: PagesByID, of collection: RosterCollection) -> Statement {
        """
        select \(fragment: collection.part.revision) as revision, m.total, m.marks
          from \(fragment: pages.marks) as m
        """
    }

    private var columns: Statement { fields.map(\.column.selected).joined(by: ", ") }

    private func page(of collection: RosterCollection, _ chosen: Statement) -> Statement {
        let work: Statement =
            collection.isOfStudentsWork
            ? """
            , x.class_id as page_class_id, x.person_id as page_person_id,
                           x.is_active and not x.is_own as page_is_work
            """ : ""
        let key: Statement = "x.sourced_id as page_key, x.is_active as page_is_active"
        if let keyed = collection.keyed, let wholeAfter {
            let rows = keyed.rows(
                after: wholeAfter, offset: place == nil ? offset : 0, limit: limit + 1)
            return """
                select x.place, \(fragment: columns), \(fragment: key), null::text as page_sort \(fragment: work)
                  from \(fragment: rows)
                """
        }
        let after: Statement =
            place.map { " and \(fragment: order.condition(behind: $0))" } ?? ""
        // What the caller named itself comes before what has the same text as our id.
        let columnsOfOrder: Statement =
            isSingle ? "x.source_id is null, x.sourced_id" : order.columns
        return """
            select row_number() over () as place, q.*
              from (select \(fragment: columns), \(fragment: key), \(fragment: order.value) as page_sort
                           \(fragment: work) \(fragment: chosen)\(fragment: after)
                     order by \(fragment: columnsOfOrder) limit \(limit + 1) offset \(place == nil ? offset : 0)) as q
            """
    }
}

extension Part {
    /// The revision of what it serves; null if it has none.
    fileprivate var revision: Statement {
        switch self {
        case .rostering: "school.roster_revision()"
        case .gradebook, .resources: "null::text"
        }
    }
}
