/// A line in which names take turns, and within the turn of a name the names below it.
///
/// A path such as school, network, account says where a job stands. At every level who was served goes to the end, so a
/// thousand jobs under one name delay another name's first job by one turn. What waits at the end of one path is served
/// in the order in which it came.
struct FairLine<Job> {
    private typealias Turn = (number: Int, name: String)

    /// How many jobs wait, here and below.
    private(set) var count = 0
    private var jobs: [(ticket: Int, job: Job)] = []
    private var lines: [String: FairLine] = [:]
    /// The turns to come, from `passed` on. A turn whose line has gone meanwhile is skipped.
    private var turns: [Turn] = []
    private var passed = 0
    private var lastNumber = 0
    /// The turn of this line in the one around it.
    private var number = 0

    /// How many jobs wait below a path.
    func count(at path: ArraySlice<String>) -> Int {
        guard let name = path.first else { return count }
        return lines[name]?.count(at: path.dropFirst()) ?? 0
    }

    /// Puts a job at the end of its path.
    mutating func add(_ job: Job, ticket: Int, at path: ArraySlice<String>) {
        count += 1
        guard let name = path.first else { return jobs.append((ticket, job)) }
        if lines[name] == nil {
            lines[name] = FairLine()
            giveTurn(to: name)
        }
        lines[name]?.add(job, ticket: ticket, at: path.dropFirst())
    }

    /// Removes and returns the job whose turn it is.
    mutating func next() -> Job? {
        guard count > 0 else { return nil }
        count -= 1
        guard jobs.isEmpty else { return jobs.removeFirst().job }
        while true {
            let turn = turns[passed]
            passed += 1
            guard lines[turn.name]?.number == turn.number else { continue }
            let job = lines[turn.name]?.next()
            if lines[turn.name]?.count == 0 {
                lines[turn.name] = nil
            } else {
                giveTurn(to: turn.name)
            }
            return job
        }
    }

    /// Takes out a job that nobody waits for any more. `nil` if its turn has already come.
    mutating func withdraw(_ ticket: Int, at path: ArraySlice<String>) -> Job? {
        guard let name = path.first else {
            guard let index = jobs.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            count -= 1
            return jobs.remove(at: index).job
        }
        guard let job = lines[name]?.withdraw(ticket, at: path.dropFirst()) else { return nil }
        count -= 1
        if lines[name]?.count == 0 { lines[name] = nil }
        return job
    }

    /// How many jobs are served before that one, if no more come; `nil` if it does not wait there.
    func countBefore(_ ticket: Int, at path: ArraySlice<String>) -> Int? {
        guard let name = path.first else { return jobs.firstIndex { $0.ticket == ticket } }
        guard let own = lines[name], let before = own.countBefore(ticket, at: path.dropFirst())
        else { return nil }
        return lines.reduce(before) { sum, other in
            guard other.key != name else { return sum }
            // One turn of its own, too, if it comes before the turn of this line.
            let turns = other.value.number < own.number ? before + 1 : before
            return sum + min(other.value.count, turns)
        }
    }

    private mutating func giveTurn(to name: String) {
        lastNumber += 1
        lines[name]?.number = lastNumber
        if passed > 64, passed * 2 > turns.count {
            turns.removeFirst(passed)
            passed = 0
        }
        turns.append((lastNumber, name))
    }
}
