import Crypto
import JSONBytes
import Postgres
import RandomKit
import School
import TestKit
import Testing
import Values

@Suite("Parts of activities merge")
struct MergeTests {
    @Test(arguments: seeds(1..<5))
    func `any order, any batches and any repetition lead to the same result`(seed: UInt64)
        async throws
    {
        try await withSchool { school in
            var dice = SplitMix64(seed: seed)
            try Self.giveAndClose(school)
            for _ in 0..<6 {
                let parts = Self.randomParts(of: school, &dice)
                try school.sql("delete from school.activity")
                for part in parts { try await school.upload([part]) }
                let expected = try school.state()
                for _ in 0..<3 {
                    try school.sql("delete from school.activity")
                    var pile = (parts + parts.filter { _ in Bool.random(using: &dice) })
                        .shuffled(using: &dice)[...]
                    while !pile.isEmpty {
                        let batch = pile.prefix(Int.random(in: 1...8, using: &dice))
                        pile = pile.dropFirst(batch.count)
                        // Waiting uploads are stored together where they concern different activities.
                        let answer =
                            Bool.random(using: &dice)
                            ? try await school.upload(Array(batch))
                            : try await school.leave(Array(batch))
                        #expect(answer.status == 202)
                    }
                    try await school.storeUploads()
                    #expect(try school.state() == expected)
                    #expect(try school.disagreeingFigures() == [])
                }
            }
        }
    }

    /// Handouts that are open, locked, locked for a while, and completed, and one for another context.
    private static func giveAndClose(_ school: TestSchool) throws {
        let day = 24 * 60
        _ = try school.newHandout(publishedAt: school.ago(40 * day))
        let locked = try school.newHandout(by: .cora, publishedAt: school.ago(35 * day))
        let completed = try school.newHandout(publishedAt: school.ago(38 * day))
        let lifted = try school.newHandout(publishedAt: school.ago(39 * day))
        try school.sql(
            """
            update school.handout
               set locked_at = case when handout_id = \(locked.id) then \(school.ago(20 * day)) end,
                   completed_at = case when handout_id = \(completed.id)
                                       then \(school.ago(12 * day)) end
            """)
        for (start, end) in [(30, 25), (15, 10)] {
            try school.sql(
                """
                insert into school.handout_lock (organization_id, handout_id, locked_at, unlocked_at)
                values (\(school.hillside), \(lifted.id), \(school.ago(start * day)),
                        \(school.ago(end * day)))
                """)
        }
        _ = try school.newHandout(path: ["late"], publishedAt: school.ago(10 * day))
    }

    @Test func `a task added by a later part counts that part`() async throws {
        try await withSchool { school in
            let day = 24 * 60
            let id = UUID.v7()
            _ = try school.newHandout(publishedAt: school.ago(10 * day))
            try await school.upload([
                school.attempt(
                    id, from: school.ago(9 * day), to: school.ago(8 * day), seconds: 50,
                    primary: ["kind": "quantity", "identifier": "q", "title": "Q", "quantity": 3])
            ])
            let later = try school.newHandout(publishedAt: school.ago(2 * day))
            try await school.upload([
                school.attempt(
                    id, from: school.ago(9 * day), to: .some(nil), seconds: 40,
                    modified: school.ago(day))
            ])
            let links = try school.sql(
                """
                select quantity, duration_seconds from school.activity_assignment
                 where handout_id = \(later.id)
                """)
            #expect(try links.map { try $0.optionalDouble("quantity") } == [nil])
            #expect(try links.map { try $0.double("duration_seconds") } == [40])
            #expect(try school.disagreeingFigures() == [])
        }
    }

    @Test(arguments: seeds(5..<6))
    func `progress is the length of the union of all ranges`(seed: UInt64) async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            var dice = SplitMix64(seed: seed)
            for _ in 0..<40 {
                let id = UUID(milliseconds: 1, random: (1, dice.next()))
                var cells = Array(repeating: false, count: 64)
                for _ in 0..<Int.random(in: 1...4, using: &dice) {
                    var ranges: [[Double]] = []
                    for _ in 0..<Int.random(in: 0...6, using: &dice) {
                        let start = Int.random(in: 0..<64, using: &dice)
                        let end = Int.random(in: start + 1...64, using: &dice)
                        for cell in start..<end { cells[cell] = true }
                        ranges.append([Double(start) / 64, Double(end) / 64])
                    }
                    try await school.upload([school.attempt(id, ranges: ranges)])
                }
                let covered = Double(cells.count { $0 }) / 64
                let rows = try school.sql(
                    "select progress from school.activity_assignment where activity_id = \(id)")
                #expect(try rows[0].optionalDouble("progress") ?? 0 == covered)
            }
        }
    }

    @Test func `the most recently changed set of items wins as a whole`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID(milliseconds: 3, random: (3, 3))
            func item(_ identifier: String) -> JSONValue {
                ["kind": "quantity", "identifier": .text(identifier), "title": "Q", "quantity": 1]
            }
            try await school.upload([
                school.attempt(id, primary: item("new"), modified: school.ago(10))
            ])
            try await school.upload([
                school.attempt(
                    id, primary: item("old"), additional: [item("more")], modified: school.ago(20))
            ])
            let rows = try school.sql("select identifier from school.activity_item")
            #expect(try rows.map { try $0.text("identifier") } == ["new"])
            try await school.upload([school.attempt(id, modified: school.ago(5))])
            #expect(try school.sql("select from school.activity_item").isEmpty)
        }
    }

    @Test func `uploads of the same activity at the same moment all count`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID(milliseconds: 5, random: (5, 5))
            await withTaskGroup(of: Int.self) { group in
                for part in 0..<16 {
                    let range = [[Double(part) / 16, Double(part + 1) / 16]]
                    let activity = school.attempt(id, seconds: Double(part), ranges: range)
                    group.addTask { (try? await school.upload([activity]).status) ?? 0 }
                }
                for await status in group { #expect(status == 202) }
            }
            let row = try school.sql(
                "select progress, duration_seconds from school.activity_assignment")[0]
            #expect(try row.double("progress") == 1)
            #expect(try row.double("duration_seconds") == 15)
        }
    }

    /// Parts of a few activities: some dropped, some linked to one assignment or two, some too old, and some that
    /// disagree about the context.
    private static func randomParts(of school: TestSchool, _ dice: inout SplitMix64) -> [JSONValue]
    {
        let day = 24 * 60
        return (0..<5).flatMap { _ -> [JSONValue] in
            let id = UUID(milliseconds: 2, random: (2, dice.next()))
            let paths = [TestSchool.context, ["late"], ["nowhere"]].shuffled(using: &dice)
                .prefix(Bool.random(using: &dice) ? 1 : 3)
            let begin = Int.random(in: 1...45, using: &dice) * day
            return (0..<Int.random(in: 1...5, using: &dice)).map { _ -> JSONValue in
                let start = begin - Int.random(in: 0...2, using: &dice) * 60
                let end = max(0, start - Int.random(in: 1...20, using: &dice) * day)
                let isRunning = Int.random(in: 0..<4, using: &dice) == 0
                let ranges = (0..<Int.random(in: 0...3, using: &dice)).map { _ -> [Double] in
                    let from = Double.random(in: 0..<0.9, using: &dice)
                    return [from, Double.random(in: (from + 0.01)...1, using: &dice)]
                }
                let item: JSONValue = [
                    "kind": "quantity", "identifier": .text("q\(dice.next() % 3)"), "title": "Q",
                    "quantity": JSONValue(integerLiteral: Int64(dice.next() % 3)),
                ]
                return school.attempt(
                    id, at: paths.randomElement(using: &dice) ?? [], from: school.minute(start),
                    to: .some(isRunning ? nil : school.minute(end)),
                    seconds: Double(dice.next() % 1000), ranges: ranges, primary: item,
                    modified: school.minute(
                        Int.random(in: end / (12 * 60)...max(end, start) / (12 * 60), using: &dice)
                            * 12 * 60 + Int(dice.next() % 3)))
            }
        }
    }
}
