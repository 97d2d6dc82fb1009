import EventLoop
import School

/// What an organization must be able to prove: what it stores about a person, that a person is erased, and whether
/// everything is in order.
package struct Records: Feature {
    package let meaning = "One person's data, erasure, and checks of the directory."
    let database: Database
    /// For packing archives, which must not block the loops.
    let threads = BlockingThreads(count: 1, queueLimit: 16)
    let spool: String

    /// - Parameter spool: the folder for what is too large for memory.
    package init(database: Database, spool: String) {
        self.database = database
        self.spool = spool
    }

    package var endpoints: [Endpoint] {
        personEndpoints + correctionEndpoints + checkEndpoints
    }
}
