import Postgres

/// What a kind of thing is, declared once: from this come its shapes, its statements and its calls.
///
/// The smallest one is in `Courses.swift`. `SQL/statements` shows the statements that come out of all of them. Who may
/// see and change which rows is decided by the policies of the table.
package struct Resource<Entity: ResourceEntity>: Sendable {
    package let names: Names
    /// What bodies set, in the order of answers.
    package let columns: [any AnyColumn]
    /// Fields of bodies that are no columns; the rules read them. A `PUT` and a `PATCH` without one keep what is there.
    package let extras: [Field]
    /// What answers have beside the columns.
    package let computed: [Computed]
    /// What an answer's ETag is made of.
    let version: Statement
    package let filters: [Filter<Entity>]
    package let rules: Rules<Entity>
    /// The calls that it has; what is not among them the feature does itself, or nobody may do.
    let calls: Set<ResourceCall>

    /// Whether the school's information system may name it: then `PUT` creates, and there are batches.
    let isReferable: Bool
    let selections: Selections

    /// How people and the API call it.
    package struct Names: Sendable {
        /// `service account`
        package let one: String
        /// `service accounts`
        package let many: String
        /// `ServiceAccount`, of the shapes.
        package let shape: String
        /// `/v1/service-accounts`
        package let path: String

        /// - Parameter one: in small letters, without an article.
        package init(_ one: String, _ many: String, at path: String) {
            self.one = one
            self.many = many
            self.path = path
            shape = one.split(separator: " ").map(\.capitalized).joined()
        }
    }

    /// - Parameters:
    ///   - columns: what bodies set.
    ///   - extras: fields of bodies that are no columns.
    ///   - computed: what answers have beside the columns.
    ///   - version: what an answer's ETag is made of, where it is more than the row's version.
    ///   - missing: calls that it does not have.
    ///   - locked: more columns of the row that is there, for the rules: `class.archived_at`.
    package init(
        _ names: Names, columns: [any AnyColumn], extras: [Field] = [], computed: [Computed] = [],
        version: Statement? = nil, locked: [Statement] = [], filters: [Filter<Entity>] = [],
        rules: Rules<Entity> = Rules(), without missing: Set<ResourceCall> = []
    ) {
        self.names = names
        self.columns = columns
        self.extras = extras
        self.computed = computed
        self.version = version ?? "\(fragment: Entity.table).version"
        self.filters = filters
        self.rules = rules
        // Without ids of the school's own nothing is created by PUT.
        isReferable = columns.contains { $0.field.name == "sourceId" }
        calls = Set(ResourceCall.allCases).subtracting(missing)
            .subtracting(isReferable ? [] : [.replace, .batch])
        selections = Selections(
            of: Entity.table, columns, computed, version: self.version, locked: locked)
    }

}

// MARK: Shapes

extension Resource {
    /// The body of a `POST` or a `PUT`.
    package var newShape: ObjectShape {
        ObjectShape("New\(names.shape)", columns.map(\.field) + extras)
    }

    /// The body of a `PATCH`.
    package var changeShape: ObjectShape {
        ObjectShape(
            "\(names.shape)Change",
            (columns.map(\.field) + extras).changed(staying: Set(extras.map(\.name))))
    }

    /// An item of a batch: what a `PUT` takes, with the `sourceId` that the path names there.
    package var itemShape: ObjectShape {
        ObjectShape(
            "\(names.shape)Item",
            newShape.fields.map { field in
                field.name == "sourceId"
                    ? .required(field.name, field.shape, field.meaning) : field
            })
    }

    /// What answers hold; lists leave out what is alone only.
    package var shape: ObjectShape {
        ObjectShape(
            names.shape,
            [.required("id", .uuid)] + columns.map(\.answer) + computed.map(\.field) + [
                .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
            ])
    }
}

extension Substring {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
