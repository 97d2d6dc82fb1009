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

    /// A server of a school with a crowd of which either the first or the last is there.
    private func server(of school: TestSchool) async throws -> OtherServer {
        try school.addCrowd(crowd)
        try school.sql(
            "update school.person set deactivated_at = now() where source_id = 'crowd-01100'")
        return try await OtherServer(of: school)
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

    /// That the traversal has everyone who stays, once each, and nobody else but the first and the last.
    private func expectWhole(_ read: Traversal, like whole: Traversal) {
        #expect(Set(read.ids).count == read.ids.count)
        let change = Set(read.ids).symmetricDifference(whole.ids)
        #expect(change.count <= 2, "\(change)")
    }

    @Test(arguments: [false, true])
    func `what changes all the time is read whole, and counted once`(
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
            let change: @Sendable (Int) async throws -> Void = { _ in
                try school.exchange(crowd)
            }
            let rounds = 3
            var pages = 0
            for _ in 1...rounds {
                try await withThrowingTaskGroup(of: (String, Traversal).self) { group in
                    for name in names {
                        group.addTask {
                            let client = server.client()
                            let read =
                                follows
                                ? try await client.follow(name, limit: 100, between: change)
                                : try await client.count(name, limit: 100, between: change)
                            return (name, read)
                        }
                    }
                    for try await (name, read) in group {
                        expectWhole(read, like: try #require(wholes[name]))
                        pages += read.pages
                    }
                }
            }
            // The two of before, then one for each traversal, however many pages and changes.
            #expect(pages > 20 * rounds)
            #expect(server.feature.indexes.made <= names.count + names.count * rounds)
            #expect(server.feature.figures.notNoted.value == 0)
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
        }
    }
}
