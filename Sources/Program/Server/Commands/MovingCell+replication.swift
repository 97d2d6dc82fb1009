import Glibc
import Postgres
import School

/// Publications, slots and subscriptions of a move. All have the same name, and each step can be repeated.
extension MovingCell {
    func objectName(_ id: OrganizationID) throws -> String {
        try connection.query("select school.move_name(\(id)) as name")[0].text("name")
    }

    /// Publishes the organization's changes and keeps them for the other cell from now on. What a lost slot kept is
    /// not missed: nothing has been written here since the other cell had everything.
    ///
    /// The publication comes first: a slot that begins before its publication can never be read.
    func offer(_ id: OrganizationID) throws {
        try connection.query("select school.publish_move(\(id))")
        switch try slot(of: id) {
        case .kept: return
        case .absent: break
        case .invalid: try dropSlot(of: id)
        }
        // Waits for the transactions that run now, of every organization.
        try connection.query(
            "select pg_create_logical_replication_slot(\(objectName(id)), 'pgoutput')")
    }

    /// What keeps the changes here for the other cell.
    enum Slot {
        case kept
        /// Not made, or lost with the leader of a cluster: PostgreSQL's standbys have no slots.
        case absent
        /// PostgreSQL gave the changes up, because they took more than `max_slot_wal_keep_size`.
        case invalid
    }

    func slot(of id: OrganizationID) throws -> Slot {
        let rows = try connection.query(
            """
            select coalesce(wal_status, 'lost') = 'lost' as is_invalid from pg_replication_slots
             where slot_name = \(objectName(id)) and database = current_database()
            """)
        guard let row = rows.first else { return .absent }
        return try row.bool("is_invalid") ? .invalid : .kept
    }

    /// Takes publication and slot away. The other cell no longer follows.
    func withdraw(_ id: OrganizationID) throws {
        try connection.execute("drop publication if exists \(identifier: objectName(id))")
        try dropSlot(of: id)
    }

    private func dropSlot(of id: OrganizationID) throws {
        let name = try objectName(id)
        var tries = 0
        while try slot(of: id) != .absent {
            do {
                try connection.query("select pg_drop_replication_slot(\(name))")
            } catch {
                guard error.sqlState == "55006", tries < 100 else { throw error }
                tries += 1
                // The sender notices that its reader is gone when it sends the next time.
                try connection.query(
                    "select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = \(name)"
                )
                usleep(100_000)
            }
        }
    }

    /// Whether this cell takes changes from the other one, or is prepared to; `nil` if neither.
    func isFollowing(_ id: OrganizationID) throws -> Bool? {
        try connection.query(
            """
            select s.subenabled from pg_subscription as s join pg_database as d on d.oid = s.subdbid
             where s.subname = \(objectName(id)) and d.datname = current_database()
            """
        ).first?.bool("subenabled")
    }

    /// Begins to follow the other cell: with a copy of all rows at once; without, when `startFollowing` says so.
    func follow(_ other: MovingCell, _ id: OrganizationID, copies: Bool) throws {
        guard try isFollowing(id) == nil else { return }
        do {
            try connection.query(
                "select school.subscribe_move(\(id), \(other.address), \(copies))")
        } catch {
            throw CommandFailure("\(name) cannot follow the other one. \(error)")
        }
    }

    func startFollowing(_ id: OrganizationID) throws {
        try connection.execute("alter subscription \(identifier: objectName(id)) enable")
    }

    func unfollow(_ id: OrganizationID) throws {
        try connection.query("select school.unsubscribe_move(\(id))")
    }

    /// Leaves out of what is kept for the other cell all that came from there.
    func skipToNow(_ id: OrganizationID) throws {
        // The commit brings everything before it to the disk, which replication did not wait for.
        try connection.query(
            "update school.organization_move set changed_at = school.moment() where organization_id = \(id)"
        )
        try connection.query(
            "select pg_replication_slot_advance(\(objectName(id)), pg_current_wal_flush_lsn())")
    }

    /// How many tables are copied, of how many, and how often replication failed.
    func copied(_ id: OrganizationID) throws -> (ready: Int, all: Int, failures: Int) {
        let row = try connection.query(
            """
            select count(*) filter (where r.srsubstate = 'r') as ready, count(*) as tables,
                   (select coalesce(sum(f.apply_error_count + f.sync_error_count), 0)::bigint
                      from pg_stat_subscription_stats as f where f.subname = \(objectName(id))) as failures
              from pg_subscription_rel as r join pg_subscription as s on s.oid = r.srsubid
             where s.subname = \(objectName(id))
            """)[0]
        return (try row.int("ready"), try row.int("tables"), try row.int("failures"))
    }
}
