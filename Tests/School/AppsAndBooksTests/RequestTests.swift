import HTTPWire
import JSONBytes
import Postgres
import TestKit
import Testing

@testable import AppsAndBooks

/// What is refused at once, with Apple's numbers; nothing is queued.
@Suite struct Requests {
    private static func names(_ prefix: String, _ count: Int) -> [String] {
        (0..<count).map { "\(prefix)-\($0)" }
    }

    @Test(
        arguments: [
            (9718, Devices.body([], devices: ["A"])), (9718, ["serialNumbers": ["A"]]),
            (9719, Devices.body()), (9719, ["assets": [["adamId": "990011223"]]]),
            (9700, Devices.body((0..<26).map { "\($0)" }, devices: ["A"])),
            (9701, Devices.body(users: names("u", 101))),
            (9702, Devices.body(devices: names("D", 101))),
            (9703, Devices.body([Devices.quizzler, Devices.quizzler], devices: ["A"])),
            (9704, Devices.body(users: ["u", "u"])),
            (9705, Devices.body(devices: ["tablet", "TABLET"])),
            (9602, Devices.body(["123"], devices: ["A"])),
            (9602, Devices.body(["x'; drop table app"], devices: ["A"])),
            (9602, Devices.body(devices: ["A B"])), (9602, Devices.body(devices: [""])),
            (9602, Devices.body(users: ["u\u{0}"])),
            (9602, Devices.body(users: [String(repeating: "u", count: 256)])),
            (
                9602,
                [
                    "assets": [["adamId": .text(Devices.quizzler), "pricingParam": "PLUS"]],
                    "serialNumbers": ["A"],
                ]
            ),
            (9602, ["assets": [["adamId": 990_011_223]], "serialNumbers": ["A"]]),
            (9602, ["assets": [.text(Devices.quizzler)], "serialNumbers": "A"]),
            (9602, []), (9602, "associate"),
        ] as [(Int64, JSONValue)])
    func `assigning refuses what is wrong by its number`(
        number: Int64, body: JSONValue
    ) async throws {
        try await withDevices { devices in
            for path in ["assets/associate", "assets/disassociate"] {
                let refused = try await devices.post(path, body)
                #expect(refused.status == 400, "\(path) \(refused.text)")
                #expect(refused.json["errorNumber"]?.int64 == number, "\(refused.text)")
                #expect(refused.json["errorMessage"]?.text?.isEmpty == false)
            }
            let left = try devices.school.sql(
                """
                select (select count(*) from school.content_event) + (select count(*) from school.licence) as count
                """)
            #expect(try left[0].int("count") == 0)
        }
    }

    @Test(
        arguments: [
            (9720, ["users": []]), (9720, [:]), (9720, ["users": "sam"]),
            (9714, ["users": .array((0..<101).map { ["clientUserId": .text("u-\($0)")] })]),
            (9715, ["users": [["clientUserId": "u"], ["clientUserId": "u"]]]),
            (9717, ["users": [["clientUserId": "u", "email": "nobody"]]]),
            (9602, ["users": [["clientUserId": ""]]]), (9602, ["users": [[:]]]),
            (9602, ["users": ["u"]]),
            (9602, ["users": [["clientUserId": "u", "managedAppleId": 7]]]),
        ] as [(Int64, JSONValue)])
    func `registering refuses what is wrong by its number`(
        number: Int64, body: JSONValue
    ) async throws {
        try await withDevices { devices in
            for path in ["users/create", "users/update", "users/retire"] {
                let refused = try await devices.post(path, body)
                #expect(refused.status == 400, "\(path)")
                #expect(refused.json["errorNumber"]?.int64 == number, "\(refused.text)")
            }
            let events = try devices.school.sql("select from school.content_event")
            #expect(events.count == 0)
        }
    }

    @Test(arguments: [
        ("assets?pageIndex=1", 9650), ("assignments?pageIndex=1000000", 9650),
        ("users?pageIndex=7", 9650), ("assets?pageIndex=-1", 9602), ("assets?pageIndex=x", 9602),
        ("assets?productType=Song", 9602), ("assets?limit=5", 9602),
        ("assets?revocable=perhaps", 9602),
        ("assignments?sinceVersionId=x", 9721), ("users?sinceVersionId=1-2-3", 9721),
        ("users?sinceVersionId=99999999999999999999-1", 9721), ("users?sinceVersionId=-", 9721),
        ("users?activeOnly=true&retiredOnly=true", 9602), ("status?eventId=x", 9708),
        ("status?eventId=0199aaaa-0000-7000-8000-000000000000", 9708), ("status", 9602),
    ])
    func `a wrong query is refused by its number`(path: String, number: Int64) async throws {
        try await withDevices { devices in
            let refused = try await devices.get(path)
            #expect(refused.status == 400, "\(refused.text)")
            #expect(refused.json["errorNumber"]?.int64 == number, "\(refused.text)")
        }
    }

    @Test func `what is no request at all has its status and number`() async throws {
        try await withDevices { devices in
            let school = devices.school
            func send(
                _ method: HTTPMethod, _ path: String, _ body: String = "", type: String? = nil,
                token: String?
            ) async throws -> String {
                let answer = try await school.send(
                    method, "/mdm/v2/\(path)", token: token, body: Array(body.utf8),
                    headers: type.map { [("Content-Type", $0)] } ?? [])
                return "\(answer.status) \(answer.json["errorNumber"]?.int64 ?? 0)"
            }
            let (token, path) = (devices.token, "assets/associate")
            #expect(try await send("GET", "assets", token: nil) == "401 9722")
            #expect(try await send("GET", "assets", token: "\(token)x") == "401 9601")
            #expect(try await send("GET", path, token: token) == "405 9726")
            #expect(try await send("GET", "nothing", token: token) == "404 9602")
            #expect(try await send("POST", path, "{", token: token) == "400 9602")
            #expect(try await send("POST", path, "", token: token) == "400 9602")
            #expect(try await send("POST", path, "\u{FF}", token: token) == "400 9602")
            let form = try await send("POST", path, "a=b", type: "text/plain", token: token)
            #expect(form == "415 9727")
            let deep = String(repeating: "[", count: 100_000)
            #expect(try await send("POST", path, deep, token: token) == "400 9602")
            let long = "\"\(String(repeating: "x", count: 1 << 20))\""
            #expect(try await send("POST", path, long, token: token) == "413 9602")
        }
    }

    @Test func `too many requests are told when to come back`() async throws {
        try await withSchool(requestsPerSecond: 10) { school in
            let token = try await Devices.newToken(school)
            for _ in 0..<200 {
                let answer = try await school.send("GET", "/mdm/v2/assignments", token: token)
                guard answer.status == 429 else { continue }
                #expect(answer.json["errorNumber"] == 9646)
                #expect(answer.header("Retry-After") != nil)
                return
            }
            Issue.record("nobody was refused")
        }
    }
}
