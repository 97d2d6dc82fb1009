import JSONBytes
import Postgres
import Synchronization
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// A server that is killed while a device manager assigns licences, over the network.
@Suite(.timeLimit(.minutes(15))) struct DeviceManagerCrash {
    private static let app = "/v1/apps/990011223"

    @Test func `what was answered is there, with its event, and nothing is half done`() async throws
    {
        try await withSchool { school in
            let answered = Answered()
            var token = ""
            for round in 1...2 {
                let server = try await ServerProcess(school.homeroom.unlimited)
                if round == 1 { token = try await prepare(server) }
                let contentToken = token
                await withTaskGroup(of: Void.self) { clients in
                    for client in 0..<3 {
                        clients.addTask {
                            for number in 0..<1000 {
                                let device = "R\(round)-\(client)-\(number)"
                                guard let event = await server.assign(device, contentToken)
                                else { return }
                                answered.note(device, event)
                            }
                        }
                    }
                    clients.addTask {
                        try? await eventually { answered.all.count >= 8 * round }
                        server.kill()
                    }
                }
            }
            let server = try await ServerProcess(school.homeroom.unlimited)
            defer { server.stop() }
            let known = answered.all
            #expect(known.count >= 16)
            let rows = try school.sql(
                """
                select p.assigned_count,
                       (select count(*) from school.licence where serial_number like '%-A') as first,
                       (select count(*) from school.licence where serial_number like '%-B') as second,
                       (select sum(completed_count) from school.content_event)::bigint as completed,
                       array(select serial_number from school.licence) as devices
                  from school.pool as p
                """)
            let held = try rows[0].int("first")
            #expect(try rows[0].int("second") == held, "a request names two devices")
            #expect(try rows[0].int("assigned_count") == 2 * held)
            #expect(try rows[0].int("completed") == 2 * held, "each has its event")
            let devices = Set(try rows[0].textArray("devices"))
            #expect(devices.isSuperset(of: known.keys.map { "\($0)-A" }))
            let event = try #require(known.first?.value)
            let status = await server.call(
                "GET", "/mdm/v2/status?eventId=\(event)", token: token, body: [])
            #expect(status?.json["eventStatus"] == "COMPLETE")
        }
    }

    /// An app with many seats, and a content token for them.
    private func prepare(_ server: ServerProcess) async throws -> String {
        let app: JSONValue = [
            "name": "Chess", "productType": "App", "bundleId": "org.example.chess",
        ]
        let added = await server.call(
            "PUT", Self.app, token: Persona.ada.token, body: app.bytes)
        #expect(added?.status == 201)
        let pool: JSONValue = ["totalCount": 100_000]
        let bought = await server.call(
            "PUT", "\(Self.app)/pools/source:main", token: Persona.ada.token, body: pool.bytes)
        #expect(bought?.status == 201)
        let wanted: JSONValue = [
            "name": "MDM", "locationId": "source:main", "country": "DE",
        ]
        let made = await server.call(
            "POST", "/v1/content-tokens", token: Persona.ada.token, body: wanted.bytes)
        return try #require(made?.json["contentToken"]?.text)
    }
}

/// The events of devices whose requests were answered.
private final class Answered: Sendable {
    private let events = Mutex([String: String]())

    var all: [String: String] { events.withLock { $0 } }

    func note(_ device: String, _ event: String) {
        events.withLock { $0[device] = event }
    }
}

extension ServerProcess {
    /// Assigns the app to two devices of a name, again while too many others wait, and returns the id of the event;
    /// `nil` if no complete answer arrived.
    fileprivate func assign(_ device: String, _ token: String) async -> String? {
        let body: JSONValue = [
            "assets": [["adamId": "990011223"]],
            "serialNumbers": [.text("\(device)-A"), .text("\(device)-B")],
        ]
        while true {
            let answer = await call(
                "POST", "/mdm/v2/assets/associate", token: token, body: body.bytes)
            guard answer?.status == 503 else { return answer?.json["eventId"]?.text }
            await pauseBetweenAttempts()
        }
    }
}
