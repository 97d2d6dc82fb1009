import EventLoop
import School

/// What an organization must be able to say of itself: what it holds of one person, that it is erased, and
/// whether everything is as it should be.
package struct Records: Feature {
    let database: Database
    /// For packing archives, which must not keep the loops waiting.
    let threads = BlockingThreads(count: 1, queueLimit: 16)

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] { personEndpoints + checkEndpoints }
}
