import Crypto
import Foundation
import Glibc
import JSONBytes
import Postgres
import Synchronization
import TestKit
import Testing
import Values
import WaitKit
import WireKit

@testable import ServerKit

/// `homeroom serve` over its private PostgreSQL, which is killed while apps upload.
@Suite(.timeLimit(.minutes(15))) struct CrashUnderUploads {
    @Test func `what was acknowledged is stored soon after the database is back`() async throws {
        let folder = "/tmp/homeroom-uploads-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let homeroom = Homeroom(dataFolder: folder)
        if let account = homeroom.account, let entry = getpwnam(account) {
            chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
        let made = try await PreparedSchool.copy(to: folder)
        let organization = try #require(made["organizationId"]?.text)
        let server = try await ServingProcess(homeroom)
        defer { server.stop() }
        let student = try assignSomething(server.port, folder, made)
        let issued = try await homeroom(
            "token", "create", "--organization", organization, "--role", "student", "--person",
            student, "--bundle", "org.example.quizzler", "--json")
        let load = UploadLoad(
            port: server.port, token: try #require(issued.json["accessToken"]?.text))
        for _ in 0..<4 { Thread.detachNewThread { load.run() } }
        try await eventually { load.acknowledged.count > 40 }
        let text = try String(
            contentsOfFile: "\(folder)/postgresql/postmaster.pid", encoding: .utf8)
        let pid = try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
        #expect(kill(pid, SIGKILL) == 0)
        let before = load.acknowledged.count
        try await eventually { load.acknowledged.count > before + 20 }
        load.stop()
        try await eventually { load.isOver }

        let acknowledged = load.acknowledged.map(\.description)
        let again = try await reconnected(to: folder)
        try await eventually(within: .seconds(180)) {
            try again.query(
                """
                select from school.activity where activity_id = any(\(acknowledged)::uuid[])
                """
            ).count == acknowledged.count
        }
        #expect(try again.query("select from school.upload").count == 0)
    }

    /// The database once it accepts connections: the processes of the killed server go on for a moment, so that what
    /// they acknowledge does not say that another one runs.
    private func reconnected(to folder: String) async throws -> BlockingConnection {
        let url =
            "host='\(folder)/run' port=5432 dbname=homeroom user=homeroom "
            + "passfile='\(folder)/superuser.pgpass'"
        let connection = try await awaited(until: { $0 != nil }) { try? BlockingConnection(url) }
        return try #require(connection)
    }

    /// Creates a student with something to do; returns their id.
    private func assignSomething(
        _ port: UInt16, _ folder: String, _ school: JSONValue
    ) throws -> String {
        let token = school["accessToken"]?.text
        let location = JSONValue.text(try #require(school["locationId"]?.text))
        func make(_ path: String, _ body: JSONValue) throws -> String {
            let answer = try ask(port: port, "POST", path, token: token, json: body)
            let document = try JSONValue(parsing: Array(answer.text.utf8))
            return try #require(document["id"]?.text, "\(answer.text)")
        }
        let on = try ask(
            port: port, "PATCH", "/v1/organization", token: token,
            json: ["studentProgress": ["enabled": true]])
        try #require(on.status == 200)
        let student = try make(
            "/v1/people",
            [
                "givenName": "Sam", "familyName": "Example",
                "roles": [["role": "student", "locationId": location]],
            ])
        let taught = try make(
            "/v1/classes",
            ["name": "Biology", "locationId": location, "studentIds": [.text(student)]])
        let owner = try BlockingConnection(
            "host='\(folder)/run' port=5432 dbname=homeroom user=homeroom "
                + "passfile='\(folder)/superuser.pgpass'")
        try owner.query(
            """
            insert into school.handout (organization_id, handout_id, class_id, author_id, title, publish_at)
            select organization_id, class_id, class_id, \(student)::uuid, 'Cells',
                   date_trunc('milliseconds', now())
              from school.class where class_id = \(taught)::uuid
            """)
        try owner.query(
            """
            insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                     bundle_id, identifier_path)
            select organization_id, class_id, class_id, class_id, 1, 'appActivity', 'Check',
                   'org.example.quizzler', '{check}'
              from school.class where class_id = \(taught)::uuid
            """)
        return student
    }
}

/// Apps that report one attempt after another, as fast as they are answered.
private final class UploadLoad: Sendable {
    private struct State {
        var acknowledged: [Values.UUID] = []
        var running = 0
        var isStopped = false
    }

    private let port: UInt16
    private let token: String
    private let state = Mutex(State())

    init(port: UInt16, token: String) {
        self.port = port
        self.token = token
    }

    var acknowledged: [Values.UUID] { state.withLock { $0.acknowledged } }
    var isOver: Bool { state.withLock { $0.running == 0 } }

    func stop() { state.withLock { $0.isStopped = true } }

    func run() {
        state.withLock { $0.running += 1 }
        while !state.withLock({ $0.isStopped }) { upload(Values.UUID.v7()) }
        state.withLock { $0.running -= 1 }
    }

    private func upload(_ id: Values.UUID) {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).description
        let activity: JSONValue = [
            "id": .text(id.description), "identifierPath": ["check"], "startedAt": .text(now),
            "modifiedAt": .text(now), "durationSeconds": 0,
        ]
        let answer = try? ask(
            port: port, "POST", "/v1/activities", token: token, json: ["activities": [activity]])
        if answer?.status == 202 { state.withLock { $0.acknowledged.append(id) } }
        pauseBetweenAttempts()
    }
}
