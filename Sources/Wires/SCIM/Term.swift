import Postgres

/// What a filter compares or a list is sorted by, as SQL.
enum Term: Sendable {
    case text(Statement)
    /// A text in lower case, compared without regard to case.
    case folded(Statement)
    case id(Statement)
    case boolean(Statement)
    case moment(Statement)
    case values(Values)

    /// The values of an attribute that has several.
    struct Values: Sendable {
        /// What they are selected from as `e`.
        let source: Statement
        /// Which resource a value belongs to, where the source has those of all resources; else it has those of `x`.
        var owner: Statement?
        /// By name in lower case.
        let parts: [String: Term]

        /// The condition that a resource has a value.
        ///
        /// The values of all resources are gone through once for each comparison, not once for each resource.
        func hold(_ condition: Statement) -> Statement {
            guard let owner else {
                return
                    "(exists (select from \(fragment: source) as e where \(fragment: condition)))"
            }
            return """
                (x.id in (select \(fragment: owner) from \(fragment: source) as e where \(fragment: condition)))
                """
        }
    }

    var sortKey: Statement? {
        switch self {
        case .text(let text), .folded(let text): #"\#(fragment: text) collate "C""#
        case .id(let value), .boolean(let value), .moment(let value): value
        case .values: nil
        }
    }
}

extension ResourceType {
    /// The table, called `x` in all terms.
    var source: Statement {
        switch self {
        case .user: "school.scim_users()"
        case .group: "school.scim_groups()"
        }
    }

    /// By the names of attributes as the schemas write them, in lower case.
    var terms: [String: Term] {
        switch self {
        case .user: Self.userTerms
        case .group: Self.groupTerms
        }
    }

    private static let commonTerms: [String: Term] = [
        "id": .id("x.id"), "externalid": .text("x.external_id"),
        "meta.created": .moment("x.created_at"), "meta.lastmodified": .moment("x.updated_at"),
    ]

    private static let userTerms = commonTerms.merging(ofUsers) { first, _ in first }
    private static let groupTerms = commonTerms.merging(ofGroups) { first, _ in first }

    private static let ofUsers: [String: Term] = [
        "meta.resourcetype": .text("'User'"), "username": .folded("x.user_name_key"),
        "displayname": .folded("lower(x.display_name)"),
        "name.givenname": .folded("lower(x.given_name)"),
        "name.familyname": .folded("lower(x.family_name)"),
        "name.middlename": .folded("lower(x.middle_name)"), "active": .boolean("x.is_active"),
        "emails": .values(
            Term.Values(
                source: "(select x.email as value where x.email is not null)",
                parts: [
                    "value": .folded("lower(e.value)"), "type": .folded("'work'"),
                    "primary": .boolean("true"),
                ])),
        "roles": .values(
            Term.Values(
                source: "(select r.role from unnest(x.roles) as r (role))",
                parts: ["value": .folded("lower(e.role)")])),
        "\(Schema.enterpriseUser.id):employeenumber".lowercased(): .text("x.person_number"),
        "\(Schema.enterpriseUser.id):organization".lowercased(): .folded("lower(x.location)"),
        "\(Schema.schoolUser.id):grade".lowercased(): .text("x.grade"),
    ]

    private static let ofGroups: [String: Term] = [
        "meta.resourcetype": .text("'Group'"), "displayname": .folded("lower(x.name)"),
        "members": .values(Term.members(from: "school.scim_members()")),
        "\(Schema.schoolGroup.id):kind".lowercased(): .folded("x.kind"),
        "\(Schema.schoolGroup.id):location".lowercased(): .folded("lower(x.location)"),
        "\(Schema.schoolGroup.id):teachers".lowercased(): .values(
            Term.members(from: "(select * from school.scim_members() as m where m.is_teacher)")),
    ]
}

extension Term {
    fileprivate static func members(from source: Statement) -> Values {
        Values(
            source: source, owner: "e.group_id",
            parts: [
                "value": .id("e.person_id"), "display": .folded("lower(e.display_name)"),
                "type": .folded("'user'"),
            ])
    }
}
