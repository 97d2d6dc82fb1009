import AloneKit
import Foundation
import HTTPWire
import JSONBytes
import Postgres
import Server
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// What the cells of a move keep, and what the old one no longer says.
@Suite(.timeLimit(.minutes(10))) struct OldCells {
    @Test func `a cell that no longer serves a school says nothing of its tokens`() async throws {
        try await withTwoCells { cells in
            let school = cells.here
            let account = try await makeAccount(school)
            let signedIn = try await school.post(
                "/v1/sign-in", as: nil,
                json: [
                    "managedId": .text(Persona.tom.managedID), "password": .text(Persona.password),
                ])
            let refreshToken = try #require(signedIn.json["refreshToken"]?.text)
            #expect(try await introspect(school, account).json["active"] == true)
            #expect(try await school.get("/oauth/userinfo", as: .tom).status != 421)

            #expect(try await cells.move().status == 0)
            let refreshed = try await school.post(
                "/v1/sign-in/refresh", as: nil, json: ["refreshToken": .text(refreshToken)])
            for answer in [
                refreshed, try await introspect(school, account),
                try await school.get("/oauth/userinfo", as: .tom),
            ] {
                #expect(answer.status == 421, "\(answer.text)")
            }
            #expect(try await school.get("/v1/me", as: .otto).status == 200, "others stay")

            try await cells.withServiceThere { moved in
                let there = try await introspect(moved, account)
                #expect(there.json["active"] == true, "the new cell knows them: \(there.text)")
                let refreshed = try await moved.post(
                    "/v1/sign-in/refresh", as: nil, json: ["refreshToken": .text(refreshToken)])
                #expect(refreshed.status == 200, "the old cell did not use it up")
            }
        }
    }

    /// The value of `Authorization` of a new account.
    private func makeAccount(_ school: TestSchool) async throws -> String {
        let made = try await school.post(
            "/v1/service-accounts", as: .ada,
            json: ["name": "Library", "role": "exporter"])
        try #require(made.status == 201, "\(made.text)")
        let id = made.json["clientId"]?.text ?? ""
        let secret = made.json["clientSecret"]?.text ?? ""
        return "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
    }

    private func introspect(_ school: TestSchool, _ account: String) async throws -> Answer {
        try await school.send(
            "POST", "/oauth/introspect", token: nil,
            body: Array("token=\(Persona.tom.token)".utf8),
            headers: [
                ("Authorization", account), ("Content-Type", "application/x-www-form-urlencoded"),
            ])
    }

    // MARK: Migrating

    private static let guards: Statement =
        "select 1 from pg_trigger where tgname like 'homeroom\\_move\\_%'"

    @Test(.thorough) func `migrating everything anew during a move keeps its guards`() async throws
    {
        try await withTwoCells { cells in
            #expect(try await cells.move().status == 0)
            let before = try cells.sqlThere(Self.guards).count
            #expect(before > 0)
            try migrate(cells, isWhole: true)
            #expect(try cells.sqlThere(Self.guards).count == before)
            let back = try await cells.move("--back")
            #expect(back.status == 0, "\(back.complaints)")
        }
    }

    @Test(.thorough) func `a version that changes tables waits for the end of a move`() async throws
    {
        try await withTwoCells { cells in
            #expect(try await cells.move().status == 0)
            try cells.sqlThere(
                "delete from school.migration where name like '%0056_moved_rows%'")
            try cells.sqlThere("update school.applied_schema set sha256 = sha256('earlier')")
            #expect {
                try migrate(cells, isWhole: false)
            } throws: {
                "\($0)".contains("moves between this cell and another one")
            }
        }
    }

    private func migrate(_ cells: TwoCells, isWhole: Bool) throws {
        let definitions = try Definitions(folder: TestDatabase.sqlFolder)
        _ = try Migrator(definitions: definitions).migrate(
            cells.servers.connect(to: cells.there), isWhole: isWhole)
    }

    // MARK: Lost slots

    @Test(.thorough, .alone)
    func `a slot that is lost while rows are copied is noticed, and they are copied again`()
        async throws
    {
        try await withTwoCells { cells in
            try await OrganizationMoves().killMove(of: cells, at: .copying)
            let here = try BlockingConnection(cells.here.ownerURL)
            let there = try cells.servers.connect(to: cells.there)
            try await loseSlot(cells, of: here, for: there)
            let run = try await cells.move()
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.complaints.contains("Everything is copied again"))
            try await expectAllThere(cells)
        }
    }

    @Test(.thorough) func `a slot that is lost on the way back costs a copy, and nothing else`()
        async throws
    {
        try await withTwoCells { cells in
            #expect(try await cells.move().status == 0)
            let here = try BlockingConnection(cells.here.ownerURL)
            let there = try cells.servers.connect(to: cells.there)
            try await loseSlot(cells, of: there, for: here)
            let path = try await cells.withServiceThere { moved in
                let added = try await moved.post(
                    "/v1/locations", as: .ada, json: ["name": "Annex"])
                try #require(added.status == 201)
                return "/v1/locations/\(added.json["id"]?.text ?? "")"
            }
            let back = try await cells.move("--back")
            #expect(back.status == 0, "\(back.complaints)")
            #expect(back.complaints.contains("Everything is copied again"))
            for cell in [here, there] { #expect(try lostSlot(of: cell) == nil) }
            #expect(try await cells.here.get(path, as: .ada).status == 200)
        }
    }

    /// What doctor says of a slot that is lost.
    private func lostSlot(of cell: BlockingConnection) throws -> String? {
        try cell.query(
            "select said from school.deployment_checks() where code = 'move_lost_its_slot'")[0]
            .optionalText("said")
    }

    /// Takes away what one cell keeps for the other one, as a failover does. Doctor notices in the cell that kept it.
    private func loseSlot(
        _ cells: TwoCells, of publisher: BlockingConnection, for subscriber: BlockingConnection
    ) async throws {
        let name = try publisher.query(
            "select school.move_name(\(cells.here.hillside)) as name")[0].text("name")
        try subscriber.execute("alter subscription \(identifier: name) disable")
        try await eventually {
            try publisher.query(
                "select 1 from pg_replication_slots where slot_name = \(name) and not active"
            ).count == 1
        }
        #expect(try lostSlot(of: publisher) == nil)
        try publisher.query("select pg_drop_replication_slot(\(name))")
        #expect(try lostSlot(of: publisher)?.contains(name) == true)
        #expect(try lostSlot(of: subscriber) == nil)
        try subscriber.execute("alter subscription \(identifier: name) enable")
    }

    private func expectAllThere(_ cells: TwoCells) async throws {
        let status = try await cells.withServiceThere {
            try await $0.get("/v1/me", as: .tom).status
        }
        #expect(status == 200)
        try await eventually {
            try cells.digestsHere(of: cells.here.hillside)
                == cells.digestsThere(of: cells.here.hillside)
        }
    }
}
