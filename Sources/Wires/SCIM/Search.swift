import API
import JSONBytes
import Postgres

/// What a client wants of the resources of one type, or of all (RFC 7644 sections 3.4.2 and 3.4.3).
struct Search: Sendable {
    static let mostResults = 1000
    /// How long the members of all groups in one answer may be, as the database writes them. An answer ends before the
    /// group that would be too much: a service may return fewer than were asked for (RFC 7644 section 3.4.2.4).
    static let mostMemberBytes = 4 << 20

    private let filter: Filter?
    private let sortBy: String?
    private let isDescending: Bool
    /// From 0.
    let offset: Int
    let count: Int
    private let attributes: [String]
    private let excluded: [String]

    static let parameters: [Operation.Parameter] =
        [
            .optional(
                "filter", .text(1...10_000),
                "Such as userName eq \"sam@school.example\", with eq ne co sw ew gt ge lt le pr, and or not."
            ),
            .optional("sortBy", .text(1...300), "The attribute to sort by; the id when absent."),
            .optional("sortOrder", .text(1...20), "ascending, also when absent, or descending."),
            .optional(
                "startIndex", .integer(-1_000_000_000...1_000_000_000),
                "The first result, from 1 on; 1 when absent."),
            .optional(
                "count", .integer(-1_000_000_000...1_000_000_000),
                "How many results at most; 100 when absent, 1,000 at most."),
        ] + projectionParameters

    static let projectionParameters: [Operation.Parameter] = [
        .optional("attributes", .text(1...4000), "Only these attributes, separated by commas."),
        .optional(
            "excludedAttributes", .text(1...4000), "All attributes but these, separated by commas."),
    ]

    init(_ request: Request) throws(Refusal) {
        try self.init(
            filter: request.query("filter"), sortBy: request.query("sortBy"),
            sortOrder: request.query("sortOrder"), startIndex: request.queryInteger("startIndex"),
            count: request.queryInteger("count"), attributes: request.names("attributes"),
            excluded: request.names("excludedAttributes"))
    }

    /// The body of a search.
    init(_ body: JSONValue) throws(Refusal) {
        func member(_ name: String) -> JSONValue? {
            let found = body.object?.members.first { $0.key.lowercased() == name.lowercased() }
            guard let found, !found.value.isNull else { return nil }
            return found.value
        }
        func text(_ name: String) throws(Refusal) -> String? {
            guard let value = member(name) else { return nil }
            guard let text = value.text else { throw .value(name, "should be a text.") }
            return text
        }
        func number(_ name: String) throws(Refusal) -> Int? {
            guard let value = member(name) else { return nil }
            guard let number = value.int64, abs(number) <= 1_000_000_000 else {
                throw .value(name, "should be a whole number.")
            }
            return Int(number)
        }
        func names(_ name: String) throws(Refusal) -> [String] {
            guard let value = member(name) else { return [] }
            guard let names = value.array?.compactMap(\.text) else {
                throw .value(name, "should be a list of names.")
            }
            return names
        }
        guard body.object != nil else { throw .syntax("The body should be an object.") }
        try self.init(
            filter: text("filter"), sortBy: text("sortBy"), sortOrder: text("sortOrder"),
            startIndex: number("startIndex"), count: number("count"),
            attributes: names("attributes"), excluded: names("excludedAttributes"))
    }

    private init(
        filter: String?, sortBy: String?, sortOrder: String?, startIndex: Int?, count: Int?,
        attributes: [String], excluded: [String]
    ) throws(Refusal) {
        do throws(FilterMistake) {
            self.filter = try filter.map { text throws(FilterMistake) in
                try Filter(parsing: text)
            }
        } catch {
            throw Refusal.filter(error)
        }
        self.sortBy = sortBy
        switch sortOrder?.lowercased() {
        case nil, "ascending": isDescending = false
        case "descending": isDescending = true
        default: throw .value("sortOrder", "should be ascending or descending.")
        }
        offset = max(1, startIndex ?? 1) - 1
        self.count = min(max(0, count ?? 100), Self.mostResults)
        self.attributes = attributes
        self.excluded = excluded
    }

    func projection(of type: ResourceType) throws(Refusal) -> Projection {
        try Projection(attributes, without: excluded, of: type)
    }

    /// How many resources of a type there are in all, and some of them. There is one row at least; `id` is null where
    /// no resource is.
    ///
    /// - Parameters:
    ///   - isAmongAll: whether all types are searched.
    ///   - bytes: how long members may be in all; the first group is there, however many it has.
    func statement(
        of type: ResourceType, from offset: Int, upTo limit: Int, isAmongAll: Bool = false,
        members bytes: Int = mostMemberBytes
    ) throws(Refusal) -> Statement {
        let translation = FilterTranslation(type: type, knowsOtherTypes: isAmongAll)
        var condition: Statement = "true"
        if let filter { condition = try translation.condition(filter) }
        let chosen: Statement = "from \(fragment: type.source) as x where \(fragment: condition)"
        let order = try order(of: type, isAmongAll)
        let projection = try projection(of: type)
        let length: Statement = type.hasMembers(projection) ? "octet_length(q.members)" : "0"
        return """
            select r.total, p.*
              from (select count(*) as total \(fragment: chosen)) as r
              left join (select row_number() over () as place, q.*,
                                sum(\(fragment: length)) over (rows unbounded preceding) as length_so_far
                           from (select \(fragment: type.columns(projection)) \(fragment: chosen)
                                  order by \(fragment: order) limit \(limit) offset \(offset)) as q) as p
                on p.place = 1 or p.length_so_far <= \(bytes)
             order by p.place
            """
    }

    private func order(of type: ResourceType, _ isAmongAll: Bool) throws(Refusal) -> Statement {
        let direction: Statement = isDescending ? "desc" : "asc"
        guard let sortBy else { return "x.id" }
        var key: Statement?
        if case .attribute(let name)? = type.find(sortBy) {
            key =
                type.sortKeys[name.text.lowercased()] ?? type.terms[name.text.lowercased()]?.sortKey
        } else if isAmongAll, ResourceType.allCases.contains(where: { $0.find(sortBy) != nil }) {
            return "x.id"
        }
        guard let key else { throw .value("sortBy", "is not an attribute that can be sorted.") }
        return "\(fragment: key) \(fragment: direction) nulls last, x.id"
    }
}

extension Request {
    fileprivate func names(_ parameter: String) -> [String] {
        (query(parameter) ?? "").split(separator: ",").map { part in
            String(part.drop { $0 == " " }.prefix { $0 != " " })
        }
    }

    /// What `attributes` and `excludedAttributes` leave of a resource.
    func projection(of type: ResourceType) throws(Refusal) -> Projection {
        try Projection(names("attributes"), without: names("excludedAttributes"), of: type)
    }
}

extension ResourceType {
    /// Attributes with several values, sorted by the one that counts (RFC 7644 section 3.4.2.3).
    fileprivate var sortKeys: [String: Statement] {
        switch self {
        case .user: ["emails": "lower(x.email)", "emails.value": "lower(x.email)"]
        case .group: [:]
        }
    }

    /// What is read of a resource.
    func columns(_ projection: Projection) -> Statement {
        switch self {
        case .user: return "x.*"
        case .group:
            let members: Statement = hasMembers(projection) ? Self.members : "null::text"
            return "x.*, \(fragment: members) as members"
        }
    }

    /// Whether members are read.
    fileprivate func hasMembers(_ projection: Projection) -> Bool {
        self == .group
            && (projection.has("members") || projection.has("\(Schema.schoolGroup.id):teachers")
                || projection.has(Schema.schoolGroup.id))
    }

    private static let members: Statement = """
        (select coalesce(json_agg(json_build_array(m.person_id, m.display_name, m.is_teacher)
                                  order by m.person_id), '[]')::text
           from school.scim_members() as m where m.group_id = x.id)
        """
}
