/// Passwords that wait to be hashed, their order, and how long each still waits.
///
/// Known askers (signed in, or at a device from which the person signed in before) go before strangers, who still get
/// every fourth turn. Among both, organizations take turns, and within each its accounts; among strangers, the networks
/// stand between the two. A flood from one network, or for one account or one school, therefore waits behind itself.
///
/// The queue is bounded by time, not by number: a job is taken in if its turn comes within the time that its caller
/// waits. Times are nanoseconds; callers hand them in.
struct HashingQueue<Job> {
    /// What became of a job that was to be added.
    enum Admission: Equatable {
        case isIn
        /// It is not in. A new try after that time gets a turn if no more come.
        case comeBack(after: Int64)
    }

    /// After this many turns of known askers, a stranger gets a turn.
    private static var knownInRow: Int { 3 }
    /// How many passwords of one account may wait. More than that come from guessing, or from sending the form again.
    private static var ofAccount: Int { 4 }

    private let threads: Int
    /// How long one hash takes; the mean of the last ones.
    private var pace: Int64
    private var running = 0
    private var known = FairLine<Job>()
    private var strangers = FairLine<Job>()
    private var knownServedInRow = 0

    /// - Parameters:
    ///   - threads: how many hashes are made at a time.
    ///   - pace: how long one probably takes.
    init(threads: Int, pace: Int64) {
        self.threads = threads
        self.pace = pace
    }

    /// How many jobs wait.
    var count: Int { known.count + strangers.count }
    /// How many jobs were given out and have not ended.
    var runningCount: Int { running }

    /// Adds a job if its turn comes within the patience of its caller.
    mutating func add(_ job: Job, of asker: Asker, ticket: Int, patience: Int64) -> Admission {
        let isCrowded = line(of: asker).count(at: asker.path[...]) >= Self.ofAccount
        if asker.isKnown {
            known.add(job, ticket: ticket, at: asker.path[...])
        } else {
            strangers.add(job, ticket: ticket, at: asker.path[...])
        }
        let wait = wait(of: ticket, asker) ?? 0
        guard isCrowded || wait > patience else { return .isIn }
        _ = withdraw(ticket, of: asker)
        return .comeBack(after: isCrowded ? wait : wait - patience)
    }

    /// Removes and returns the next job; `nil` if nothing waits.
    mutating func next() -> Job? {
        let isKnownNext = strangers.count == 0 || knownServedInRow < Self.knownInRow
        let isKnown = isKnownNext && known.count > 0
        guard let job = isKnown ? known.next() : strangers.next() ?? known.next() else {
            return nil
        }
        knownServedInRow = isKnown ? knownServedInRow + 1 : 0
        running += 1
        return job
    }

    /// A job that was given out has ended, and took that long.
    mutating func ended(after time: Int64) {
        running -= 1
        pace += (time - pace) / 8
    }

    /// Takes out a job that nobody waits for any more. `nil` if its turn has already come.
    mutating func withdraw(_ ticket: Int, of asker: Asker) -> Job? {
        let path = asker.path[...]
        return asker.isKnown
            ? known.withdraw(ticket, at: path) : strangers.withdraw(ticket, at: path)
    }

    /// How long a job still waits for its turn, if no more come; `nil` if it does not wait.
    func wait(of ticket: Int, _ asker: Asker) -> Int64? {
        let line = line(of: asker)
        guard let inLine = line.countBefore(ticket, at: asker.path[...]) else { return nil }
        let before = inLine + countOfOthers(before: inLine, isKnown: asker.isKnown)
        let free = max(0, threads - running)
        guard before >= free else { return 0 }
        return Int64(before - free + 1) * pace / Int64(threads)
    }

    private func line(of asker: Asker) -> FairLine<Job> { asker.isKnown ? known : strangers }

    /// How many of the other kind are served before the job that has so many of its own kind before it.
    private func countOfOthers(before count: Int, isKnown: Bool) -> Int {
        let inRow = min(knownServedInRow, Self.knownInRow)
        return isKnown
            ? min(strangers.count, (inRow + count) / Self.knownInRow)
            : min(known.count, Self.knownInRow - inRow + count * Self.knownInRow)
    }
}
