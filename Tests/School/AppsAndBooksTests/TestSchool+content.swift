import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// A school as its device manager sees it.
struct Devices: Sendable {
    /// For people and devices.
    static let quizzler = "990011223"
    /// A book, which stays with its holders.
    static let novel = "990011224"

    let school: TestSchool
    /// A content token of the main location.
    let token: String

    init(_ school: TestSchool, quizzlers: Int = 3, novels: Int = 3) async throws {
        self.school = school
        try await Self.buy(quizzlers, novels, school)
        token = try await Self.newToken(school)
    }

    private static func buy(_ quizzlers: Int, _ novels: Int, _ school: TestSchool) async throws {
        let apps: [(String, JSONValue, Int)] = [
            (
                quizzler,
                [
                    "bundleId": .text(school.quizzler), "name": "Quizzler", "productType": "App",
                    "platforms": ["iOS", "macOS"],
                ], quizzlers
            ),
            (novel, ["name": "Novel", "productType": "Book"], novels),
        ]
        for (id, app, seats) in apps {
            let made = try await school.put("/v1/apps/\(id)", as: .ada, json: app)
            #expect(made.status == 201)
            let bought = try await school.put(
                "/v1/apps/\(id)/pools/source:main", as: .ada,
                json: ["totalCount": .number(JSONNumber(Int64(seats)))])
            #expect(bought.status == 201)
        }
    }

    static func newToken(
        _ school: TestSchool, at location: String = "source:main", as persona: Persona = .ada
    ) async throws -> String {
        let made = try await school.post(
            "/v1/content-tokens", as: persona,
            json: ["name": "Zentral", "locationId": .text(location), "country": "DE"])
        #expect(made.status == 201, "\(made.text)")
        return try #require(made.json["contentToken"]?.text)
    }

    /// Another location of Hillside with two Quizzlers of its own, and its content token.
    func addAnnex() async throws -> Devices {
        let made = try await school.post(
            "/v1/locations", as: .ada, json: ["name": "Annex", "sourceId": "annex"])
        #expect(made.status == 201)
        let bought = try await school.put(
            "/v1/apps/\(Self.quizzler)/pools/source:annex", as: .ada, json: ["totalCount": 2])
        #expect(bought.status == 201)
        return Devices(
            school: school, token: try await Self.newToken(school, at: "source:annex"))
    }

    private init(school: TestSchool, token: String) {
        self.school = school
        self.token = token
    }

    /// The device manager of the main location, for plain SQL.
    func caller() throws -> Caller {
        let account = try school.sql(
            """
            select service_account_id as id from school.content_token
             where location_id = \(school.mainLocation)
            """)[0].uuid("id")
        return Caller(
            organizationID: school.hillside, personID: nil,
            serviceAccountID: ServiceAccountID(account), standings: [.deviceManager])
    }

    // MARK: Asking

    func get(_ path: String) async throws -> Answer {
        try await school.send("GET", "/mdm/v2/\(path)", token: token)
    }

    func post(_ path: String, _ body: JSONValue) async throws -> Answer {
        try await school.send(
            "POST", "/mdm/v2/\(path)", token: token, body: body.bytes,
            headers: [("Content-Type", "application/json")])
    }

    /// The event of a request that was taken.
    func event(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        let answer = try await post(path, body)
        #expect(answer.status == 200, "\(answer.text)")
        let id = try #require(answer.json["eventId"]?.text)
        let status = try await get("status?eventId=\(id)")
        #expect(status.status == 200, "\(status.text)")
        return status.json
    }

    func associate(
        _ assets: [String] = [quizzler], users: [String] = [], devices: [String] = []
    ) async throws -> JSONValue {
        try await event("assets/associate", Self.body(assets, users: users, devices: devices))
    }

    func disassociate(
        _ assets: [String] = [quizzler], users: [String] = [], devices: [String] = []
    ) async throws -> JSONValue {
        try await event("assets/disassociate", Self.body(assets, users: users, devices: devices))
    }

    static func body(
        _ assets: [String] = [quizzler], users: [String] = [], devices: [String] = []
    ) -> JSONValue {
        [
            "assets": .array(assets.map { ["adamId": .text($0), "pricingParam": "STDQ"] }),
            "clientUserIds": .array(users.map(JSONValue.text)),
            "serialNumbers": .array(devices.map(JSONValue.text)),
        ]
    }

    /// Registers people under `c-` and their name.
    func register(_ personas: Persona...) async throws {
        let users = personas.map { persona -> JSONValue in
            [
                "clientUserId": .text("c-\(persona.rawValue)"),
                "managedAppleId": .text(persona.managedID),
            ]
        }
        let event = try await event("users/create", ["users": .array(users)])
        #expect(event["eventStatus"] == "COMPLETE", "\(event)")
    }

    /// Who and which devices have a licence, as the device manager is told.
    func holders(_ query: String = "") async throws -> Set<String> {
        let list = try await get("assignments\(query)").json["assignments"]?.array ?? []
        return Set(
            list.compactMap { ($0["clientUserId"] ?? $0["serialNumber"])?.text })
    }

    /// An asset as it is listed.
    func asset(_ id: String = quizzler) async throws -> JSONValue {
        let list = try await get("assets?adamId=\(id)").json["assets"]
        return try #require(list?[0])
    }
}

/// Gives the test a school with a device manager.
func withDevices(
    quizzlers: Int = 3, novels: Int = 3, _ body: (Devices) async throws -> Void
) async throws {
    try await withSchool { school in
        try await body(try await Devices(school, quizzlers: quizzlers, novels: novels))
    }
}
