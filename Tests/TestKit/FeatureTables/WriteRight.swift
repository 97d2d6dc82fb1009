import School

/// Who may write a table at all, and which of its columns. Everything else may only be written by a function of the
/// owner, which checks for itself.
package struct WriteRight: Sendable {
    package let table: String
    package let standings: [Standing]
    /// `insert`, `update(columns)`, `delete`, in this order.
    package let rights: String

    package init(_ table: String, _ standings: [Standing], _ rights: String) {
        self.table = table
        self.standings = standings
        self.rights = rights
    }
}
