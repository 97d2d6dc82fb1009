import Glibc
import Postgres
import School
import Values

/// Moves an organization between two cells. Where it lives is written down in both, so that a move that was killed at
/// any moment can be repeated or taken back.
///
///     this cell   the other cell
///     here        elsewhere       rows are copied, and changes follow
///     readOnly    elsewhere       the last changes follow, and both are compared
///     elsewhere   elsewhere       for a moment: never do both serve it
///     elsewhere   here            changes follow back, until --finish or --back
struct OrganizationMove: Sendable {
    struct Outcome {
        let tables: Int
        let rows: Int
        /// How long nothing could be written.
        let milliseconds: Int
    }

    let id: OrganizationID
    let here: MovingCell
    let there: MovingCell

    init(_ id: OrganizationID, here: MovingCell, there: MovingCell) {
        self.id = id
        self.here = here
        self.there = there
    }

    func move() throws -> Outcome {
        try check()
        let state = try here.state(of: id)
        if state == nil || state == .here { try copy(from: here, to: there) }
        return try switchOver(from: here, to: there, canReturn: true)
    }

    /// Takes the move back, wherever it has come to.
    ///
    /// Where requests go to the other cell, its copy stays until this is repeated. Without it, the tokens that come
    /// there would be unknown, and everyone would be signed out.
    func back() throws {
        switch (try here.state(of: id), try there.state(of: id)) {
        case (.elsewhere, nil):
            throw CommandFailure("The move is being finished. Repeat it with --finish.")
        case (.elsewhere, .here), (.elsewhere, .readOnly):
            try checkSchema()
            if try there.state(of: id) == .here { try copy(from: there, to: here) }
            _ = try switchOver(from: there, to: here, canReturn: false)
            return complain(Self.afterReturn)
        case (.elsewhere, .elsewhere):
            try here.open(id)
            return complain(Self.afterReturn)
        case (.readOnly, .elsewhere): try here.set(.here, of: id)
        case (.here, .elsewhere), (.here, nil), (nil, .elsewhere): break
        default: throw CommandFailure("The organization does not move.")
        }
        try tearDown(keeping: here, removing: there)
    }

    private static let afterReturn = """
        This cell serves the organization again. Let the proxy send its requests here, then repeat the command to delete \
        the copy in the other cell.
        """

    /// Deletes what is left here.
    func finish() throws {
        switch (try here.state(of: id), try there.state(of: id)) {
        case (.elsewhere, .here), (.elsewhere, nil): break
        case (nil, _):
            guard try here.has(id) else { throw CommandFailure("There is no such organization.") }
            throw CommandFailure("The organization does not move.")
        default: throw CommandFailure("This cell still serves the organization. Repeat the move.")
        }
        guard try there.has(id) else {
            throw CommandFailure("The other cell does not have the organization.")
        }
        try tearDown(keeping: there, removing: here)
    }

    /// Ends the replication between the cells, deletes the organization in one of them, and lets the other forget that
    /// it moved.
    private func tearDown(keeping kept: MovingCell, removing left: MovingCell) throws {
        for (follower, publisher) in [(kept, left), (left, kept)] {
            try follower.unfollow(id)
            try publisher.withdraw(id)
        }
        try kept.guardTables(of: id, false)
        try kept.forget(id)
        guard try left.state(of: id) == .elsewhere else { return }
        complain("\(left.name): deleting the copy")
        try left.removeCopy(of: id)
        try left.guardTables(of: id, false)
        try left.forget(id)
    }

    /// Brings all rows to the new cell and lets changes follow. Returns when both are alike but for the last moments.
    ///
    /// PostgreSQL copies each table itself: from server to server, several at a time, and a copy that is interrupted
    /// begins again with the tables that it lacks.
    private func copy(from old: MovingCell, to new: MovingCell) throws {
        let isFollowing = try new.isFollowing(id) != nil
        let isWhole = try isFollowing && old.slot(of: id) == .kept
        if isFollowing, !isWhole {
            complain(try whatWasLost(old) + " Everything is copied again.")
        }
        if !isWhole { try clear(new, toFollow: old) }
        for cell in [here, there] { try cell.guardTables(of: id, true) }
        let (ready, all, _) = try new.copied(id)
        if isWhole, ready == all { return }
        if !isWhole {
            try old.offer(id)
            try new.follow(old, id, copies: true)
        }
        try waitForCopies(from: old, to: new)
        try new.analyze(new.tables())
    }

    /// Deletes what the new cell has of the organization, and writes down where it lives.
    private func clear(_ new: MovingCell, toFollow old: MovingCell) throws {
        try new.unfollow(id)
        try old.withdraw(id)
        // Nothing may follow the new cell while its copy is deleted.
        try old.unfollow(id)
        try new.withdraw(id)
        let states = (old: try old.state(of: id), new: try new.state(of: id))
        if states.new != nil { try new.removeCopy(of: id, comesBack: true) }
        if states.old == nil { try old.note("moveBegun", of: id) }
        try takeKeys()
        if states.new == nil { try new.set(.elsewhere, of: id) }
        if states.old == nil { try old.set(.here, of: id) }
    }

    private func waitForCopies(from old: MovingCell, to new: MovingCell) throws {
        let progress = ProgressLine("Copying")
        let before = try new.copied(id).failures
        while true {
            let (ready, all, failures) = try new.copied(id)
            if all > 0, ready == all { return progress.end() }
            guard failures - before < 5 else { throw CommandFailure(cannotFollow(new)) }
            try mustKeepChanges(old)
            progress.show(Double(ready) / Double(max(all, 1)))
            usleep(200_000)
        }
    }

    /// Throws if the cell that serves the organization lost changes that the other one lacks.
    func mustKeepChanges(_ cell: MovingCell) throws {
        guard try cell.slot(of: id) != .kept else { return }
        throw CommandFailure(
            """
            \(try whatWasLost(cell)) Nothing else is lost: \(cell.name.lowercased()) serves the organization with \
            everything in it. Repeat the command, which then copies everything again, or use \
            \(cell.name == here.name ? "--back to take the move back" : "--finish to leave it there").
            """)
    }

    /// Says how changes were lost that one cell kept for the other one.
    private func whatWasLost(_ cell: MovingCell) throws -> String {
        let (slot, why) = try (
            cell.objectName(id),
            cell.slot(of: id) == .invalid
                ? "was given up, because changes took more than max_slot_wal_keep_size"
                : "is gone, as after another server of its cluster became the leader"
        )
        return """
            The replication slot \(slot) of \(cell.name.lowercased()) \(why): the other one lacks changes that it kept.
            """
    }

    func cannotFollow(_ cell: MovingCell) -> String {
        """
        \(cell.name) cannot take what the other one sends; its PostgreSQL log says why. Mend that and repeat the \
        command, or take the move back with --back.
        """
    }
}
