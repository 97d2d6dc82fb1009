import Crypto
import School
import Testing
import Values

@testable import Access

private let hillside = OrganizationID(UUID.v7())
private let lakeside = OrganizationID(UUID.v7())

private func stranger(
    _ network: String, _ account: String, of organization: OrganizationID? = hillside
) -> Asker {
    Asker(address: network, organization: organization, account: account, isKnownDevice: false)
}

private func known(_ account: String, of organization: OrganizationID = hillside) -> Asker {
    Asker(
        address: "192.0.2.1", organization: organization, account: account, isKnownDevice: true)
}

/// A queue whose hashes take a second each, and what became of what was added to it.
private struct Line {
    static let second: Int64 = 1_000_000_000

    var queue: HashingQueue<String>
    private var ticket = 0

    init(threads: Int = 1) {
        queue = HashingQueue(threads: threads, pace: Self.second)
    }

    @discardableResult
    mutating func add(_ job: String, _ asker: Asker, patience seconds: Int64 = 10_000)
        -> HashingQueue<String>.Admission
    {
        ticket += 1
        return queue.add(job, of: asker, ticket: ticket, patience: seconds * Self.second)
    }

    mutating func order() -> [String] {
        var order: [String] = []
        while let next = queue.next() { order.append(next) }
        return order
    }
}

/// Which of the waiting passwords is checked next.
@Suite struct TurnsOfPasswords {
    @Test func `networks take turns, and so do the accounts within each`() {
        var line = Line()
        for (network, account) in [
            ("192.0.2.1", "a"), ("192.0.2.2", "a"), ("192.0.2.3", "b"), ("198.51.100.1", "a"),
            ("2001:db8::1", "c"), ("2001:db8::2", "d"),
        ] {
            #expect(line.add("\(network) \(account)", stranger(network, account)) == .isIn)
        }
        #expect(
            line.order() == [
                "192.0.2.1 a", "198.51.100.1 a", "2001:db8::1 c", "192.0.2.3 b", "2001:db8::2 d",
                "192.0.2.2 a",
            ])
    }

    @Test func `organizations take turns, whoever comes from wherever`() {
        for isKnown in [true, false] {
            var line = Line()
            for number in 0..<300 {
                let account = "\(number)"
                line.add(
                    "hillside",
                    isKnown ? known(account) : stranger("10.\(number % 250).0.1", account))
            }
            for number in 0..<2 {
                let account = "\(number)"
                line.add(
                    "lakeside",
                    isKnown
                        ? known(account, of: lakeside)
                        : stranger("192.0.2.1", account, of: lakeside))
            }
            #expect(
                line.order().prefix(5) == [
                    "hillside", "lakeside", "hillside", "lakeside", "hillside",
                ])
        }
    }

    @Test func `guesses of domains that nobody has wait behind each other`() {
        var line = Line()
        for number in 0..<100 {
            line.add("guess", stranger("10.\(number).0.1", "\(number)", of: nil))
        }
        line.add("school", stranger("192.0.2.1", "tom"))
        #expect(line.order().prefix(2) == ["guess", "school"])
    }

    @Test func `a person with many tries waits behind one who has one`() {
        var line = Line()
        for _ in 0..<4 { line.add("many", known("tom")) }
        line.add("one", known("sam"))
        #expect(line.order() == ["many", "one", "many", "many", "many"])
    }

    @Test func `known devices go first, and strangers get every fourth turn`() {
        var line = Line()
        for number in 0..<2 { line.add("stranger", stranger("192.0.2.1", "\(number)")) }
        for number in 2..<8 { line.add("known", known("\(number)")) }
        #expect(
            line.order() == [
                "known", "known", "known", "stranger", "known", "known", "known", "stranger",
            ])
    }

    @Test func `many small networks of a large one wait behind each other`() {
        var line = Line()
        for network in ["1:1", "1:2", "1:3", "2:1", "2:2", "3:1"] {
            line.add("flood \(network)", stranger("2001:db8:\(network)::1", network))
        }
        line.add("school", stranger("2001:db9::1", "tom"))
        line.add("same provider", stranger("2001:db8:9::1", "sam"))
        #expect(
            line.order().prefix(5) == [
                "flood 1:1", "school", "flood 2:1", "flood 3:1", "same provider",
            ])
    }

    @Test func `without addresses, accounts take turns`() {
        var line = Line()
        for account in ["tom", "tom", "sam"] { line.add(account, stranger("127.0.0.1", account)) }
        #expect(line.order() == ["tom", "sam", "tom"])
    }

    @Test func `an account has four entries, and withdrawn ones do not wait`() {
        var line = Line()
        let tom = stranger("192.0.2.1", "tom")
        for number in 1...4 { #expect(line.add("\(number)", tom) == .isIn) }
        #expect(line.add("5", tom) == .comeBack(after: 4 * Line.second))
        #expect(line.add("6", stranger("192.0.2.1", "sam")) == .isIn)
        #expect(line.queue.withdraw(1, of: tom) == "1")
        #expect(line.queue.withdraw(1, of: tom) == nil)
        #expect(line.add("7", tom) == .isIn)
        #expect(line.order() == ["2", "6", "3", "4", "7"])
    }
}

/// How long a password waits.
@Suite struct WaitsForPasswords {
    @Test func `a hash that a free thread makes does not wait`() {
        var line = Line(threads: 3)
        for number in 1...3 {
            line.add("\(number)", known("\(number)"))
            #expect(line.queue.wait(of: number, known("\(number)")) == 0)
            #expect(line.queue.next() == "\(number)")
        }
        line.add("4", known("4"))
        #expect(line.queue.wait(of: 4, known("4")) == Line.second / 3)
        line.queue.ended(after: Line.second)
        #expect(line.queue.wait(of: 4, known("4")) == 0)
        #expect(line.queue.runningCount == 2 && line.queue.count == 1)
    }

    @Test(arguments: 1...3) func `the wait is that of the turn, whatever else waits`(seed: Int) {
        var line = Line()
        var askers: [Asker] = []
        for number in 0..<200 {
            let mixed = (number &* 7919 &+ seed &* 104_729) % 1000
            let organization = mixed % 3 == 0 ? lakeside : hillside
            let account = "\(mixed % 17)"
            askers.append(
                mixed % 5 == 0
                    ? known(account, of: organization)
                    : stranger("10.\(mixed % 4).\(mixed % 3).1", account, of: organization))
        }
        var waits: [String: Int64] = [:]
        for (index, asker) in askers.enumerated() {
            if line.add("\(index + 1)", asker) == .isIn { waits["\(index + 1)"] = 0 }
        }
        // One runs, so that none begins at once.
        let first = line.queue.next()
        for (index, asker) in askers.enumerated() where waits["\(index + 1)"] != nil {
            waits["\(index + 1)"] = line.queue.wait(of: index + 1, asker)
        }
        for (index, job) in line.order().enumerated() {
            #expect(waits[job] == Int64(index + 1) * Line.second)
        }
        #expect(first != nil && waits.count > 100)
    }

    @Test func `a thousand children wait, and only who would wait too long comes back`() {
        var line = Line(threads: 20)
        for number in 1...20 { line.add("\(number)", known("\(number)")) }
        while line.queue.next() != nil {}
        for number in 1...1000 {
            let child = stranger("192.0.2.1", "child \(number)")
            #expect(line.add("child", child, patience: 50) == .isIn)
        }
        let late = stranger("192.0.2.1", "late")
        #expect(
            line.add("late", late, patience: 30) == .comeBack(after: 20 * Line.second + 50_000_000))
        #expect(line.queue.count == 1000)
        let elsewhere = stranger("198.51.100.1", "other", of: lakeside)
        #expect(line.add("other school", elsewhere, patience: 1) == .isIn)
    }

    @Test func `the pace follows what hashes take`() {
        var line = Line()
        for _ in 1...50 {
            line.add("", known("tom"))
            _ = line.queue.next()
            line.queue.ended(after: Line.second / 10)
        }
        line.add("", known("tom"))
        _ = line.queue.next()
        line.add("", known("sam"))
        let wait = line.queue.wait(of: 52, known("sam")) ?? 0
        #expect(wait > Line.second / 11 && wait < Line.second / 9)
    }

    @Test func `one processor stays free`() {
        #expect([1, 2, 3, 64].map { PasswordThreads.threads(ofProcessors: $0) } == [1, 1, 2, 63])
    }
}
