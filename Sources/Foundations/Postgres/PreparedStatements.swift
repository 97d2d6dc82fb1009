/// A statement that a connection has prepared for one role, or is about to.
final class PreparedStatement {
    let name: [CChar]
    let role: String
    let statement: Statement
    fileprivate let key: UInt64
    fileprivate(set) var lastUse: UInt64
    /// Whether PostgreSQL has confirmed that it exists. Requests sent before that do not rely on it, since the
    /// request that carries the Parse may be aborted.
    var isReady = false
    fileprivate var isRetired = false
    /// The columns it returns, known from its first result on.
    var columns: Columns?

    fileprivate init(
        name: [CChar], role: String, statement: Statement, key: UInt64, lastUse: UInt64
    ) {
        self.name = name
        self.role = role
        self.statement = statement
        self.key = key
        self.lastUse = lastUse
    }
}

/// The statements a connection has prepared: a bounded registry that forgets the least recently used.
///
/// An entry is for a role and a text, since one prepared statement that alternates between roles is planned
/// anew each time. Preparing is not transactional: what was prepared stays even if its request fails later.
struct PreparedStatements {
    /// How a statement is to be sent.
    enum Use {
        /// By its name.
        case ready(PreparedStatement)
        /// After a Parse under this name.
        case fresh(PreparedStatement)
        /// With its text, without a name.
        case unnamed
    }

    private let limit: Int
    private var entries: [UInt64: PreparedStatement] = [:]
    private var clock: UInt64 = 0
    private var namesGiven = 0
    /// Entries that still exist on the server and have to be deallocated there.
    private(set) var retired: [PreparedStatement] = []

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { entries.count }

    mutating func use(_ statement: Statement, as identity: Identity?) -> Use {
        clock += 1
        let key = statement.fingerprint ^ (identity?.roleHash ?? 0)
        let role = identity?.role ?? ""
        if let entry = entries[key] {
            guard entry.isReady, entry.role == role, entry.statement.hasSameText(as: statement)
            else { return .unnamed }
            entry.lastUse = clock
            return .ready(entry)
        }
        if entries.count >= limit { retireOldest() }
        namesGiven += 1
        let name = "s\(namesGiven)".utf8CString
        let entry = PreparedStatement(
            name: Array(name), role: role, statement: statement, key: key, lastUse: clock)
        entries[key] = entry
        return .fresh(entry)
    }

    /// Forgets an entry that does not exist on the server.
    mutating func remove(_ entry: PreparedStatement) {
        forget(entry)
        retired.removeAll { $0 === entry }
    }

    /// Forgets an entry that exists on the server.
    mutating func retire(_ entry: PreparedStatement) {
        guard !entry.isRetired else { return }
        entry.isRetired = true
        forget(entry)
        retired.append(entry)
    }

    /// Takes back an entry whose deallocation did not happen.
    mutating func retireAgain(_ entry: PreparedStatement) {
        retired.append(entry)
    }

    /// Hands out the entries to deallocate.
    mutating func takeRetired() -> [PreparedStatement] {
        defer { retired = [] }
        return retired
    }

    private mutating func forget(_ entry: PreparedStatement) {
        if entries[entry.key] === entry { entries[entry.key] = nil }
    }

    private mutating func retireOldest() {
        let oldest = entries.values.filter(\.isReady).min { $0.lastUse < $1.lastUse }
        if let oldest { retire(oldest) }
    }
}
