import AloneKit
import Foundation
import Glibc
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

/// An organization goes to another cell while people work in it.
@Suite(.timeLimit(.minutes(10))) struct OrganizationMoves {
    @Test func `a school moves while it is written to, and comes back with everything`()
        async throws
    {
        try await withTwoCells { cells in
            let school = cells.here
            let others = try cells.digestsHere(of: school.elsewhere)
            let writer = MovingWriter()
            async let written: Void = writer.write(to: school)
            let run = try await cells.move()
            try await written
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.json["rows"]?.int64 ?? 0 > 50)
            #expect(run.json["readOnlyMilliseconds"]?.int64 ?? .max < 30_000)
            let outcome = writer.outcome
            #expect(outcome.others.isEmpty && !outcome.acknowledged.isEmpty)
            try await expectElsewhere(school)
            #expect(try cells.digestsHere(of: school.elsewhere) == others)
            let there = try cells.sqlThere("select location_id from school.location").map {
                try $0.uuid("location_id").description
            }
            #expect(Set(outcome.acknowledged).isSubset(of: there), "nothing is lost")

            let path = try await work(in: cells)
            let back = try await cells.move("--back")
            #expect(back.status == 0, "\(back.complaints)")
            #expect(try await school.get(path, as: .ada).status == 200, "what was written there")
            let late = try await cells.withServiceThere {
                try await $0.get("/v1/me", as: .tom).status
            }
            #expect(late == 421, "no one is signed out while requests still come there")
            #expect(try await cells.move("--back").status == 0)
            #expect(try cells.remains() == [])
            #expect(try cells.digestsThere(of: school.hillside).values.allSatisfy { $0 == "0 0/0" })
        }
    }

    /// The old cell refuses tokens and passwords of Hillside, and no others.
    private func expectElsewhere(_ school: TestSchool) async throws {
        let refused = try await school.get("/v1/me", as: .tom)
        #expect(refused.status == 421 && refused.json["code"] == "organization_elsewhere")
        let signIn = try await school.post(
            "/v1/sign-in", as: nil,
            json: ["managedId": .text(Persona.tom.managedID), "password": .text(Persona.password)])
        #expect(signIn.status == 421)
        #expect(try await school.get("/v1/me", as: .otto).status == 200, "others stay")
    }

    /// Works in the new cell, and returns the path of what was made there.
    private func work(in cells: TwoCells) async throws -> String {
        try await cells.withServiceThere { moved in
            #expect(try await moved.get("/v1/me", as: .tom).status == 200)
            #expect(try await moved.get("/v1/me", as: .otto).status == 401)
            let added = try await moved.post("/v1/locations", as: .ada, json: ["name": "Annex"])
            #expect(added.status == 201)
            return "/v1/locations/\(added.json["id"]?.text ?? "")"
        }
    }

    @Test(.thorough)
    func `finished, nothing of it is left behind, and the others are as they were`()
        async throws
    {
        try await withTwoCells { cells in
            let school = cells.here
            let others = try cells.digestsHere(of: school.elsewhere)
            let early = try await cells.move("--finish")
            #expect(early.status == 1 && early.complaints.contains("does not move"))
            #expect(try await cells.move("--check").status == 0)
            #expect(try cells.remains() == [], "a check changes nothing")
            #expect(try await cells.move().status == 0)
            let again = try await cells.move()
            #expect(again.status == 1 && again.complaints.contains("serves the organization"))
            try await eventually {
                try cells.digestsHere(of: school.hillside)
                    == cells.digestsThere(of: school.hillside)
            }
            let finished = try await cells.move("--finish")
            #expect(finished.status == 0, "\(finished.complaints)")
            #expect(try cells.remains() == [])
            #expect(try cells.digestsHere(of: school.hillside).values.allSatisfy { $0 == "0 0/0" })
            #expect(try cells.digestsHere(of: school.elsewhere) == others)
            #expect(try await school.get("/v1/me", as: .tom).status == 401)
            try expectTrail(of: school.hillside, cells)
        }
    }

    /// The audit trail names the steps, and is proven in the new cell as it was in the old one.
    private func expectTrail(of id: OrganizationID, _ cells: TwoCells) throws {
        let changes = try cells.sqlThere(
            """
            select details ->> 'change' as change from school.audit_event
             where kind = 'organizationChange' and details ? 'change' order by arrived_at, event_id
            """
        ).map { try $0.text("change") }
        #expect(changes.suffix(3) == ["moveBegun", "pausedToMove", "moved"])
        #expect(try cells.sqlThere("select from school.broken_audit_events(\(id))").isEmpty)
    }

    /// A lock in the other cell that holds the command up, and what shows that it waits there.
    struct Obstacle: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let lock: Command
        let state: String

        static let copying = Obstacle(
            testDescription: "while rows are copied",
            lock: "lock table school.organization in access exclusive mode", state: "here")
    }

    /// One that is killed while rows are copied is repeated in `OldCells`.
    @Test(
        .thorough, .alone,
        arguments: zip(
            [
                Obstacle.copying,
                Obstacle(
                    testDescription: "while the last changes follow",
                    lock: "lock table school.audit_event in access exclusive mode",
                    state: "readOnly"),
                Obstacle(
                    testDescription: "while replication turns around",
                    lock: "select from school.organization_move for update", state: "readOnly"),
            ], [false, true, false]))
    func `a move that was killed is repeated or taken back`(
        obstacle: Obstacle, isRepeated: Bool
    ) async throws {
        try await withTwoCells { cells in
            let school = cells.here
            try await killMove(of: cells, at: obstacle)
            let answer = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "Late"])
            #expect(answer.status == (obstacle.state == "readOnly" ? 503 : 201))
            let run = try await cells.move(isRepeated ? "--json" : "--back")
            #expect(run.status == 0, "\(run.complaints)")
            #expect(try await school.get("/v1/me", as: .tom).status == (isRepeated ? 421 : 200))
            if isRepeated {
                let there = try await cells.withServiceThere {
                    try await $0.get("/v1/me", as: .tom).status
                }
                #expect(there == 200)
                let back = try await cells.move("--back")
                #expect(back.status == 0, "\(back.complaints)")
            } else {
                #expect(try cells.remains() == [])
            }
        }
    }

    /// Begins a move and kills it where the obstacle holds it up.
    func killMove(of cells: TwoCells, at obstacle: Obstacle) async throws {
        // On a busy machine the command may be through before the obstacle stands.
        for _ in 0..<5 {
            if try await isKilled(at: obstacle, cells) { return }
            try await #require(cells.move("--back").status == 0)
        }
        Issue.record("nothing held the command up")
    }

    /// Begins a move; returns whether the obstacle held it up, where it was killed.
    private func isKilled(at obstacle: Obstacle, _ cells: TwoCells) async throws -> Bool {
        let process = cells.homeroom.process(cells.words)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let holder = try cells.servers.connect(to: cells.there)
        let begun: Statement =
            obstacle.state == "here"
            ? """
            select from pg_subscription as s join pg_database as d on d.oid = s.subdbid
             where d.datname = current_database()
            """
            : "select from pg_replication_slots where database = current_database()"
        try await eventually(within: .seconds(180)) {
            try !process.isRunning || holder.query(begun).count > 0
        }
        try holder.execute("begin")
        try holder.execute(obstacle.lock)
        let reached: Statement =
            "select from school.organization_move where state = \(obstacle.state)"
        // An obstacle that stands too early holds the command up before that state.
        let deadline = ContinuousClock.now + .seconds(60)
        while try process.isRunning && cells.here.sql(reached).count == 0, .now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        try await Task.sleep(for: .milliseconds(300))
        let isHeld = try process.isRunning && cells.here.sql(reached).count > 0
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try holder.execute("rollback")
        return isHeld
    }

    @Test func `killed between the two, neither cell serves it until it is repeated`()
        async throws
    {
        try await withTwoCells { cells in
            #expect(try await cells.move().status == 0)
            // The last two steps of the move are one after the other; this is the state between them.
            try cells.sqlThere(
                "update school.organization_move set state = 'elsewhere'")
            let there = try await cells.withServiceThere {
                try await $0.get("/v1/me", as: .tom).status
            }
            #expect(there == 421)
            #expect(try await cells.here.get("/v1/me", as: .tom).status == 421)
            let run = try await cells.move("--back")
            #expect(run.status == 0, "\(run.complaints)")
            #expect(try await cells.here.get("/v1/me", as: .tom).status == 200)
            #expect(try await cells.move("--back").status == 0)
            #expect(try cells.remains() == [])
        }
    }
}
