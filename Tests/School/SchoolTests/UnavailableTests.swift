import API
import EventLoop
import Foundation
import HTTPWire
import Postgres
import School
import TestKit
import Testing

/// Every 503 says when to come back.
@Suite struct Unavailable {
    @Test func `every problem of the ground that is a 503 has Retry-After`() {
        for problem in [Problem.unavailable, .contended, .timedOut, .busy] {
            expectComeBack(problem)
        }
    }

    @Test func `every failure of the database that becomes a 503 has Retry-After`() {
        let errors: [PostgresError] = [
            .unavailable("no"), .busy(retryAfterSeconds: 3), .cancelled,
            .connectionLost(mayHaveCommitted: true), .connectionLost(mayHaveCommitted: false),
        ]
        for error in errors { expectComeBack(Problem(explaining: error, constraints: [:])) }
        let busy = Problem(explaining: PostgresError.busy(retryAfterSeconds: 3), constraints: [:])
        #expect(busy.headers.contains { $0.name == "Retry-After" && $0.value == "3" })
        expectComeBack(Problem(explaining: BlockingThreads.Full(), constraints: [:]))
        expectComeBack(Problem(explaining: CancellationError(), constraints: [:]))
    }

    @Test(arguments: [
        "40001", "40P01", "55P03", "57014", "25006", "08006", "53200", "53300", "57P01", "57P02",
        "57P03",
    ])
    func `every refusal of PostgreSQL that becomes a 503 has Retry-After`(sqlState: String)
        async throws
    {
        try await withSchool { school in
            var refusal: (any Error)?
            do {
                let code: Command =
                    "do $$ begin raise exception 'no' using errcode = \(literal: sqlState); end $$"
                try BlockingConnection(school.ownerURL).execute(code)
            } catch {
                refusal = error
            }
            expectComeBack(Problem(explaining: try #require(refusal), constraints: [:]))
        }
    }

    @Test func `no source file creates a 503 without it`() throws {
        let folder = TestDatabase.sqlFolder + "/../Sources"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
        var found = 0
        // The engine's own refusals get it where the program completes the engine.
        for name in files
        where name.hasSuffix(".swift") && !name.hasPrefix("Foundations/HTTPServer/") {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            // A file may name the field once for several problems.
            let named = text.contains("let waiting = [ResponseField(\"Retry-After\"")
            for start in text.ranges(of: /\b503,\s*"[a-z_]+"/).map(\.lowerBound) {
                found += 1
                let rest = text[start...].prefix(600)
                #expect(
                    rest.contains("Retry-After") || named && rest.contains("headers: waiting"),
                    "\(name): \(rest.prefix(60))")
            }
        }
        #expect(found >= 8)
    }

    private func expectComeBack(_ problem: Problem) {
        #expect(problem.status == 503, "\(problem)")
        let seconds = problem.headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) }
        #expect((seconds ?? 0) > 0, "\(problem.code)")
    }
}
