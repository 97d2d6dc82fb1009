import API
import Crypto
import JSONBytes
import Metrics
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// Reports and lists read from a replica show what the primary would show.
@Suite(.serialized) struct ReplicaReads {
    private func withReplicatedSchool(
        _ body: (TestSchool, Replica) async throws -> Void
    ) async throws {
        try await withSchool(in: TestDatabase.replicated()) { school in
            let replica = try #require(school.replica)
            try await untilUsed(replica)
            try await body(school, replica)
        }
    }

    private func untilUsed(_ replica: Replica) async throws {
        try await eventually { replica.meters.isUsed.value == 1 }
    }

    /// The replica's superuser, on any database of it.
    private func onReplica(_ statement: Statement) throws -> Rows {
        let url = try #require(try TestDatabase.replicated().replicaURL("postgres", user: nil))
        return try BlockingConnection(url).query(statement)
    }

    private func pauseReplay() async throws {
        _ = try onReplica("select pg_wal_replay_pause()")
        try await eventually {
            try onReplica("select pg_get_wal_replay_pause_state() as v")[0].text("v") == "paused"
        }
    }

    @Test func `every call that may read from the replica only reads`() async throws {
        try await withReplicatedSchool { school, replica in
            let handout = try school.newHandout()
            let calls = school.features.flatMap(\.endpoints).filter { $0.place == .replica }
            #expect(calls.count > 30)
            // Some calls need a scope.
            let scopes = Array(Set(calls.flatMap(\.scopes)))
            try school.sql(
                "update school.access_token set scopes = \(scopes) where standing = 'rosterReader'")
            for call in calls {
                let path = path(of: call, handout)
                let persona = persona(of: call)
                let status = try await statusFromReplica(path, persona, school, replica)
                #expect([200, 404].contains(status), "\(path): \(status)")
                #expect(replica.meters.failed.value == 0, "\(path) does not only read")
            }
        }
    }

    /// The status of a call that the replica has answered, if it is 200: on a busy machine it may be behind for a while.
    private func statusFromReplica(
        _ path: String, _ persona: Persona, _ school: TestSchool, _ replica: Replica
    ) async throws -> Int {
        for _ in 0..<100 {
            try await untilUsed(replica)
            let before = replica.meters.answered.value
            let answer = try await school.get(path, as: persona)
            if answer.status != 200 || replica.meters.answered.value > before {
                return answer.status
            }
        }
        Issue.record("\(path) asks the primary")
        return 200
    }

    private func persona(of call: Endpoint) -> Persona {
        guard case .standings(let standings) = call.callers else { return .ada }
        if standings.contains(.teacher) { return .tom }
        if standings.contains(.administrator) { return .ada }
        if standings.contains(.rosterReader) { return .rosterReader }
        if standings.contains(.directoryWriter) { return .directoryWriter }
        if standings.contains(.tool) { return .tool }
        return standings.contains(.student) ? .sam : .exporter
    }

    /// With real ids where the call has something to show.
    private func path(of call: Endpoint, _ handout: GivenHandout) -> String {
        let query = call.path == "/v1/catalog/search" ? "?q=check" : ""
        let names: [String: String] = [
            "/v1/handouts/{id}": "/v1/handouts/\(handout.id.uuid)",
            "/v1/me/handouts/{id}": "/v1/me/handouts/\(handout.id.uuid)",
            "/v1/classes/{id}": "/v1/classes/\(TestIDs.biology.uuid)",
            "{personId}": "\(Persona.sam.personID.uuid)", "{taskId}": "\(handout.task.uuid)",
            "{bundleId}": TestIDs.quizzler, "{adamId}": "1",
            "{id}": "\(UUID.v7())", "{classId}": "\(TestIDs.biology.uuid)",
        ]
        return names.sorted { $0.key.utf8.count > $1.key.utf8.count }
            .reduce(call.path) { $0.replacing($1.key, with: $1.value) }
            .replacing(/\{[^}]+\}/, with: "x") + query
    }

    @Test func `someone who is taken out of a class loses its report at once`() async throws {
        try await withReplicatedSchool { school, replica in
            let handout = try school.newHandout()
            let path = "/v1/handouts/\(handout.id.uuid)/report"
            #expect(try await statusFromReplica(path, .cora, school, replica) == 200)
            try await pauseReplay()
            defer { _ = try? onReplica("select pg_wal_replay_resume()") }
            let seat = "/v1/classes/\(TestIDs.biology.uuid)/teachers/\(Persona.cora.personID.uuid)"
            let removed = try await school.delete(seat, as: .ada)
            #expect(removed.status == 204)
            #expect(try await school.get(path, as: .cora).status == 404)
            #expect(try await school.get(path, as: .tom).status == 200)
        }
    }

    @Test func `what someone wrote is in the next list, with the replica paused and after`()
        async throws
    {
        try await withReplicatedSchool { school, replica in
            for number in 0..<20 {
                if number == 10 { try await pauseReplay() }
                if number == 15 { _ = try onReplica("select pg_wal_replay_resume()") }
                let name = "Course \(number)"
                let made = try await school.post(
                    "/v1/courses", as: .ada,
                    json: [
                        "name": .text(name), "number": .text("C-\(number)"),
                        "locationId": .text("\(school.mainLocation.uuid)"),
                    ])
                #expect(made.status == 201)
                let list = try await school.get("/v1/courses?limit=1000", as: .ada).json
                let names = list["items"]?.array?.compactMap { $0["name"]?.text } ?? []
                #expect(names.contains(name), "\(number)")
            }
            try await untilUsed(replica)
        }
    }
}
