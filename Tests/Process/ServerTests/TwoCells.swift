import Foundation
import JSONBytes
import Postgres
import School
import Server
import Synchronization
import TestKit
import Testing
import Values

@testable import ServerKit

/// A cell with the cast, and another one without any organization.
struct TwoCells: Sendable {
    /// The service over the first cell.
    let here: TestSchool
    /// The database of the second one.
    let there: String
    let servers: TestDatabase

    var thereURL: String { servers.url(there, user: nil) }

    /// The command in the first cell, as an operator runs it.
    var homeroom: Homeroom {
        Homeroom(databaseURL: here.ownerURL + " user=school_server", migrationURL: here.ownerURL)
    }

    /// `organization move` of Hillside to the second cell.
    var words: [String] {
        ["organization", "move", here.hillside.uuid.description, "--to", thereURL, "--json"]
    }

    func move(_ options: String...) async throws -> Homeroom.Run {
        try await homeroom.run(words + options)
    }

    /// Asks the second cell's database as the superuser.
    @discardableResult
    func sqlThere(_ statement: Statement) throws -> Rows {
        try servers.connect(to: there).query(statement)
    }

    /// Gives the test the service over the second cell.
    func withServiceThere<Value>(_ body: (TestSchool) async throws -> Value) async throws -> Value {
        try await withSchool(named: there, in: servers, body)
    }

    /// What moves leave in a database if they do not clean up.
    static let remains: Statement = """
        select 'slot ' || slot_name as label from pg_replication_slots where database = current_database()
        union all select 'publication ' || pubname from pg_publication
        union all select 'subscription ' || subname from pg_subscription as s
                    join pg_database as d on d.oid = s.subdbid where d.datname = current_database()
        union all select 'trigger ' || tgname from pg_trigger where tgname like 'homeroom\\_move\\_%'
        union all select 'state ' || state from school.organization_move
        """

    func remains() throws -> [String] {
        try (here.sql(Self.remains).map { try $0.text("label") })
            + (sqlThere(Self.remains).map { try $0.text("label") })
    }

    /// What an organization has in each table.
    private func digests(_ rows: Rows) throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try rows.map {
                (try $0.text("table_name"), "\(try $0.int("row_count")) \(try $0.text("digest"))")
            })
    }

    private func digests(of id: OrganizationID) -> Statement {
        """
        select t.table_name, d.row_count, d.digest from school.moved_tables() as t
         cross join lateral school.move_digest(\(id), t.table_name, t.columns) as d
        """
    }

    func digestsHere(of id: OrganizationID) throws -> [String: String] {
        try digests(here.sql(digests(of: id)))
    }

    func digestsThere(of id: OrganizationID) throws -> [String: String] {
        try digests(sqlThere(digests(of: id)))
    }
}

/// The name of a slot is that of the organization, and a server has each name once, in whichever database: tests that
/// moved at the same time would take each other's.
private let turn = Slots([()])

/// Gives the test two cells; both are gone when the body ends.
func withTwoCells(_ body: (TwoCells) async throws -> Void) async throws {
    await turn.take()
    defer { turn.give(()) }
    let (first, second) = try TestDatabase.cells()
    let name = try second.createEmpty()
    defer { second.drop(name) }
    _ = try Migrator(definitions: Definitions(folder: TestDatabase.sqlFolder)).migrate(
        second.connect(to: name))
    try await withSchool(in: first) { school in
        let cells = TwoCells(here: school, there: name, servers: second)
        try await body(cells)
        // Otherwise the databases cannot be dropped.
        for step in ["--finish", "--back", "--back"] { _ = try await cells.move(step) }
    }
}

/// Adds locations to Hillside until it lives elsewhere, and remembers which were acknowledged.
final class MovingWriter: Sendable {
    struct Outcome {
        var acknowledged: [String] = []
        /// Answers that said that the organization is moving.
        var pauses = 0
        /// Anything else but the answer that it is elsewhere.
        var others: [String] = []
    }

    private let state = Mutex(Outcome())

    var outcome: Outcome { state.withLock { $0 } }

    func write(to school: TestSchool) async throws {
        for number in 1... {
            let answer = try await school.post(
                "/v1/locations", as: .ada, json: ["name": .text("Room \(number)")])
            let code = answer.json["code"]?.text
            state.withLock { state in
                switch (answer.status, code) {
                case (201, _): state.acknowledged.append(answer.json["id"]?.text ?? "")
                case (503, "organization_moving"):
                    state.pauses += answer.header("retry-after") == nil ? 0 : 1
                case (421, "organization_elsewhere"): break
                default: state.others.append("\(answer.status) \(code ?? "")")
                }
            }
            if answer.status == 421 || number > 20_000 { return }
        }
    }
}
