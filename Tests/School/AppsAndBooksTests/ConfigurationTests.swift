import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import AppsAndBooks

/// What a device manager reads first, and what it says about itself.
@Suite struct Configurations {
    private static let manager: JSONValue = [
        "id": "m-1", "name": "Zentral", "metadata": "mdm.example",
    ]

    @Test func `anyone reads the limits, the numbers and the addresses`() async throws {
        try await withSchool { school in
            let answer = try await school.send("GET", "/mdm/v2/service/config", token: nil)
            #expect(answer.status == 200)
            #expect(answer.json["limits"]?["maxAssets"] == 25)
            #expect(answer.json["notificationTypes"] == [])
            let numbers = answer.json["errorCodes"]?.array?.compactMap {
                $0["errorNumber"]?.int64.map(Int.init)
            }
            #expect(numbers == ContentError.allCases.map(\.rawValue))
            let urls = answer.json["urls"]?.object?.members ?? []
            for url in urls {
                let segments = url.value.text?.split(separator: "/").map(String.init) ?? []
                let path = Array(segments.dropFirst(2))
                let methods: [HTTPMethod] = [.get, .post]
                #expect(methods.contains { school.pattern($0, path) != nil }, "\(path)")
            }
            #expect(urls.count > 8)
        }
    }

    @Test func `a device manager reads where it is, and says who it is`() async throws {
        try await withDevices { devices in
            let before = try await devices.get("client/config").json
            #expect(before["locationName"] == "Main building")
            #expect(before["countryISO2ACode"] == "DE" && before["mdmInfo"] == nil)
            #expect(before["uId"]?.text == TestIDs.mainLocation.uuid.description)
            let said = try await devices.post("client/config", ["mdmInfo": Self.manager])
            #expect(said.status == 200 && said.json["mdmInfo"] == Self.manager)
            for path in ["client/config", "assets", "assignments", "users"] {
                let answer = try await devices.get(path).json
                #expect(answer["mdmInfo"] == Self.manager && answer["uId"] == before["uId"])
            }
            let tokens = try await devices.school.get("/v1/content-tokens", as: .ada)
            #expect(tokens.items[0]["mdmName"] == "Zentral")
        }
    }

    @Test
    func `another token of the location has the same library, that of another has none of it`()
        async throws
    {
        try await withDevices { devices in
            _ = try await devices.post("client/config", ["mdmInfo": Self.manager])
            let other = try await Devices.newToken(devices.school)
            let same = try await devices.school.send(
                "GET", "/mdm/v2/client/config", token: other)
            #expect(same.json["mdmInfo"] == Self.manager)
            let annex = try await devices.addAnnex()
            let config = try await annex.get("client/config").json
            #expect(config["mdmInfo"] == nil && config["locationName"] == "Annex")
        }
    }

    @Test(
        arguments: [
            (9723, ["mdmInfo": ["id": "m", "name": "Zentral"]]),
            (9723, ["mdmInfo": ["id": "", "name": "Zentral", "metadata": "x"]]),
            (9723, ["mdmInfo": "Zentral"]),
            (9724, ["mdmInfo": ["id": .text(long(101)), "name": "Z", "metadata": "x"]]),
            (9725, ["mdmInfo": ["id": "m", "name": .text(long(101)), "metadata": "x"]]),
            (9713, ["mdmInfo": ["id": "m", "name": "Z", "metadata": .text(long(256))]]),
            (9710, ["notificationUrl": "https://mdm.example"]),
            (9710, ["notificationAuthToken": "secret"]),
            (
                9711,
                ["notificationUrl": .text("https://\(long(600))"), "notificationAuthToken": "s"]
            ),
            (9712, ["notificationUrl": "http://mdm.example", "notificationAuthToken": "s"]),
            (9602, ["notificationUrl": 1, "notificationAuthToken": "s"]),
            (9602, ["notificationTypes": "ASSET_COUNT"]), (9602, []),
        ] as [(Int64, JSONValue)])
    func `what is wrong gets its number and changes nothing`(
        number: Int64, body: JSONValue
    ) async throws {
        try await withDevices { devices in
            let refused = try await devices.post("client/config", body)
            #expect(refused.status == 400)
            #expect(refused.json["errorNumber"]?.int64 == number)
            #expect(try await devices.get("client/config").json["mdmInfo"] == nil)
        }
    }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func `a library that is gone leaves a token that manages nothing`() async throws {
        try await withDevices { devices in
            try devices.school.sql("delete from school.content_library")
            for path in ["client/config", "assets", "assignments", "users", "status?eventId=x"] {
                let refused = try await devices.get(path)
                #expect(refused.status == 403 && refused.json["errorNumber"] == 9601, "\(path)")
            }
            let refused = try await devices.post(
                "assets/associate", Devices.body(devices: ["A-1"]))
            #expect(refused.status == 403)
        }
    }
}
