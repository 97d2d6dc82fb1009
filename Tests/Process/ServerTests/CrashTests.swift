import AloneKit
import Foundation
import Glibc
import JSONBytes
import Postgres
import Synchronization
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// `homeroom serve` over its private PostgreSQL, which is killed under load.
@Suite(.alone, .serialized, .timeLimit(.minutes(15))) struct CrashOfTheDatabase {
    @Test func `what was acknowledged survives, nothing is done twice, and service returns`()
        async throws
    {
        try await afterCrashes(usesKeys: false) { load, everyone in
            let stored = try everyone()
            let (made, unknown, statuses) = load.outcome
            #expect(Set(stored).count == stored.count, "nobody exists twice")
            #expect(Set(made.keys).isSubset(of: stored), "everyone who was acknowledged exists")
            #expect(Set(stored).subtracting(made.keys).isSubset(of: unknown))
            #expect(statuses.isSubset(of: [201, 429, 503]))
        }
    }

    @Test func `a call repeated with its key gets its answer, or is done now`() async throws {
        try await afterCrashes(usesKeys: true) { load, everyone in
            let made = load.outcome.made
            #expect(made.count < load.tried.count, "the crash hit calls in progress")
            for name in load.tried {
                let answer = try await awaited(until: { $0.status != 503 }) {
                    try load.answer(for: name)
                }
                #expect(answer.status == 201, "\(answer.text)")
                guard let body = made[name] else { continue }
                #expect(answer.body == body)
                #expect(answer["idempotency-replayed"] == "true")
            }
            #expect(try everyone().sorted() == load.tried.sorted())
        }
    }

    /// Kills the database twice under a load. The body gets that load and what reads the names of who exists.
    private func afterCrashes(
        usesKeys: Bool,
        _ body: (_ load: Load, _ everyone: () throws -> [String]) async throws -> Void
    ) async throws {
        let folder = "/tmp/homeroom-crash-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let homeroom = Homeroom(dataFolder: folder)
        if let account = homeroom.account, let entry = getpwnam(account) {
            chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
        let school = try await PreparedSchool.copy(to: folder)
        let server = try await ServingProcess(usesKeys ? homeroom.unlimited : homeroom)
        defer { server.stop() }
        let load = Load(
            port: server.port, token: try #require(school["accessToken"]?.text),
            location: try #require(school["locationId"]?.text), usesKeys: usesKeys)
        for _ in 0..<4 { Thread.detachNewThread { load.run() } }
        for _ in 0..<2 {
            let before = load.acknowledged
            try await eventually { load.acknowledged > before + 20 }
            try kill(folder)
            let after = load.acknowledged
            try await eventually { load.acknowledged > after + 20 }
        }
        load.stop()
        try await eventually { load.isOver }
        try await body(load) {
            try BlockingConnection(
                "host='\(folder)/run' port=5432 dbname=homeroom user=homeroom "
                    + "passfile='\(folder)/superuser.pgpass'"
            ).query("select given_name from school.person where family_name = 'Example'")
                .map { try $0.text("given_name") }
        }
    }

    /// Ends the server of the folder as the kernel would when short of memory.
    private func kill(_ folder: String) throws {
        let text = try String(
            contentsOfFile: "\(folder)/postgresql/postmaster.pid", encoding: .utf8)
        let pid = try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
        #expect(Glibc.kill(pid, SIGKILL) == 0)
    }
}

/// Clients that create people, one after another, as fast as they are answered.
private final class Load: Sendable {
    private struct State {
        var tried: Set<String> = []
        /// What was answered for whom.
        var made: [String: [UInt8]] = [:]
        var unknown: Set<String> = []
        var statuses: Set<Int> = []
        var running = 0
        var begun = 0
        var isStopped = false
    }

    private let port: UInt16
    private let token: String
    private let location: String
    private let usesKeys: Bool
    private let state = Mutex(State())

    init(port: UInt16, token: String, location: String, usesKeys: Bool) {
        self.port = port
        self.token = token
        self.location = location
        self.usesKeys = usesKeys
    }

    /// How many people the service says were created.
    var acknowledged: Int { state.withLock { $0.made.count } }

    /// Whom the service was asked to create.
    var tried: Set<String> { state.withLock { $0.tried } }

    /// Whether all the clients have ended.
    var isOver: Bool { state.withLock { $0.running == 0 } }

    /// Who was created with which answer, who perhaps, and which statuses were answered.
    var outcome: (made: [String: [UInt8]], unknown: Set<String>, statuses: Set<Int>) {
        state.withLock { ($0.made, $0.unknown, $0.statuses) }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
    }

    func run() {
        state.withLock { $0.running += 1 }
        while let name = nextName() { make(name) }
        state.withLock { $0.running -= 1 }
    }

    private func nextName() -> String? {
        state.withLock { state in
            state.begun += 1
            return state.isStopped ? nil : "Person\(state.begun)"
        }
    }

    /// Asks for a person, with the name as the key if the load uses keys.
    func answer(for name: String) throws -> WireAnswer {
        let person: JSONValue = [
            "givenName": .text(name), "familyName": "Example",
            "roles": [["role": "student", "locationId": .text(location)]],
        ]
        return try ask(
            port: port, "POST", "/v1/people", token: token, key: usesKeys ? name : nil,
            json: person)
    }

    private func make(_ name: String) {
        let answer = try? answer(for: name)
        state.withLock { state in
            state.tried.insert(name)
            state.statuses.insert(answer?.status ?? 0)
            if let answer, answer.status == 201 {
                state.made[name] = answer.body
            } else if answer?.text.contains("outcome_unknown") == true {
                state.unknown.insert(name)
            } else if answer?["retry-after"] == nil {
                state.statuses.insert(-1)
            }
        }
        if answer?.status != 201 { usleep(5_000) }
    }
}

/// A running `homeroom serve` on a free port. It must be stopped.
final class ServingProcess {
    let port: UInt16
    private let process: Process

    /// Returns when it serves.
    init(_ homeroom: Homeroom) async throws {
        let process = homeroom.process(["serve", "--listen", "127.0.0.1:0", "--log", "off"])
        let said = Pipe()
        process.standardError = said
        try process.run()
        self.process = process
        var text = ""
        while !text.contains("\n"), case let more = said.fileHandleForReading.availableData,
            !more.isEmpty
        {
            text += String(decoding: more, as: UTF8.self)
        }
        let found = text.firstMatch(of: /:([0-9]+)\./).map { String($0.1) }
        port = try #require(found.flatMap { UInt16($0) }, "\(text)")
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
