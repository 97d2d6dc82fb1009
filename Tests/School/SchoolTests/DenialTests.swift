import API
import AloneKit
import EventLoop
import HTTPWire
import JSONBytes
import Log
import Postgres
import Synchronization
import TestKit
import Testing
import Values

@testable import School

/// Denials in the audit trail.
@Suite struct FoldedDenials {
    @Test func `equal denials within a minute are one event, plus one with their count`()
        async throws
    {
        try await withSchool { school in
            for _ in 1...7 {
                let answer = try await school.get("/v1/audit-events", as: .tom)
                #expect(answer.status == 403)
            }
            #expect(try events(school) == ["tom GET /v1/audit-events 0"], "before the answer")
            #expect(try await school.get("/v1/audit-events", as: .sam).status == 403)
            #expect(try await school.post("/v1/locations", as: .tom, json: [:]).status == 403)
            await school.finishCounting()
            let expected = [
                "sam GET /v1/audit-events 0", "tom GET /v1/audit-events 0",
                "tom GET /v1/audit-events 6", "tom POST /v1/locations 0",
            ]
            #expect(try events(school) == expected)

            #expect(try await school.get("/v1/audit-events", as: .tom).status == 403)
            await school.finishCounting()
            #expect(try events(school).count == 5, "a new minute has an event of its own")
        }
    }

    @Test func `a count names no address, so a person erased meanwhile leaves none`() async throws {
        try await withSchool { school in
            for _ in 1...2 {
                let answer = try await school.send(
                    "GET", "/v1/audit-events", token: Persona.tom.token, from: "192.0.2.7")
                #expect(answer.status == 403)
            }
            await school.finishCounting()
            let rows = try school.sql(
                """
                select coalesce(address, 'none') as address, details ? 'requestId' as has_id
                  from school.audit_event where kind = 'denial' order by details ? 'repetitions'
                """)
            #expect(try rows.map { try $0.text("address") } == ["192.0.2.7", "none"])
        }
    }

    @Test func `a minute ends a minute after its first denial, and none of it is lost`() {
        let denials = Denials(database: Database(pools: [], clock: .system), log: nil)
        let (caller, kind) = (Self.caller(.tom), Self.kind(.tom))
        let minute: Int64 = 60_000_000_000
        #expect(denials.begins(kind, caller, now: 0))
        #expect(!denials.begins(kind, caller, now: 1))
        #expect(!denials.begins(kind, caller, now: minute - 1))
        #expect(denials.begins(Self.kind(.sam), Self.caller(.sam), now: minute - 1))
        #expect(!denials.begins(kind, caller, now: minute), "counted, since it was not logged yet")
        #expect(denials.over(by: minute - 1).isEmpty)
        #expect(denials.over(by: minute).map(\.count) == [3])
        #expect(denials.begins(kind, caller, now: minute + 1))
        #expect(denials.over(by: .max).isEmpty, "nothing was repeated")
        #expect(denials.begins(kind, caller, now: minute + 2))
        #expect(!denials.begins(kind, caller, now: minute + 3))
        #expect(denials.over(by: .max).map(\.count) == [1], "repeated once is counted, too")
    }

    @Test func `denials of two tokens are not equal, since events name the token`() {
        let caller = Self.caller(.tom)
        func kind(_ caller: Caller) -> Denials.Kind {
            Denials.Kind(.forbidden("no"), caller, Self.endpoint)
        }
        #expect(kind(caller) == kind(Self.caller(.tom)))
        #expect(kind(caller) != kind(Self.caller(.tom, token: "another")))
    }

    private static func caller(_ persona: Persona, token: String = "token") -> Caller {
        Caller(
            organizationID: TestIDs.hillside, personID: persona.personID, standings: [.teacher],
            tokenID: token)
    }

    private static let endpoint = Endpoint(
        .get, "/v1/nothing", "Nothing", for: [.administrator], answers: [],
        handler: { _, _ in .noContent })

    private static func kind(_ persona: Persona) -> Denials.Kind {
        Denials.Kind(.forbidden("no"), caller(persona), endpoint)
    }

    /// Who, what, and how often it was repeated.
    private func events(_ school: TestSchool) throws -> [String] {
        try school.sql(
            """
            select person_id, details ->> 'method' as method, details ->> 'route' as route,
                   coalesce(details ->> 'repetitions', '0') as repetitions
              from school.audit_event where kind = 'denial'
            """
        ).map { row in
            let name =
                try row.uuid("person_id") == Persona.tom.personID.uuid ? "tom" : "sam"
            return
                "\(name) \(try row.text("method")) \(try row.text("route")) \(try row.text("repetitions"))"
        }.sorted()
    }
}

/// Refusals because too many requests arrive.
@Suite struct RefusalsBecauseOfLoad {
    @Test(.alone) func `the refusals of a second are one warning with their count`() async throws {
        try await withSchool { school in
            let lines = Mutex<[String]>([])
            let log = Log(format: .text) { line in
                lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
            await school.onItsLoop {
                let warnings = LoadWarnings(log)
                for _ in 0..<5 { warnings.count(.busy) }
                for _ in 0..<3 { warnings.count(.tooManyRequests(retryAfterSeconds: 1)) }
                #expect(lines.withLock { $0.isEmpty })
                for _ in 0..<100 where lines.withLock({ $0.isEmpty }) {
                    await pause(milliseconds: 50)
                }
                await pause(milliseconds: 1200)
                warnings.count(.busy)
                warnings.logCounts()
                warnings.logCounts()
            }
            let logged = lines.withLock { $0 }
            try #require(logged.count == 2)
            #expect(
                logged[0].hasSuffix(" warning requests refused, too many came busy=5 limited=3\n"))
            #expect(logged[1].hasSuffix(" busy=1 limited=0\n"))
        }
    }

    @Test func `such refusals are not errors, and everything else still is`() {
        #expect(Problem.busy.isLoad)
        #expect(
            Problem(explaining: PostgresError.busy(retryAfterSeconds: 2), constraints: [:]).isLoad)
        #expect(Problem.tooManyRequests(retryAfterSeconds: 1).isLoad)
        for problem in [Problem.unavailable, .contended, .timedOut, .internalError, .notFound] {
            #expect(!problem.isLoad)
        }
    }
}
