import JSONBytes
import Metrics
import Postgres
import School
import TestKit
import Testing

@testable import OneRoster

/// Whole collections that are read while they change faster than an index of them is made.
@Suite struct ChangingRosterTests {
    private let crowd = 1...1100

    /// A school with a crowd of which either the first or the last is there, on a server that keeps what it is asked to.
    private func server(of school: TestSchool) async throws -> OtherServer {
        try school.addCrowd(crowd)
        try school.sql(
            "update school.person set deactivated_at = now() where source_id = 'crowd-01100'")
        var limits = RosterSnapshots.Limits()
        limits.most = 50
        limits.mostOfOne = 50
        return try await OtherServer(of: school, limits: limits)
    }

    /// Exchanges people until it is cancelled; returns how often.
    private func keepChanging(_ school: TestSchool) -> Task<Int, any Error> {
        let crowd = crowd
        return Task {
            var times = 0
            while !Task.isCancelled {
                try school.exchange(crowd)
                times += 1
                await Task.yield()
            }
            return times
        }
    }

    /// That the traversal has everyone who stays, and either the first or the last.
    private func expectWhole(_ read: Traversal, like whole: Traversal) {
        #expect(Set(read.revisions).count == 1)
        #expect(Set(read.totals) == Set(whole.totals))
        #expect(read.ids.count == whole.ids.count)
        #expect(Set(read.ids).count == read.ids.count)
        let change = Set(read.ids).symmetricDifference(whole.ids)
        #expect(change.isEmpty || change.count == 2)
    }

    @Test(arguments: [false, true])
    func `what changes all the time is read whole, by an index or two`(
        follows: Bool
    ) async throws {
        try await withSchool { school in
            let server = try await server(of: school)
            let names = ["users", "enrollments"]
            var wholes: [String: Traversal] = [:]
            for name in names {
                wholes[name] = try await server.client().count(name, limit: 10_000)
            }
            try #require(wholes.values.allSatisfy { $0.ids.count > 1000 && $0.pages == 1 })
            let changing = keepChanging(school)
            defer { changing.cancel() }
            let rounds = 3
            var pages = 0
            for _ in 1...rounds {
                try await withThrowingTaskGroup(of: (String, Traversal).self) { group in
                    for name in names {
                        group.addTask {
                            let client = server.client()
                            let read =
                                follows
                                ? try await client.follow(name, limit: 100)
                                : try await client.count(name, limit: 100)
                            return (name, read)
                        }
                    }
                    for try await (name, read) in group {
                        expectWhole(read, like: try #require(wholes[name]))
                        pages += read.pages
                    }
                }
            }
            changing.cancel()
            let changes = try await changing.value
            #expect(changes > 2 * rounds)
            // All but the first pages, as the roster had changed by then.
            #expect(server.feature.figures.earlierPages.value > rounds)
            #expect(server.feature.figures.lost.value == 0)
            // The two of before, then two at most for each traversal, however many pages and changes.
            #expect(pages > 20 * rounds)
            #expect(server.feature.indexes.made <= names.count + 2 * names.count * rounds)
            await server.stop()
        }
    }

    @Test func `more traversals than snapshots do not end each other's, page by page`()
        async throws
    {
        try await withSchool { school in
            try school.addCrowd(crowd)
            let whole = try await school.rosterClient.count("users", limit: 10_000)
            let server = try await OtherServer(of: school)
            var nexts: [String?] = Array(
                repeating: "\(Edition.v1p2.path)/users?limit=100", count: 5)
            var revisions: [Set<String>] = Array(repeating: [], count: nexts.count)
            var ids: [[String]] = Array(repeating: [], count: nexts.count)
            while nexts.contains(where: { $0 != nil }) {
                for reader in nexts.indices {
                    guard let next = nexts[reader] else { continue }
                    try school.sql(
                        "update school.person set given_name = given_name || '!' where source_id = 'sis-sue'"
                    )
                    let page = try await server.get(next)
                    try #require(page.status == 200, "\(page.text)")
                    revisions[reader].insert(try #require(page.header("Roster-Revision")))
                    ids[reader] += (page.json["users"]?.array ?? []).compactMap {
                        $0["sourcedId"]?.text
                    }
                    nexts[reader] = page.nextPath
                }
            }
            #expect(ids.allSatisfy { $0 == whole.ids })
            // Two keep the snapshot with which they began, and the others go on in the younger one.
            #expect(revisions.map(\.count).sorted() == [1, 1, 2, 2, 2])
            #expect(server.feature.figures.lost.value == 3)
            #expect(server.feature.snapshots.count == 2)
            // One in the present and one in a snapshot for each that began, and one for each that was lost.
            #expect(server.feature.indexes.made <= 5 * 2 + 3)
            await server.stop()
        }
    }

    @Test func `who writes and then reads finds it, however fast others write`() async throws {
        try await withSchool { school in
            let server = try await server(of: school)
            let changing = keepChanging(school)
            defer { changing.cancel() }
            let path = "\(Edition.v1p2.path)/users?limit=15"
            for name in (2...8).map({ "crowd-0000\($0)" }) {
                let before = try await server.get(path)
                try #require(before.text.contains("\"\(name)\""))
                try school.sql(
                    "update school.person set deactivated_at = now() where source_id = \(name)")
                let after = try await server.get(path)
                #expect(after.status == 200 && !after.text.contains("\"\(name)\""))
            }
            changing.cancel()
            _ = try await changing.value
            await server.stop()
        }
    }

    @Test func `a server that has just started refuses none of many who ask at once`()
        async throws
    {
        try await withSchool { school in
            let server = try await server(of: school)
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for page in 0..<50 {
                    group.addTask {
                        try await server.get(
                            "\(Edition.v1p2.path)/users?limit=20&offset=\(page * 20)")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            let ids = answers.flatMap { answer in
                (answer.json["users"]?.array ?? []).compactMap { $0["sourcedId"]?.text }
            }
            #expect(ids.count == 1000 && Set(ids).count == 1000)
            #expect(server.feature.indexes.made == 1)
            await server.stop()
        }
    }
}
