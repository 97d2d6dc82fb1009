import Postgres

/// Declares a kind of record once: its shapes, its statements and its calls are derived from this.
///
/// The smallest one is in `Courses.swift`. `SQL/statements` contains the generated statements of all resources. The
/// policies of the table decide who may see and change which rows.
package struct Resource<Entity: ResourceEntity>: Sendable {
    package let names: Names
    /// The columns that bodies set, in the order of answers.
    package let columns: [any AnyColumn]
    /// Fields of bodies that are not columns; the rules read them. A `PUT` or a `PATCH` without one keeps the
    /// existing value.
    package let extras: [Field]
    /// What answers have in addition to the columns.
    package let computed: [Computed]
    /// What an answer's ETag is made from.
    let version: Statement
    /// The condition that a row still counts, for those that are kept after their removal; only lists show others.
    let current: Statement?
    package let filters: [Filter<Entity>]
    package let rules: Rules<Entity>
    /// The resource's calls. The feature implements the others itself, or no one may make them.
    let calls: Set<ResourceCall>

    /// Whether the school's information system may name it. If so, `PUT` creates, and there are batches.
    let isReferable: Bool
    let selections: Selections

    /// Its names in prose and in the API.
    package struct Names: Sendable {
        /// `service account`
        package let one: String
        /// `service accounts`
        package let many: String
        /// `ServiceAccount`, for the shapes.
        package let shape: String
        /// `/v1/service-accounts`
        package let path: String

        /// - Parameter one: in lower case, without an article.
        package init(_ one: String, _ many: String, at path: String) {
            self.one = one
            self.many = many
            self.path = path
            shape = one.split(separator: " ").map(\.capitalized).joined()
        }
    }

    /// - Parameters:
    ///   - columns: what bodies set.
    ///   - extras: fields of bodies that are not columns.
    ///   - computed: what answers have in addition to the columns.
    ///   - version: what an answer's ETag is made from, if it is more than the row's version.
    ///   - missing: calls that it does not have.
    ///   - current: the condition that a row still counts, if removed ones are kept: `service_account.revoked_at is
    ///     null`. Only lists show others; a filter chooses.
    ///   - locked: more columns of the existing row, for the rules: `class.archived_at`.
    package init(
        _ names: Names, columns: [any AnyColumn], extras: [Field] = [], computed: [Computed] = [],
        version: Statement? = nil, current: Statement? = nil, locked: [Statement] = [],
        filters: [Filter<Entity>] = [],
        rules: Rules<Entity> = Rules(), without missing: Set<ResourceCall> = []
    ) {
        self.names = names
        self.columns = columns
        self.extras = extras
        self.computed = computed
        self.version = version ?? "\(fragment: Entity.table).version"
        self.current = current
        self.filters = filters
        self.rules = rules
        // Without source ids, PUT creates nothing.
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

    /// An item of a batch: what a `PUT` takes, with the `sourceId` that is in the path there.
    package var itemShape: ObjectShape {
        ObjectShape(
            "\(names.shape)Item",
            newShape.fields.map { field in
                field.name == "sourceId"
                    ? .required(field.name, field.shape, field.meaning) : field
            })
    }

    /// The shape of answers; lists leave out what has `isAloneOnly`.
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
