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
        if state == nil || state == .here { try copy() }
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

    /// Brings all rows to the other cell and lets changes follow. Returns when both are alike but for the last moments.
    ///
    /// PostgreSQL copies each table itself: from server to server, several at a time, and a copy that is interrupted
    /// begins again with the tables that it lacks.
    private func copy() throws {
        // A slot is lost with the leader of a cluster, and with it what the other cell lacks.
        if try there.isFollowing(id) == nil || !here.hasSlot(id) {
            try there.unfollow(id)
            // Nothing may follow the other cell while its copy is deleted.
            try here.unfollow(id)
            try there.withdraw(id)
            if try there.state(of: id) != nil { try there.removeCopy(of: id) }
            if try here.state(of: id) == nil { try here.note("moveBegun", of: id) }
            try takeKeys()
        }
        try there.set(.elsewhere, of: id)
        if try here.state(of: id) == nil { try here.set(.here, of: id) }
        for cell in [here, there] { try cell.guardTables(of: id, true) }
        try here.offer(id)
        try there.follow(here, id, copies: true)
        try waitForCopies()
        try there.analyze(there.tables())
    }

    private func waitForCopies() throws {
        let progress = ProgressLine("Copying")
        let before = try there.copied(id).failures
        while true {
            let (ready, all, failures) = try there.copied(id)
            if all > 0, ready == all { return progress.end() }
            guard failures - before < 5 else { throw CommandFailure(cannotFollow(there)) }
            progress.show(Double(ready) / Double(max(all, 1)))
            usleep(200_000)
        }
    }

    func cannotFollow(_ cell: MovingCell) -> String {
        """
        \(cell.name) cannot take what the other one sends; its PostgreSQL log says why. Mend that and repeat the \
        command, or take the move back with --back.
        """
    }
}
