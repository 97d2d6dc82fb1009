import Postgres

/// The indexes whose order is that of a collation of the operating system, which an upgrade of the system may change.
///
/// A search in an index with the old order misses rows.
struct CollatedIndexes {
    /// What was done.
    struct Outcome {
        /// The names of the indexes.
        let rebuilt: [String]
        /// The names of the collations whose version was noted.
        let noted: [String]
    }

    private struct Entry {
        let index: String
        let isExclusion: Bool
        let schema: String
        let collation: String
        let isCurrent: Bool

        init(_ row: Row) throws {
            index = try row.text("index_name")
            isExclusion = try row.bool("is_exclusion")
            schema = try row.text("collation_schema")
            collation = try row.text("collation_name")
            isCurrent = try row.optionalText("made_with") == row.optionalText("system_has")
        }
    }

    /// A connection as the schema's owner.
    private let connection: BlockingConnection

    init(_ connection: BlockingConnection) {
        self.connection = connection
    }

    /// Rebuilds those whose collation has changed since they were made, while others read and write, and notes the new
    /// version of the collation. If it is interrupted, it can be repeated.
    ///
    /// - Parameter all: whether to rebuild also those whose collation seems to be the same.
    func rebuild(all: Bool = false) throws -> Outcome {
        let lock = try connection.query("select pg_try_advisory_lock(7166420318234) as is_free")
        guard try lock[0].bool("is_free") else {
            throw CommandFailure("Another homeroom reindex is at work.")
        }
        defer { _ = try? connection.query("select pg_advisory_unlock(7166420318234)") }
        try connection.execute("set role school_owner")
        try dropRemains()
        let entries = try connection.query("select * from school.collated_indexes()")
            .map(Entry.init).filter { all || !$0.isCurrent }
        var rebuilt: [String] = []
        for entry in entries where rebuilt.last != entry.index {
            try rebuild(entry)
            rebuilt.append(entry.index)
        }
        try connection.execute("reset role")
        return Outcome(rebuilt: rebuilt, noted: try note(entries.filter { !$0.isCurrent }, rebuilt))
    }

    private func rebuild(_ entry: Entry) throws {
        if entry.isExclusion {
            try connection.execute("reindex index school.\(identifier: entry.index)")
        } else {
            try connection.execute("reindex index concurrently school.\(identifier: entry.index)")
        }
    }

    /// Drops the incomplete indexes that an interrupted rebuild leaves.
    private func dropRemains() throws {
        let names = try connection.query(
            """
            select c.relname::text as name from pg_index as i join pg_class as c on c.oid = i.indexrelid
             where c.relnamespace = 'school'::regnamespace and not i.indisvalid
               and c.relname ~ '_cc(new|old)[0-9]*$'
            """)
        for row in names {
            let name = try row.text("name")
            try connection.execute("drop index concurrently school.\(identifier: name)")
        }
    }

    /// Notes the versions that the collations have now. Those of the system belong to the superuser.
    private func note(_ entries: [Entry], _ rebuilt: [String]) throws -> [String] {
        var noted: [String] = []
        for entry in entries where !noted.contains(entry.collation) {
            do {
                try refresh(entry)
            } catch let error as PostgresError where error.sqlState == "42501" {
                let own = "alter collation \(entry.schema).\"\(entry.collation)\" refresh version"
                throw CommandFailure(
                    """
                    \(rebuilt.count) indexes were rebuilt, and only a superuser can note that the order of \
                    \(entry.collation) is the new one. As one, run: \
                    \(entry.collation == "default" ? "alter database … refresh collation version" : own)
                    """)
            }
            noted.append(entry.collation)
        }
        return noted
    }
    private func refresh(_ entry: Entry) throws {
        guard entry.collation == "default" else {
            return try connection.execute(
                "alter collation \(identifier: entry.schema).\(identifier: entry.collation) refresh version"
            )
        }
        let name = try connection.query("select current_database()::text as name")[0].text("name")
        try connection.execute("alter database \(identifier: name) refresh collation version")
    }
}
