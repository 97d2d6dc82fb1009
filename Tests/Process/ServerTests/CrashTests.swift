import AloneKit
import Foundation
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// All kinds of calls at once, while the server or its database is killed.
@Suite(.alone, .serialized, .timeLimit(.minutes(15))) struct Crashes {
    @Test func `what a database acknowledged before it was killed is there, and nothing twice`()
        async throws
    {
        try await withPrivateSchool { school, server in
            let student = try school.assignSomething(server.port)
            let issued = try await school.homeroom(
                "token", "create", "--organization", school.organization, "--role", "student",
                "--person", student, "--bundle", "org.example.quizzler", "--json")
            let loads = try Loads(server.port, token: school.token, location: school.location)
            let uploads = CrashLoad(
                .uploads(token: try #require(issued.json["accessToken"]?.text)),
                port: server.port)
            for _ in 1...2 {
                for load in loads.all + [uploads] { try await load.progress(by: 10) }
                let holder = try await holdKeyedCall(of: school)
                #expect(Glibc.kill(try school.postmaster(), SIGKILL) == 0)
                withExtendedLifetime(holder) {}
                for load in loads.all + [uploads] { try await load.progress(by: 10) }
            }
            for load in loads.all + [uploads] { try await load.stop() }

            let connection = try await awaited(until: { $0 != nil }) {
                try? BlockingConnection(school.url)
            }
            let database = try #require(connection)
            try await loads.check(database, whatMayBe: [429, 503])
            let acknowledged = Array(uploads.outcome.acknowledged.keys)
            let isEmpty = try becomes {
                try database.query("select from school.upload").isEmpty
            }
            let waiting = try database.query(
                "select failure, attempts, failed_at from school.upload")
            #expect(isEmpty, "\(waiting)")
            let stored = try database.query(
                "select from school.activity where activity_id = any(\(acknowledged)::uuid[])")
            #expect(stored.count == acknowledged.count)
        }
    }

    /// Lets a call with a key wait for a table, so that a crash certainly hits one in progress. It goes on when the
    /// returned connection has ended.
    private func holdKeyedCall(of school: PrivateSchool) async throws -> BlockingConnection {
        let connection = try BlockingConnection(school.url)
        try connection.execute("begin")
        try connection.execute("lock table school.location in share mode")
        try await eventually {
            try connection.query(
                """
                select from pg_locks as l
                 where l.relation = 'school.location'::regclass and not l.granted
                """
            ).count > 0
        }
        return connection
    }

    @Test func `what a server acknowledged before it was killed is there, and nothing twice`()
        async throws
    {
        try await withSchool { school in
            var server = try await ServerProcess(school.homeroom.unlimited)
            let location = JSONValue.text("source:main")
            let loads = try Loads(server.port, token: Persona.ada.token, location: location)
            for _ in 1...2 {
                for load in loads.all { try await load.progress(by: 10) }
                server.kill()
                server = try await ServerProcess(school.homeroom.unlimited)
                for load in loads.all { load.move(to: server.port) }
                for load in loads.all { try await load.progress(by: 10) }
            }
            for load in loads.all { try await load.stop() }
            // Where a connection broke, nothing was said about when to come back.
            let database = try BlockingConnection(school.ownerURL)
            try await loads.check(database, whatMayBe: [0, 429, 503])
            server.stop()
        }
    }
}

/// Calls without a key and with one, and assignments of licences.
private struct Loads {
    let people: CrashLoad
    let keyed: CrashLoad
    let licences: CrashLoad

    init(_ port: UInt16, token: String, location: JSONValue) throws {
        let assigning = try CrashLoad.Kind.licences(at: port, token: token, location: location)
        people = CrashLoad(.people(token: token, location: location), port: port)
        keyed = CrashLoad(.keyedLocations(token: token), port: port)
        licences = CrashLoad(assigning, port: port)
    }

    var all: [CrashLoad] { [people, keyed, licences] }

    /// Compares what was answered with what is there.
    func check(_ database: BlockingConnection, whatMayBe statuses: Set<Int>) async throws {
        for load in all {
            #expect(load.outcome.statuses.subtracting([200, 201]).isSubset(of: statuses))
        }
        try checkPeople(database, isEachKnown: !statuses.contains(0))
        try await checkKeys(database)
        try checkLicences(database)
    }

    /// - Parameter isEachKnown: whether each call was answered.
    private func checkPeople(_ database: BlockingConnection, isEachKnown: Bool) throws {
        let seen = people.outcome
        let stored = try database.query(
            "select given_name from school.person where family_name = 'Example'"
        ).map { try $0.text("given_name") }.filter { $0.hasPrefix("Person") }
        #expect(Set(stored).count == stored.count, "nobody exists twice")
        #expect(Set(seen.acknowledged.keys).isSubset(of: stored), "who was acknowledged exists")
        let others = Set(stored).subtracting(seen.acknowledged.keys)
        #expect(others.isSubset(of: isEachKnown ? seen.unknown : seen.tried))
    }

    /// A call that is repeated with its key gets its answer, or is done now.
    private func checkKeys(_ database: BlockingConnection) async throws {
        let seen = keyed.outcome
        #expect(seen.acknowledged.count < seen.tried.count, "the crash hit calls in progress")
        for name in seen.tried {
            let answer = try await keyed.again(name)
            #expect(answer.status == 201, "\(answer.text)")
            guard let body = seen.acknowledged[name] else { continue }
            #expect(answer.body == body)
            #expect(answer["idempotency-replayed"] == "true")
        }
        let stored = try database.query(
            "select name from school.location where name like 'Keyed %'"
        ).map { try $0.text("name") }
        #expect(stored.sorted() == seen.tried.sorted())
    }

    /// A request is about two devices, and is done whole and with its audit event, or not at all.
    private func checkLicences(_ database: BlockingConnection) throws {
        let row = try database.query(
            """
            select p.assigned_count,
                   (select count(*) from school.licence where serial_number like '%-A') as first,
                   (select count(*) from school.licence where serial_number like '%-B') as second,
                   (select sum((details ->> 'granted')::integer) from school.audit_event
                     where kind = 'licenceChange')::bigint as audited,
                   array(select serial_number from school.licence) as devices
              from school.pool as p where p.adam_id = '990011223'
            """)[0]
        let held = try row.int("first")
        #expect(try row.int("second") == held)
        #expect(try row.int("assigned_count") == 2 * held)
        #expect(try row.int("audited") == 2 * held)
        let acknowledged = licences.outcome.acknowledged.keys.map { "\($0)-A" }
        #expect(Set(try row.textArray("devices")).isSuperset(of: acknowledged))
    }
}
