import API
import Postgres

/// What the items of a batch refer to, found by one statement for all of them.
///
///     let locations = BatchReferences(items) { $0.location }
///     let rows = try await session.query(.resolve(locations.referring, in: organization))
///     let found = try locations.found(in: rows, &batch)
package struct BatchReferences<Entity> {
    /// All references, with pointers below their items.
    package let referring: Referring<Entity>
    /// The position of the item that each reference belongs to.
    private let positions: [Int]

    /// - Parameter references: the references of one item, if any.
    package init<Value>(
        _ items: [Batch.Item<Value>], _ references: (Value) -> Referring<Entity>?
    ) {
        let parts = items.compactMap { item in
            references(item.value).map { (item.position, $0) }
        }
        referring = Referring(joining: parts.map(\.1))
        positions = parts.flatMap { Array(repeating: $0.0, count: $0.1.pointers.count) }
    }

    /// The ids by the position of the item, in the order of its references. Items that refer to something absent or
    /// invisible are refused.
    package func found(in rows: Rows, _ batch: inout Batch) throws -> [Int: [ID<Entity>]] {
        var found: [Int: [ID<Entity>]] = [:]
        for (index, row) in rows.enumerated() {
            if let id = try row.optionalUUID("id") {
                found[positions[index], default: []].append(ID(id))
            } else {
                let wrong = Problem.unknownReference(referring.pointers[index]).errors
                batch.refuse(positions[index], wrong)
            }
        }
        return found
    }
}
