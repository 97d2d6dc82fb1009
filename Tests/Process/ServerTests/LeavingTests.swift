import AloneKit
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// What the service does for clients that have left: nothing.
@Suite(.alone) struct ClientsThatLeave {
    @Test func `a query whose client leaves is cancelled, and its connection serves the next`()
        async throws
    {
        try await withServer { school, server in
            for leave in [{ $0.close() }, { $0.reset() }] as [(WireClient) -> Void] {
                let lock = try LocationLock(school)
                let client = WireClient(port: server.port)
                client.addLocation("Left")
                #expect(try becomes { try school.waitingBackends().count == 1 })
                let backend = try school.waitingBackends()
                leave(client)
                // Nothing but the cancellation ends it before its timeout of ten seconds.
                #expect(try becomes { try school.waitingBackends().isEmpty })
                #expect(try school.backends().isSuperset(of: backend))
                try lock.release()
                let next = WireClient(port: server.port)
                next.addLocation("Next")
                #expect(next.answer()?.status == 201)
                #expect(try school.backends().isSuperset(of: backend))
            }
            #expect(try school.countLocations("Left") == 0)
            #expect(try school.countLocations("Next") == 2)
        }
    }

    @Test func `a request whose client leaves while it waits for a connection is not begun`()
        async throws
    {
        try await withServer { school, server in
            let lock = try LocationLock(school)
            // As many as one caller may have of the connections.
            let patient = (0..<2).map { _ in WireClient(port: server.port) }
            for client in patient { client.addLocation("Patient") }
            #expect(try becomes { try school.waitingBackends().count == 2 })
            let leaving = (0..<10).map { _ in WireClient(port: server.port) }
            for client in leaving { client.addLocation("Left") }
            usleep(50_000)
            for client in leaving { client.close() }
            usleep(400_000)
            try lock.release()
            for client in patient { #expect(client.answer()?.status == 201) }
            let next = WireClient(port: server.port)
            next.addLocation("Next")
            #expect(next.answer()?.status == 201)
            #expect(try school.countLocations("Left") == 0)
        }
    }

    @Test func `an upload whose client leaves before its end is discarded, with its file`()
        async throws
    {
        try await withServer { school, server in
            // Connections to the database are opened when first needed, and stay.
            let first = WireClient(port: server.port)
            first.addLocation("First")
            #expect(first.answer()?.status == 201)
            first.close()
            var before = -1
            while server.descriptorCount != before {
                before = server.descriptorCount
                usleep(500_000)
            }
            for count in [0, 1, 70_000, 300_000] {
                let client = WireClient(port: server.port)
                client.send(Array(Self.archiveHead(bytes: 400_000).utf8))
                client.send([UInt8](repeating: 7, count: count))
                let wasTaken = becomes { server.descriptorCount > before }
                client.close()
                let isForgotten = becomes { server.descriptorCount <= before }
                #expect(wasTaken && isForgotten)
            }
            let imports = try school.sql("select count(*) as count from school.import")
            #expect(try imports[0].int("count") == 0)
        }
    }

    private static func archiveHead(bytes: Int) -> String {
        "POST /v1/imports?mode=preview HTTP/1.1\r\nHost: x\r\nContent-Type: application/zip\r\n"
            + "Authorization: Bearer \(Persona.provisioner.token)\r\nContent-Length: \(bytes)\r\n\r\n"
    }
}

/// Blocks everyone from the locations of a school, so that queries take as long as the test wants.
final class LocationLock {
    private let connection: BlockingConnection

    init(_ school: TestSchool) throws {
        connection = try BlockingConnection(school.ownerURL)
        try connection.execute("begin")
        try connection.execute("lock table school.location in access exclusive mode")
    }

    func release() throws {
        try connection.execute("commit")
    }
}

extension TestSchool {
    /// The processes of PostgreSQL that serve the server.
    func backends() throws -> Set<Int> {
        let rows = try sql(
            """
            select pid from pg_stat_activity
             where datname = current_database() and usename = 'school_server'
            """)
        return try Set(rows.map { try $0.int("pid") })
    }

    /// Those of them whose query for a request waits for a lock.
    func waitingBackends() throws -> Set<Int> {
        let rows = try sql(
            """
            select pid from pg_stat_activity
             where datname = current_database() and usename = 'school_server'
               and application_name = 'homeroom' and wait_event_type = 'Lock' and state = 'active'
            """)
        return try Set(rows.map { try $0.int("pid") })
    }

    func countLocations(_ name: String) throws -> Int {
        try sql("select count(*) as count from school.location where name = \(name)")[0]
            .int("count")
    }
}

extension WireClient {
    /// Requests a new location: a transaction on a connection of the exclusive lane.
    func addLocation(_ name: String) {
        ask("POST", "/v1/locations", as: .provisioner, ["name": .text(name)])
    }
}
