import Foundation
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing
import WireKit

@testable import ServerKit

/// The school Oak in a folder of its own, whose PostgreSQL the server runs.
struct PrivateSchool {
    let homeroom: Homeroom
    let organization: String
    /// The administrator's.
    let token: String
    let location: JSONValue
    /// The database, as the superuser reaches it.
    let url: String
    private let folder: String

    fileprivate init(in folder: String) async throws {
        self.folder = folder
        url =
            "host='\(folder)/run' port=5432 dbname=homeroom user=homeroom "
            + "passfile='\(folder)/superuser.pgpass'"
        homeroom = Homeroom(dataFolder: folder).unlimited
        if let account = homeroom.account, let entry = getpwnam(account) {
            chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
        let made = try await PreparedSchool.copy(to: folder)
        organization = try #require(made["organizationId"]?.text)
        token = try #require(made["accessToken"]?.text)
        location = .text(try #require(made["locationId"]?.text))
    }

    /// The process of PostgreSQL that starts all others.
    func postmaster() throws -> pid_t {
        let text = try String(
            contentsOfFile: "\(folder)/postgresql/postmaster.pid", encoding: .utf8)
        return try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
    }

    /// Creates a student with something to do; returns their id.
    func assignSomething(_ port: UInt16) throws -> String {
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
        let owner = try BlockingConnection(url)
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

/// Gives the test the school Oak and what serves it; both are gone when the body ends.
func withPrivateSchool(
    _ body: (PrivateSchool, ServingProcess) async throws -> Void
) async throws {
    let folder = NSTemporaryDirectory() + "homeroom-private-\(Foundation.UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let school = try await PrivateSchool(in: folder)
    let server = try await ServingProcess(school.homeroom)
    defer { server.stop() }
    try await body(school, server)
}
