import School
import Values

/// Which rows of an organization a folder holds.
struct Changes: Sendable {
    let organizationID: OrganizationID
    /// How many transactions back a row may have been written to count as changed; `nil`: every row.
    ///
    /// Counted from the oldest transaction that the last exported snapshot did not see. A row of a
    /// transaction that began before that snapshot and was seen by it may come again: harmless,
    /// because rows replace those with the same key, and the price for never missing one.
    let age: Int32?
    /// The moment of the last exported snapshot, for what becomes visible by time alone; `nil`: every row.
    let since: Timestamp?
}
