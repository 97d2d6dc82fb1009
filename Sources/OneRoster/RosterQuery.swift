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

    /// Of collections that have revisions.
    static let revisionParameter: [Operation.Parameter] = [
        .optional(
            "revision", .text(1...100),
            """
            The Roster-Revision that you read pages of. While it is kept, the page is of that revision, and afterwards of \
            the present one, as Roster-Revision says. Link has it.
            """)
    ]

    static let fieldsParameter: [Operation.Parameter] = [
        .repeatable(
            "fields", .text(1...2000), "Only these fields: with commas, or one in each parameter.")
    ]

    let moment: RosterMoment
    let limit: Int
    let offset: Int
    let fields: [RosterField]
    /// Which objects, for `where`.
    let conditions: [Statement]
    /// For `order by`.
    let order: Statement
    /// Which of the objects the page begins after; `nil` if it begins at the offset.
    let position: Statement?
    /// Whether the objects are in the order of their sourcedIds, so that a page can begin after one.
    let isByID: Bool
    /// After which sourcedId a page of all objects in the roster begins, empty for none; `nil` for any other page.
    let wholeAfter: String?
    /// Whether it is one object, looked up by its id.
    let isSingle: Bool
    /// Whether objects that left the roster are among them. Those are forgotten after a time, and that does
    /// not change the revision.
    let showsFormer: Bool
    /// What the number of objects depends on, beside the collection; `nil` if the filter leaves nothing out.
    let filter: String?

    /// - Parameter parent: which objects belong to the parent of a nested collection.
    init(
        _ request: Request, of collection: RosterCollection, parent: Statement?,
        at moment: RosterMoment = .now
    ) throws(StatusInfo) {
        self.moment = moment
        limit = request.queryInteger("limit") ?? 100
        offset = request.queryInteger("offset") ?? 0
        fields = try Self.fields(request, of: collection)
        let terms = collection.fields.flatMap(\.terms)
        let wanted = try Self.filter(request)
        let condition = try wanted?.condition(on: terms)
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
        let sort = terms.first { $0.name == request.query("sort") }
        order = Self.order(request, sort)
        isByID = sort.map { $0.name == "sourcedId" } ?? true
        isSingle = false
        position = try Self.position(request, isByID: isByID)
        let isPlain = filter == nil && parent == nil && isByID
        wholeAfter =
            isPlain && request.query("orderBy") != "desc" ? request.query("after") ?? "" : nil
    }

    /// The one object that a sourcedId names, in the roster or no longer.
    init(
        _ request: Request, single sourcedID: String, of collection: RosterCollection
    ) throws(StatusInfo) {
        moment = .now
        limit = 1
        offset = 0
        fields = try Self.fields(request, of: collection)
        conditions = [collection.condition, collection.named(sourcedID)].compactMap(\.self)
        // What the caller named itself comes before what has the same text as our id.
        order = "x.source_id is null, x.sourced_id"
        isByID = false
        isSingle = true
        position = nil
        wholeAfter = nil
        showsFormer = true
        filter = nil
    }

    private static func position(
        _ request: Request, isByID: Bool
    ) throws(StatusInfo) -> Statement? {
        guard let last = request.query("after") else { return nil }
        guard isByID else {
            throw StatusInfo(
                status: 400, minor: .invalidData,
                "after: This cannot be combined with sort by another field.")
        }
        return request.query("orderBy") == "desc"
            ? #"x.sourced_id collate "C" < \#(last)"# : #"x.sourced_id collate "C" > \#(last)"#
    }

    private static func filter(_ request: Request) throws(StatusInfo) -> Filter? {
        guard let text = request.query("filter") else { return nil }
        do {
            return try Filter(parsing: text)
        } catch {
            throw StatusInfo.filter(error)
        }
    }

    private static func fields(
        _ request: Request, of collection: RosterCollection
    ) throws(StatusInfo) -> [RosterField] {
        let names = request.queries("fields").flatMap { $0.split(separator: ",") }.map {
            String($0.drop { $0 == " " })
        }
        for name in names where !collection.fields.contains(where: { $0.name == name }) {
            throw StatusInfo(
                status: 400, minor: .invalidSelectionField,
                "fields: \(name.prefix(100)) is not a field of \(collection.name).")
        }
        return names.isEmpty
            ? collection.fields : collection.fields.filter { names.contains($0.name) }
    }

    private static func order(_ request: Request, _ sort: RosterField.Term?) -> Statement {
        let direction: Statement = request.query("orderBy") == "desc" ? "desc" : "asc"
        let last: Statement = #"x.sourced_id collate "C" \#(fragment: direction)"#
        guard let term = sort else { return last }
        let key: Statement =
            switch term.kind {
            case .text: #"\#(fragment: term.expression) collate "C""#
            default: term.expression
            }
        return "\(fragment: key) \(fragment: direction) nulls last, \(fragment: last)"
    }

    /// How many objects there are, and a page of them. There is one row at least; `place` is null where no object is.
    /// `offset 0` keeps the planner from computing the revision for each row.
    ///
    /// - Parameter known: how many there were at a revision; they are counted if it is another one by now.
    func statement(of collection: RosterCollection, known: RosterTotal? = nil) -> Statement {
        let chosen = chosen(of: collection)
        return """
            select r.revision, r.total, p.*
              from (select v.revision,
                           case when v.revision = \(known?.revision) then \(known?.total)::bigint
                                else (select count(*) \(fragment: chosen)) end as total
                      from (select \(fragment: collection.part.revision(at: moment)) as revision offset 0) as v
                    offset 0) as r
              left join (\(fragment: page(of: collection, chosen))) as p on true
             order by p.place
            """
    }

    private func chosen(of collection: RosterCollection) -> Statement {
        """
          from \(fragment: collection.source(at: moment)) as x
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
    /// `total` is null, and the page empty, if the roster has another revision by now.
    func statement(
        _ pages: PagesByID, of collection: RosterCollection, by index: RosterIndex
    ) -> Statement {
        let start =
            position == nil ? index.start(of: offset) : (after: wholeAfter ?? "", skip: 0)
        let rows = pages.rows(
            after: start.after, offset: start.skip,
            limit: "case when r.total is null then 0 else \(limit) end", at: moment)
        let revision = collection.part.revision(at: moment)
        return """
            select r.revision, r.total, p.*
              from (select v.revision,
                           case when v.revision = \(index.revision) then \(index.total)::bigint end as total
                      from (select \(fragment: revision) as revision offset 0) as v
                    offset 0) as r
              left join lateral (select x.place, \(fragment: columns), x.sourced_id as page_key
                                   from \(fragment: rows)) as p on true
             order by p.place
            """
    }

    /// The index of a whole collection.
    func index(_ pages: PagesByID, of collection: RosterCollection) -> Statement {
        """
        select \(fragment: collection.part.revision(at: moment)) as revision, m.total, m.marks
          from \(fragment: pages.marks(at: moment)) as m
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
        let after: Statement = position.map { " and \(fragment: $0)" } ?? ""
        let skipped = position == nil ? offset : 0
        return """
            select row_number() over () as place, q.*
              from (select \(fragment: columns), x.sourced_id as page_key, x.is_active as page_is_active
                           \(fragment: work) \(fragment: chosen)\(fragment: after)
                     order by \(fragment: order) limit \(limit) offset \(skipped)) as q
            """
    }
}

extension Part {
    /// The revision of what it serves; null if it has none.
    fileprivate func revision(at moment: RosterMoment) -> Statement {
        switch self {
        case .rostering: "school.roster_revision(\(fragment: moment.argument))"
        case .gradebook, .resources: "null::text"
        }
    }
}
