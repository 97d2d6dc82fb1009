import API
import Postgres

/// Declares a kind of record once: its shapes, its statements and its calls are derived from this.
///
/// The smallest one is in `Courses.swift`. `SQL/statements` contains the generated statements of all resources. The
/// policies of the table decide who may see and change which rows.
package struct Resource<Entity: ResourceEntity>: Sendable {
    package let names: Names
    /// If clients choose the key. Otherwise it is a UUID that Homeroom makes.
    let key: ClientKey?
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
    /// How strongly a row is locked before it changes.
    let lockedFor: Statement
    /// Whether a list may have to look at many rows for a short page.
    let isListLong: Bool
    let reaches: [Reach]

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
            shape = one.split { " -".contains($0) }.map(\.capitalized).joined()
        }
    }

    /// - Parameters:
    ///   - key: if clients choose the key.
    ///   - columns: what bodies set.
    ///   - extras: fields of bodies that are not columns.
    ///   - computed: what answers have in addition to the columns.
    ///   - version: what an answer's ETag is made from, if it is more than the row's version.
    ///   - missing: calls that it does not have.
    ///   - current: the condition that a row still counts, if removed ones are kept: `service_account.revoked_at is
    ///     null`. Only lists show others; a filter chooses.
    ///   - joins: what the table is joined with, for computed fields: `cross join lateral (…) as seats`.
    ///   - locked: more columns of the existing row, for the rules: `class.archived_at`.
    ///   - lockedFor: how strongly a row is locked before it changes: `no key update` if others may refer to it
    ///     meanwhile.
    ///   - isListLong: whether a list may have to look at many rows for a short page.
    ///   - reaches: where the lists of those begin who read little of the table.
    package init(
        _ names: Names, key: ClientKey? = nil, columns: [any AnyColumn], extras: [Field] = [],
        computed: [Computed] = [],
        version: Statement? = nil, current: Statement? = nil, joins: Statement? = nil,
        locked: [Statement] = [], lockedFor: Statement = "update", isListLong: Bool = false,
        reaches: [Reach] = [], filters: [Filter<Entity>] = [],
        rules: Rules<Entity> = Rules(), without missing: Set<ResourceCall> = []
    ) {
        self.names = names
        self.key = key
        self.columns = columns
        self.extras = extras
        self.computed = computed
        self.version = version ?? "\(fragment: Entity.table).version"
        self.current = current
        self.filters = filters
        self.rules = rules
        self.lockedFor = lockedFor
        self.isListLong = isListLong
        self.reaches = reaches
        isReferable = columns.contains { $0.field.name == "sourceId" }
        // A PUT names a row by what the client knows in advance.
        calls = Set(ResourceCall.allCases).subtracting(missing)
            .subtracting(isReferable ? [] : key == nil ? [.replace, .batch] : [.batch])
        selections = Selections(
            of: Entity.self,
            AnsweredRow(of: Entity.table, columns: columns, computed: computed),
            hasClientKey: key != nil, version: self.version, locked: locked, joins: joins)
    }
}

// MARK: Shapes

extension Resource {
    /// The body of a `POST`.
    package var newShape: ObjectShape {
        ObjectShape(
            "New\(names.shape)", (key.map { [$0.field] } ?? []) + columns.map(\.field) + extras)
    }

    /// The body of a `PUT`.
    var replacementShape: ObjectShape {
        guard let repeated = key?.repeated else { return newShape }
        return ObjectShape(
            "\(names.shape)Replacement", [repeated] + columns.map(\.field) + extras)
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

    /// The shape of answers; lists leave out what has `isAloneOnly`, and only they have what has
    /// `isListedOnly`.
    package var shape: ObjectShape {
        let id: [Field] =
            key.map {
                [.required("id", $0.field.shape, "The same as `\($0.field.name)`."), $0.field]
            }
            ?? [.required("id", .uuid)]
        return ObjectShape(
            names.shape,
            id + AnsweredRow(of: Entity.table, columns: columns, computed: computed).fields)
    }
}

extension Substring {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
