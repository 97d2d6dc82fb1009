import CLinux
import Glibc
import Postgres
import School
import Values

/// One of the two databases between which an organization moves.
struct MovingCell: Sendable {
    /// Where an organization lives, as this cell sees it.
    enum State: String {
        case here, readOnly, elsewhere
    }

    /// A table of an organization.
    struct Table: Sendable {
        let name: String
        let columns: [String]
    }

    /// How many rows an organization has in a table, and what is in them.
    struct Digest: Sendable, Equatable {
        let rows: Int
        let digest: String
    }

    /// Names it at the beginning of a sentence.
    let name: String
    /// How the other cell connects to it.
    let address: String
    let connection: BlockingConnection

    init(_ name: String, _ target: String, seenAs address: String) throws {
        self.name = name
        self.address = address
        do {
            connection = try BlockingConnection(target)
        } catch {
            throw CommandFailure("\(name) cannot be reached: \(error)")
        }
        let rows = try connection.query(
            "select rolsuper from pg_roles where rolname = current_user")
        guard try rows[0].bool("rolsuper") else {
            throw CommandFailure(
                "\(name) needs a login that is a superuser: replication bypasses every policy.")
        }
        try connection.execute(Self.settings)
    }

    /// The address of the other cell may hold a password: PostgreSQL's log must quote no statement, not even where one
    /// fails inside a function, and none that is slow. And what a move writes has to last.
    private static let settings: Command = """
        set log_statement = 'none'; set log_error_verbosity = terse; set log_min_error_statement = panic;
        set log_duration = off; set log_min_duration_statement = -1; set log_min_duration_sample = -1;
        set log_transaction_sample_rate = 0; set synchronous_commit = on
        """

    /// Keeps other commands from moving the organization at the same time, until this one ends.
    func claim(_ id: OrganizationID) throws {
        do {
            // The server needs a moment to notice that a command was killed.
            try connection.transaction {
                try connection.query("select set_config('lock_timeout', '10s', true)")
                try connection.query(
                    "select pg_advisory_lock(hashtextextended('moving ' || \(id.uuid.description), 0))"
                )
            }
        } catch let error as PostgresError where error.sqlState == "55P03" {
            throw CommandFailure("Another command is moving this organization.")
        }
    }

    // MARK: Where the organization lives

    /// `nil`: it does not move.
    func state(of id: OrganizationID) throws -> State? {
        try connection.query(
            "select state from school.organization_move where organization_id = \(id)"
        ).first.flatMap { State(rawValue: try $0.text("state")) }
    }

    func has(_ id: OrganizationID) throws -> Bool {
        try connection.query(
            """
            select exists (select from school.organization where organization_id = \(id)) as is_here
            """)[0].bool("is_here")
    }

    func set(_ state: State, of id: OrganizationID) throws {
        try connection.query("select school.set_move_state(\(id), \(state.rawValue))")
    }

    func note(_ change: String, of id: OrganizationID) throws {
        try connection.query("select school.note_move(\(id), \(change))")
    }

    /// Makes the organization read-only once its writers are done, and returns since when it is, in nanoseconds of the
    /// monotonic clock. Waits up to 15 seconds for webhooks that are being called: the other cell repeats a call of
    /// which it does not know the answer.
    func close(_ id: OrganizationID) throws -> Int64 {
        // Before, because people wait afterwards.
        try connection.transaction {
            try connection.query("select school.hand_over_changes(\(id))")
        }
        let end = linux_monotonic_nanoseconds() + 15_000_000_000
        while true {
            let began = linux_monotonic_nanoseconds()
            if try closes(id, insists: began > end) { return began }
            usleep(250_000)
        }
    }

    /// Makes the organization read-only, or returns false because a webhook is being called.
    private func closes(_ id: OrganizationID, insists: Bool) throws -> Bool {
        do {
            return try connection.transaction {
                try connection.query("select set_config('lock_timeout', '10s', true)")
                let rows = try connection.query(
                    "select school.close_for_move(\(id), \(insists)) as marker")
                return try rows[0].optionalUUID("marker") != nil
            }
        } catch let error as PostgresError where error.sqlState == "23514" {
            throw CommandFailure("The organization is to be deleted, so it does not move.")
        } catch let error as PostgresError where error.sqlState == "55P03" {
            throw CommandFailure(
                """
                Something has been writing in the organization for 10 seconds, such as an import. Nothing has \
                changed; repeat the command.
                """)
        }
    }

    /// The mark of the last event, if the organization is read-only.
    func marker(of id: OrganizationID) throws -> UUID? {
        try connection.query(
            "select marker_id from school.organization_move where organization_id = \(id)"
        ).first?.optionalUUID("marker_id")
    }

    func hasArrived(_ marker: UUID, of id: OrganizationID) throws -> Bool {
        try connection.query("select school.has_move_marker(\(id), \(marker)) as has_arrived")[0]
            .bool("has_arrived")
    }

    func open(_ id: OrganizationID) throws {
        try connection.transaction { try connection.query("select school.open_after_move(\(id))") }
    }

    // MARK: What it holds

    func tables() throws -> [Table] {
        try connection.query("select table_name, columns from school.moved_tables()").map {
            Table(name: try $0.text("table_name"), columns: try $0.textArray("columns"))
        }
    }

    func digests(of id: OrganizationID, _ tables: [Table]) throws -> [Digest] {
        try connection.transaction {
            try tables.map { table in
                let row = try connection.query(
                    """
                    select row_count, digest from school.move_digest(\(id), \(table.name), \(table.columns))
                    """)[0]
                return Digest(rows: try row.int("row_count"), digest: try row.text("digest"))
            }
        }
    }

    /// Fresh statistics: the planner knows nothing of rows that replication brought.
    func analyze(_ tables: [Table]) throws {
        for table in tables {
            try connection.execute("analyze school.\(identifier: table.name)")
        }
    }

    /// Deletes everything of the organization. No trigger fires, because nothing has ended.
    ///
    /// - Parameter comesBack: the development environment stays, because only the organization is copied again.
    func removeCopy(of id: OrganizationID, comesBack: Bool = false) throws {
        try connection.execute("set session_replication_role = replica")
        defer { try? connection.execute("set session_replication_role = origin") }
        while try connection.query(
            "select school.remove_moved_copy(\(id), 10000, \(comesBack)) as is_more")[0]
            .bool("is_more")
        {}
    }

    /// Forgets that the organization moves.
    func forget(_ id: OrganizationID) throws {
        try connection.query("delete from school.organization_move where organization_id = \(id)")
    }

    // MARK: Guards

    /// Places the triggers that keep a closed organization as it is, or takes them away. One table at a time, and none
    /// is waited for longer than others notice.
    func guardTables(of id: OrganizationID, _ isGuarded: Bool) throws {
        for table in try tables() {
            var tries = 0
            while try !guardTable(table.name, of: id, isGuarded) {
                tries += 1
                guard tries < 300 else {
                    throw CommandFailure(
                        "\(name) has used the table \(table.name) for a minute. Repeat the command."
                    )
                }
                usleep(200_000)
            }
        }
    }

    /// Returns whether the table was free.
    private func guardTable(
        _ table: String, of id: OrganizationID, _ isGuarded: Bool
    ) throws -> Bool {
        do {
            try connection.transaction {
                try connection.query("select set_config('lock_timeout', '100ms', true)")
                try connection.query(
                    "select school.guard_moved_table(\(id), \(table), \(isGuarded))")
            }
            return true
        } catch let error as PostgresError where error.sqlState == "55P03" {
            return false
        }
    }

    func unguarded(_ id: OrganizationID) throws -> [String] {
        try connection.query("select school.unguarded_tables(\(id)) as name").map {
            try $0.text("name")
        }
    }
}
