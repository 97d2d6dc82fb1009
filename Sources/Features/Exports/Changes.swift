import School
import Values

/// Which rows of an organization a folder contains.
struct Changes: Sendable {
    let organizationID: OrganizationID
    /// How many transactions ago a row may have been written to count as changed; `nil` for every row.
    ///
    /// Counted from the oldest transaction that the last exported snapshot did not see. A row of a transaction that
    /// began before that snapshot and was seen by it may be exported again. That is harmless, because rows replace
    /// those with the same key, and it is the price for never missing one.
    let age: Int32?
    /// The time of the last exported snapshot, for rows that become visible by time alone; `nil` for every row.
    let since: Timestamp?
}
