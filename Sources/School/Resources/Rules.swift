import Postgres

/// What a resource's columns alone do not say: each rule is called where its comment says, and does nothing unless it is
/// given.
package struct Rules<Entity: ResourceEntity>: Sendable {
    /// Before a row that is there is locked: says in words what policies would only hide.
    package var before: @Sendable (Request, Caller, Database) async throws -> Void = { _, _, _ in }
    /// Checks a body by itself.
    package var validate: @Sendable (Draft<Entity>) throws -> Void = { _ in }
    /// Checks and completes what is about to be written; its references are resolved.
    package var check: @Sendable (inout Draft<Entity>, Session, Caller) async throws -> Void = {
        _, _, _ in
    }
    /// Writes what belongs to the row into other tables, after the row itself.
    package var complete: (@Sendable (Draft<Entity>, Session, Caller) async throws -> Void)?
    /// Counts what refers to a row, in columns named as people call it (`"roles of people"`): it cannot be removed then.
    package var dependents: (@Sendable (ID<Entity>, OrganizationID) -> Statement)?
    /// Removes a row, where it takes more than that.
    package var remove: (@Sendable (ID<Entity>) -> Statement)?
    package var batch = BatchRules<Entity>()

    /// - Parameter give: sets the rules that are not nothing.
    package init(_ give: (inout Self) -> Void = { _ in }) { give(&self) }
}

/// What holds for the items of a batch beside `Rules.validate`.
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
    /// Writes the rows where it takes more than `Resource.putAll`.
    package var put: (@Sendable (JSONDocument, Caller) -> Statement)?
    /// What is wrong where such a statement answers another outcome than those of `Batch.Outcome`.
    package var refusals: @Sendable (Caller) -> [String: Problem.Invalid] = { _ in [:] }

    package init() {}
}
