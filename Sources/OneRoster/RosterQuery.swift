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
                "Only what comes after this sourcedId, instead of offset; not with sort. Link has it."
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

    /// - Parameter parent: which objects belong to the parent of a nested collection.
    init(
        _ request: Request, of collection: RosterCollection, parent: Statement?
    ) throws(StatusInfo) {
        limit = request.queryInteger("limit") ?? 100
        offset = request.queryInteger("offset") ?? 0
        fields = try Self.fields(request, of: collection)
        let terms = collection.fields.flatMap(\.terms)
        var conditions = [collection.condition, parent].compactMap(\.self)
        var showsFormer = false
        if let text = request.query("filter") {
            let filter = try Self.filter(text)
            showsFormer = !filter.fields.isDisjoint(with: ["status", "dateLastModified"])
            conditions.append(try filter.condition(on: terms))
        }
        // Objects that left the roster are for clients that ask what changed.
        if !showsFormer { conditions.append("x.is_active") }
        self.conditions = conditions
        order = Self.order(request, terms)
        isByID = request.query("sort") == nil
        position = try Self.position(request)
    }

    /// The one object that a sourcedId names, in the roster or no longer.
    init(
        _ request: Request, single sourcedID: String, of collection: RosterCollection
    ) throws(StatusInfo) {
        limit = 1
        offset = 0
        fields = try Self.fields(request, of: collection)
        conditions = [collection.condition, collection.named(sourcedID)].compactMap(\.self)
        // What the caller named itself comes before what has the same text as our id.
        order = "x.source_id is null, x.sourced_id"
        isByID = false
        position = nil
    }

    private static func position(_ request: Request) throws(StatusInfo) -> Statement? {
        guard let last = request.query("after") else { return nil }
        guard request.query("sort") == nil else {
            throw StatusInfo(
                status: 400, minor: .invalidData, "after: This cannot be combined with sort.")
        }
        return request.query("orderBy") == "desc"
            ? #"x.sourced_id collate "C" < \#(last)"# : #"x.sourced_id collate "C" > \#(last)"#
    }

    private static func filter(_ text: String) throws(StatusInfo) -> Filter {
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

    private static func order(_ request: Request, _ terms: [RosterField.Term]) -> Statement {
        let direction: Statement = request.query("orderBy") == "desc" ? "desc" : "asc"
        let last: Statement = #"x.sourced_id collate "C" \#(fragment: direction)"#
        let wanted = request.query("sort")
        guard let term = terms.first(where: { $0.name == wanted }) else { return last }
        let key: Statement =
            switch term.kind {
            case .text: #"\#(fragment: term.expression) collate "C""#
            default: term.expression
            }
        return "\(fragment: key) \(fragment: direction) nulls last, \(fragment: last)"
    }

    /// How many objects there are, and a page of them. There is one row at least; `place` is null where no object is.
    func statement(of collection: RosterCollection) -> Statement {
        let columns = fields.flatMap(\.columns).map(\.selected).joined(by: ", ")
        let page: Statement = position.map { " and \(fragment: $0)" } ?? ""
        let skipped = position == nil ? offset : 0
        let chosen: Statement = """
              from \(fragment: collection.source) as x
             where \(fragment: conditions.map { "(\(fragment: $0))" }.joined(by: " and "))
            """
        return """
            select r.revision, r.total, p.*
              from (select \(fragment: collection.part.revision) as revision,
                           (select count(*) \(fragment: chosen)) as total) as r
              left join (select row_number() over () as place, q.*
                           from (select \(fragment: columns), x.sourced_id as page_key
                                        \(fragment: chosen)\(fragment: page)
                                  order by \(fragment: order) limit \(limit) offset \(skipped)) as q) as p on true
             order by p.place
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
