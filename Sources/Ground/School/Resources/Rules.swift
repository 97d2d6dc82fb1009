import API
import Postgres

/// What a resource's columns alone cannot express. Each rule runs at the point its comment names; by default, it does
/// nothing.
package struct Rules<Entity: ResourceEntity>: Sendable {
    /// Before an existing row is locked: explains refusals where policies would only hide the row.
    package var before: @Sendable (Request, Caller, Database) async throws -> Void = { _, _, _ in }
    /// Checks a body by itself.
    package var validate: @Sendable (Draft<Entity>) throws -> Void = { _ in }
    /// Checks and completes what is about to be written; its references are resolved.
    package var check: @Sendable (inout Draft<Entity>, Session, Caller) async throws -> Void = {
        _, _, _ in
    }
    /// Writes what belongs to the row into other tables, after the row itself.
    package var complete: (@Sendable (Draft<Entity>, Session, Caller) async throws -> Void)?
    /// Counts what refers to a row, which then cannot be removed. The columns have names for people (`"roles of
    /// people"`).
    package var dependents: (@Sendable (Entity.Key, OrganizationID) -> Statement)?
    /// Removes a row, if that is not deleting it.
    package var remove: (@Sendable (Entity.Key, OrganizationID) -> Statement)?
    /// What follows a removal in its transaction, such as an audit event.
    package var removed: @Sendable (Entity.Key) -> [Statement] = { _ in [] }
    package var batch = BatchRules<Entity>()

    /// - Parameter give: sets the rules that do something.
    package init(_ give: (inout Self) -> Void = { _ in }) { give(&self) }
}

extension Rules where Entity: Referable {
    /// For `removed`: an audit event of the kind `removal`.
    package static var auditRemoval: @Sendable (ID<Entity>) -> [Statement] {
        { [.audit("removal", subjectKind: Entity.table.text, subject: $0.uuid)] }
    }
}

/// Rules for the items of a batch, in addition to `Rules.validate`.
package struct BatchRules<Entity: ResourceEntity>: Sendable {
    package typealias Items = [Batch.Item<Draft<Entity>>]

    /// Refuses items, and completes the others; their references are resolved.
    package var check: @Sendable (inout Items, inout Batch, Session, Caller) async throws -> Void =
        {
            _, _, _, _ in
        }
    /// Writes what belongs to the rows into other tables.
    package var complete: @Sendable (Items, inout Batch, Session, Caller) async throws -> Void = {
        _, _, _, _ in
    }
    /// Writes the rows, if that takes more than `Resource.putAll`.
    package var put: (@Sendable (JSONDocument, Caller) -> Statement)?
    /// The mistakes for outcomes of such a statement that are not in `Batch.Outcome`.
    package var refusals: @Sendable (Caller) -> [String: Problem.Invalid] = { _ in [:] }

    package init() {}
}
