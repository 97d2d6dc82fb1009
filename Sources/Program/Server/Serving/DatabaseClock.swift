import JSONBytes
import Postgres
import Values

/// What is known of the database's clock, by which everything that is removed by time goes.
struct DatabaseClock {
    /// What it says now.
    let present: Timestamp
    /// What it said when a server or a command last looked.
    let lookedAt: Timestamp
    /// What it said before and after it jumped; `nil` if it is trusted, or has not proven right yet.
    let jump: (from: Timestamp, to: Timestamp)?
    /// Whether only the operator ends the jump.
    let needsAcceptance: Bool
    /// How long servers have to run until something may be removed.
    let remainingMilliseconds: Int64
    /// What was due before this may be removed; `nil` if nothing may.
    let removesBefore: Timestamp?

    init(_ row: Row) throws {
        present = try row.timestamp("present")
        lookedAt = try row.timestamp("looked_at")
        let from = try row.optionalTimestamp("jumped_from")
        let to = try row.optionalTimestamp("jumped_to")
        jump = from.flatMap { from in to.map { (from, $0) } }
        needsAcceptance = try row.bool("needs_acceptance")
        remainingMilliseconds = Int64(try row.int("remaining_milliseconds"))
        removesBefore = try row.optionalTimestamp("removes_before")
    }

    /// Refuses to name anything by a clock so far ahead that no summer explains it: what is named after a year to come
    /// stays the newest until then.
    ///
    /// - Parameters:
    ///   - undone: what was not done, such as `No backup was taken`.
    ///   - thing: what would have its name, such as `a backup`.
    func refuseFarAhead(_ undone: String, naming thing: String) throws {
        guard needsAcceptance, let jump else { return }
        throw CommandFailure(
            """
            \(undone), because the clock jumped from \(jump.from) to \(jump.to), and \(thing) is named by it. If it is \
            wrong, set it: see timedatectl. If it is right: homeroom clock accept.
            """)
    }

    /// What it is worth, in a sentence.
    var sentence: String {
        guard let jump else {
            return removesBefore.map {
                "It has proven right: what was due before \($0) is removed."
            }
                ?? "It has not proven right yet: nothing is removed by time until \(remaining)."
        }
        let end = needsAcceptance ? "you accept it (homeroom clock accept)" : remaining
        return
            "It jumped from \(jump.from) to \(jump.to): nothing is removed by time until \(end)."
    }

    private var remaining: String {
        let minutes = (remainingMilliseconds + 59_999) / 60_000
        return "servers have run for another \(minutes / 60) h \(minutes % 60) min"
    }
}

extension Statement {
    /// No row before the first look.
    static var clockState: Statement {
        """
        select present, looked_at, jumped_from, jumped_to, needs_acceptance, remaining_milliseconds, removes_before
          from school.clock_state()
        """
    }

    /// - Parameter milliseconds: what a server has measured since its own last look; a command has measured nothing.
    static func lookAtClock(measured milliseconds: Int64 = 0) -> Statement {
        "select school.look_at_clock(\(milliseconds)) as has_jumped"
    }

    /// Takes back what a clock that was ahead left in the future.
    static var mendFuture: Statement { "select school.mend_future()" }
}
