import CLinux
import Glibc
import Postgres
import School
import Values

extension OrganizationMove {
    /// The longest that people wait for the last changes to follow.
    private static let patienceMilliseconds = 60_000

    /// Lets the other cell serve the organization. Everything that can take long or fail is done before it becomes
    /// read-only.
    ///
    /// - Parameter canReturn: the cell that served it follows from then on.
    func switchOver(
        from old: MovingCell, to new: MovingCell, canReturn: Bool
    ) throws -> Outcome {
        let began = try prepare(old, new, canReturn)
        var rows = 0
        let tables = try old.tables()
        if try old.state(of: id) == .elsewhere {
            // Killed in between. Nothing has been written since, so what a lost slot kept is not missed.
            if canReturn { try turn(old, new, canReturn) }
        } else {
            do {
                if try new.isFollowing(id) != nil { try waitForLastChanges(old, new) }
                rows = try compare(old, new, tables)
            } catch {
                try? old.set(.here, of: id)
                throw error
            }
            try turn(old, new, canReturn)
            try old.set(.elsewhere, of: id)
        }
        try new.open(id)
        return Outcome(
            tables: tables.count, rows: rows,
            milliseconds: Int((linux_monotonic_nanoseconds() - began) / 1_000_000))
    }

    /// Makes everything ready, and the organization read-only; returns since when it is.
    private func prepare(
        _ old: MovingCell, _ new: MovingCell, _ canReturn: Bool
    ) throws -> Int64 {
        let state = try old.state(of: id)
        guard state == .here else { return linux_monotonic_nanoseconds() }
        if canReturn {
            try new.offer(id)
            try old.follow(new, id, copies: false)
        }
        try mustKeepChanges(old)
        let unguarded = try old.unguarded(id) + new.unguarded(id)
        guard unguarded.isEmpty else {
            throw CommandFailure(
                """
                \(unguarded.count) tables have no guard any more; were triggers dropped by hand? Repeat the command with \
                --back, and move again.
                """)
        }
        return try old.close(id)
    }

    private func waitForLastChanges(_ old: MovingCell, _ new: MovingCell) throws {
        guard let marker = try old.marker(of: id) else { return }
        let end = linux_monotonic_nanoseconds() + Int64(Self.patienceMilliseconds) * 1_000_000
        while try !new.hasArrived(marker, of: id) {
            try mustKeepChanges(old)
            guard linux_monotonic_nanoseconds() < end else {
                throw CommandFailure(
                    "\(new.name) did not catch up within a minute. The organization stays where it is."
                )
            }
            usleep(10_000)
        }
    }

    /// Returns the number of rows; throws if a table is not the same in both.
    private func compare(
        _ old: MovingCell, _ new: MovingCell, _ tables: [MovingCell.Table]
    ) throws -> Int {
        let id = id
        let (left, right) = try waitFor {
            async let left = old.digests(of: id, tables)
            async let right = new.digests(of: id, tables)
            return try await (left, right)
        }
        let different = zip(tables, zip(left, right)).filter { $0.1.0 != $0.1.1 }
        guard different.isEmpty else {
            let list = different.map { table, digests in
                "\(table.name) (\(digests.0.rows) rows, \(digests.1.rows) there)"
            }
            throw CommandFailure(
                """
                These tables are not the same in both cells: \(list.joined(separator: ", ")). The organization stays \
                where it is. Take the move back with --back, and report this.
                """)
        }
        return left.reduce(0) { $0 + $1.rows }
    }

    /// Turns replication around. Nothing is written meanwhile.
    private func turn(_ old: MovingCell, _ new: MovingCell, _ canReturn: Bool) throws {
        try new.unfollow(id)
        try old.withdraw(id)
        guard canReturn else { return }
        try new.offer(id)
        try old.follow(new, id, copies: false)
        guard try old.isFollowing(id) == false else { return }
        try new.skipToNow(id)
        try old.startFollowing(id)
    }
}
