import Foundation
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// A school in a private database, with a folder for its backup, as on a machine of its own.
///
/// Not for use by two threads at once.
final class BackedUpSchool {
    /// Everything is below it; its owner is the account that runs the commands.
    let root =
        NSTemporaryDirectory() + "homeroom-backup-\(getpid())-\(UUID().uuidString.prefix(8))"
    let homeroom: Homeroom
    let organization: String
    private let location: String
    private let token: String
    /// Of the administrator, Ada.
    let password: String
    private(set) var server: ServingProcess?

    var data: String { "\(root)/data" }
    var backup: String { "\(root)/backup" }

    /// Makes the school and serves it.
    init() async throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let homeroom = Homeroom(dataFolder: "\(root)/data")
        self.homeroom = homeroom
        if let account = homeroom.account, let entry = getpwnam(account) {
            chown(root, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
        let made = try await PreparedSchool.copy(to: "\(root)/data")
        organization = try #require(made["organizationId"]?.text)
        location = try #require(made["locationId"]?.text)
        token = try #require(made["accessToken"]?.text)
        password = try #require(made["temporaryPassword"]?.text)
        try await serve()
    }

    func serve() async throws { server = try await ServingProcess(homeroom) }

    func stop() {
        server?.stop()
        server = nil
    }

    func discard() {
        stop()
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Calls the service as the administrator, or with another token.
    func call(
        _ method: String, _ path: String, _ body: JSONValue? = nil, token: String? = nil
    ) throws -> (status: Int, json: JSONValue) {
        let port = try #require(server?.port)
        let answer = try ask(port: port, method, path, token: token ?? self.token, json: body)
        return (answer.status, (try? JSONValue(parsing: Array(answer.text.utf8))) ?? .null)
    }

    /// Creates a student and returns the id.
    func addPerson(_ name: String) throws -> String {
        let made = try call(
            "POST", "/v1/people",
            [
                "givenName": .text(name), "familyName": "Example",
                "roles": [["role": "student", "locationId": .text(location)]],
            ])
        #expect(made.status == 201)
        return try #require(made.json["id"]?.text)
    }

    /// Writes a key into a file that the commands can read.
    func writeKey(_ text: String, as name: String) throws -> String {
        let path = "\(root)/\(name)"
        try Data("\(text)\n".utf8).write(to: URL(filePath: path))
        return path
    }

    /// Runs a statement as the superuser.
    @discardableResult
    func sql(_ statement: Statement) throws -> Rows {
        try BlockingConnection(
            "host='\(data)/run' port=5432 dbname=homeroom user=homeroom "
                + "passfile='\(data)/superuser.pgpass'"
        ).query(statement)
    }

    /// The given names of all students, in order.
    func students() throws -> [String] {
        try sql("select given_name from school.person where family_name = 'Example' order by 1")
            .map { try $0.text("given_name") }
    }

    /// Lets PostgreSQL finish the WAL that it writes, and waits until it is archived.
    func archive() async throws {
        let name = try sql("select pg_walfile_name(pg_switch_wal()) as name")[0].text("name")
        try await eventually {
            let last = try sql(
                "select coalesce(last_archived_wal, '') as name from pg_stat_archiver")
            return try last[0].text("name").prefix(24) >= name
        }
    }
}

/// Gives the test a school that is served, and removes it afterwards.
func withBackedUpSchool(_ body: (BackedUpSchool) async throws -> Void) async throws {
    let school = try await BackedUpSchool()
    defer { school.discard() }
    try await body(school)
}
