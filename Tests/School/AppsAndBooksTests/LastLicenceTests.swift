import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import AppsAndBooks

/// Many who want the last licence at once.
@Suite struct LastLicence {
    private func outcomes(
        _ events: [@Sendable () async throws -> JSONValue]
    ) async throws -> [JSONValue] {
        try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for event in events { group.addTask { try await event() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func check(_ devices: Devices, held: Int) throws {
        let rows = try devices.school.sql(
            """
            select p.assigned_count, (select count(*) from school.licence as l
                                       where l.adam_id = p.adam_id and l.location_id = p.location_id) as held
              from school.pool as p where p.adam_id = \(Devices.quizzler)
            """)
        #expect(try rows[0].int("assigned_count") == held && rows[0].int("held") == held)
    }

    @Test func `one device gets it, and the others are told that it is gone`() async throws {
        try await withDevices(quizzlers: 1) { devices in
            let events = try await outcomes(
                (0..<12).map { number in
                    { try await devices.associate(devices: ["T-\(number)"]) }
                })
            #expect(events.count { $0["eventStatus"] == "COMPLETE" } == 1)
            let failed = events.filter { $0["eventStatus"] == "FAILED" }
            #expect(failed.count == 11)
            #expect(
                failed.allSatisfy {
                    $0["failures"]?[0]?["errorNumber"] == 9709 && $0["numCompleted"] == 0
                })
            try check(devices, held: 1)
        }
    }

    @Test func `the API and a device manager do not sell it twice`() async throws {
        try await withDevices(quizzlers: 2) { devices in
            let school = devices.school
            let statuses = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        try await devices.associate(devices: ["T-\(number)"])["eventStatus"]
                            == "COMPLETE"
                    }
                    group.addTask {
                        try await school.post(
                            "/v1/apps/\(Devices.quizzler)/licences", as: .ada,
                            json: ["serialNumbers": [.text("A-\(number)")]]
                        ).status == 201
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(statuses.count == 12 && statuses.count { $0 } == 2)
            try check(devices, held: 2)
        }
    }

    @Test func `giving and taking back at once ends with what adds up`() async throws {
        try await withDevices(quizzlers: 2) { devices in
            try await devices.register(.sam)
            let events = try await outcomes(
                (0..<8).flatMap { number -> [@Sendable () async throws -> JSONValue] in
                    [
                        {
                            try await devices.associate(
                                users: ["c-sam"], devices: ["T-\(number % 2)"])
                        },
                        {
                            try await devices.disassociate(
                                users: ["c-sam"], devices: ["T-\(number % 2)"])
                        },
                    ]
                })
            #expect(events.count == 16)
            let held = try await devices.holders().count
            #expect(held <= 2)
            try check(devices, held: held)
        }
    }
}
