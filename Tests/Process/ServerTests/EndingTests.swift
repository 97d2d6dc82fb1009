import AloneKit
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing
import Values
import WaitKit
import WireKit

@testable import ServerKit

/// What clients may count on when the server ends, orderly or not.
@Suite(.alone) struct Endings {
    /// What is proven: every request that was sent on an open connection is answered, or came after an answer that said
    /// `Connection: close`, after which nothing is begun (RFC 9112 section 9.6). Later connections are refused by the
    /// kernel and have sent nothing.
    @Test func `SIGTERM under load fails no request`() async throws {
        try await withServer { school, server in
            let readers = (0..<12).map { number in
                LoadClient(port: server.port, requestsAtOnce: number % 3 == 0 ? 4 : 1)
            }
            let writers = (0..<4).map { _ in LoadClient(port: server.port, adding: "Written") }
            usleep(700_000)
            server.terminate()
            let outcomes = (readers + writers).map { $0.outcome() }
            #expect(server.finish() == 0)
            for outcome in outcomes {
                #expect(outcome.answered > 0)
                #expect(outcome.lost == 0)
                #expect(outcome.otherStatuses.isEmpty)
            }
            let written = outcomes.suffix(4).reduce(0) { $0 + $1.answered }
            let stored = try school.countLocations("Written")
            #expect(stored == written)
        }
    }

    /// An activity is acknowledged with 202 and named by its client, which sends it again if it received nothing.
    @Test func `kill -9 under load loses nothing acknowledged, and nothing is done twice`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let uploads = Uploads()
            let first = try await RunningServer(school.homeroom)
            try await onThread {
                let writers = (0..<6).map { _ in Uploader(school, first.port, uploads) }
                let hasWritten = becomes(within: .seconds(20)) {
                    uploads.acknowledged.count >= 150
                }
                #expect(hasWritten)
                first.kill()
                for writer in writers { writer.finish() }
            }
            let acknowledged = uploads.acknowledged.map(\.description)
            @Sendable func storedCount() throws -> Int {
                try school.sql(
                    """
                    select count(*) as count from school.activity
                     where activity_id = any(\(acknowledged)::uuid[])
                    """)[0].int("count")
            }
            let waiting = try school.sql(
                """
                select count(*) as count from school.upload
                 where (document -> 0 ->> 'id')::uuid = any(\(acknowledged)::uuid[])
                """)[0].int("count")
            #expect(try storedCount() + waiting >= acknowledged.count)

            let second = try await RunningServer(school.homeroom)
            defer { second.kill() }
            let isStored = try await onThread {
                try becomes { try storedCount() == acknowledged.count }
            }
            #expect(isStored, "what was acknowledged is stored without being sent again")
            try await onThread { uploads.replay(port: second.port) }
            let isEmpty = try await onThread {
                try becomes { try school.sql("select from school.upload").count == 0 }
            }
            #expect(isEmpty)
            let rows = try school.sql(
                """
                select count(*) as parts, sum(duration_seconds)::float8 as seconds,
                       (select count(*) from school.activity) as count
                  from school.activity_part
                """)
            #expect(try rows[0].int("count") == uploads.sent.count)
            #expect(try rows[0].double("seconds") == Double(60 * uploads.sent.count))
            #expect(try rows[0].int("parts") == uploads.sent.count)
        }
    }
}
