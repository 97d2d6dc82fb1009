import API
import Postgres

/// A parameter of a list, and the condition that it puts on the rows.
package struct Filter<Entity: ResourceEntity>: Sendable {
    package let parameter: Endpoint.Parameter
    /// Begins with `and`; `nil` if the query does not use the parameter.
    package let condition: @Sendable (Request, OrganizationID) -> Statement?

    package init(
        _ parameter: Endpoint.Parameter,
        _ condition: @escaping @Sendable (Request, OrganizationID) -> Statement?
    ) {
        self.parameter = parameter
        self.condition = condition
    }
}

extension Filter {
    /// Only rows changed since a point in time.
    package static var updatedSince: Filter {
        Filter(
            .optional("updatedSince", .timestamp, "Only what changed at this moment or later.")
        ) { request, _ in
            request.queryTimestamp("updatedSince").map {
                "and \(fragment: Entity.table).updated_at >= \($0)"
            }
        }
    }

    /// Only rows with this value.
    package static func equals(_ column: some AnyColumn, _ meaning: String) -> Filter {
        let field = column.field
        return Filter(.optional(field.name, field.shape, meaning)) { request, _ in
            request.query(field.name).map { text in
                let value = column.value(of: field.shape.value(ofQuery: text))
                return "and \(fragment: Entity.table).\(fragment: column.name) = \(value)"
            }
        }
    }

    /// Only rows that refer to what the parameter names.
    package static func refers<Other: Referable>(
        _ column: Column<ID<Other>?>, _ meaning: String
    ) -> Filter {
        refers(column, to: Other.self, meaning)
    }

    package static func refers<Other: Referable>(
        _ column: Column<ID<Other>>, _ meaning: String
    ) -> Filter {
        refers(column, to: Other.self, meaning)
    }

    private static func refers<Other: Referable>(
        _ column: some AnyColumn, to other: Other.Type, _ meaning: String
    ) -> Filter {
        let (parameter, name) = (column.field.name, column.name)
        return Filter(.optional(parameter, .reference, meaning)) { request, organization in
            let reference: Reference<Other>? = request.queryReference(parameter)
            return reference.map {
                """
                and \(fragment: Entity.table).\(fragment: name) = \(fragment: $0.value(in: organization))
                """
            }
        }
    }
}

extension Filter where Entity: Referable {
    /// Only the row with this id in the school's information system.
    package static var sourceID: Filter {
        Filter(
            .optional(
                "sourceId", .text(1...255),
                "Only the one with this id in the school's information system.")
        ) { request, _ in
            request.query("sourceId").map { "and \(fragment: Entity.table).source_id = \($0)" }
        }
    }

    /// Only rows with a matching name; `school.find_named` knows the table.
    package static var name: Filter {
        Filter(
            .optional(
                "q", .text(1...256),
                "Only records with each of these words in the name, as a beginning or a part; accents "
                    + "and case make no difference.")
        ) { request, _ in
            request.query("q").map {
                """
                and \(fragment: Entity.table).\(fragment: Entity.table)_id
                    = any (school.find_named('\(fragment: Entity.table)', \($0)))
                """
            }
        }
    }
}
