import HTTPServer
import HTTPWire
import JSONBytes
import Testing
import Values

@testable import Pages

/// The accounts that the sign-in page of the demonstration school offers.
@Suite struct DemonstrationDoors {
    private func signInPage(
        from address: String, host: String, offering accounts: [OfferedAccount]
    ) async throws -> String {
        let api = FakeAPI()
        let pages = Pages(
            firstNumber: 1, clock: Clock { Timestamp("2026-11-22T10:00:00Z")! }, offered: accounts
        ) { await api.answer($0) }
        let request = try HTTPRequest(
            method: .get, target: "/sign-in", headers: [(name: "Host", value: host)],
            clientAddress: address)
        let answer = await pages.answer(request)
        return String(decoding: try await answer.wholeBody(), as: UTF8.self)
    }

    private let accounts = ["teacher", "student"].compactMap {
        OfferedAccount(
            role: $0, givenName: "Rosa", managedID: "\($0)@harbour.example", password: "open-\($0)")
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:8080"), ("::1", "[::1]:8080"), ("127.0.0.1", "localhost"),
    ])
    func `browsers on this machine sign in with one click`(
        address: String, host: String
    ) async throws {
        let page = try await signInPage(from: address, host: host, offering: accounts)
        #expect(page.contains("Try the demonstration school"))
        #expect(page.contains("value=\"teacher@harbour.example\""))
        #expect(page.contains("value=\"open-student\"") && page.contains(">Teacher</button>"))
    }

    @Test(arguments: [
        ("192.0.2.7", "127.0.0.1:8080"), ("127.0.0.1", "school.example"),
        ("127.0.0.1", "127.0.0.1.attacker.example"), ("127.0.0.1", ""),
    ])
    func `others do not`(address: String, host: String) async throws {
        let page = try await signInPage(from: address, host: host, offering: accounts)
        #expect(page.contains("name=\"password\"") && !page.contains("open-"))
    }

    @Test func `a server without the demonstration offers nothing`() async throws {
        let page = try await signInPage(from: "127.0.0.1", host: "localhost", offering: [])
        #expect(page.contains("name=\"password\"") && !page.contains("demonstration"))
    }

    @Test func `only roles are offered`() {
        #expect(
            OfferedAccount(role: "provisioner", givenName: "c", managedID: "a", password: "b")
                == nil)
    }
}

/// The strip that leads through the demonstration, and the way to its app.
@Suite struct DemonstrationStrips {
    private static let accounts = [("teacher", "Rosa"), ("student", "Mira")].compactMap {
        OfferedAccount(
            role: $0, givenName: $1, managedID: "\($1.lowercased())@harbour.example",
            password: "open-\($0)")
    }
    private static let app = OfferedApp(
        bundleID: "com.example.quiz", handout: "Ten sums", port: 8081)

    /// What somebody who is signed in gets.
    private func answer(
        _ path: String, as managedID: String, _ standing: String, host: String = "127.0.0.1:8080",
        from address: String = "127.0.0.1", isDemonstration: Bool = true,
        _ answers: [String: FakeAPI.Answer] = [:]
    ) async throws -> (status: Int, location: String?, text: String) {
        var me = FakeAPI.me(standings: [standing]).object ?? JSONObject()
        me["person"] = [
            "id": "p1", "managedId": .text(managedID), "givenName": "A", "familyName": "B",
        ]
        let more: [String: FakeAPI.Answer] = [
            "GET /v1/me": (200, .object(me)), "GET /v1/classes": (200, ["items": []]),
            "GET /v1/me/insights": (200, ["classes": []]),
            "GET /v1/me/overview": (
                200,
                [
                    "toReview": [], "late": [],
                    "dueThisWeek": [
                        ["id": "h0", "title": "Other"], ["id": "h1", "title": "Ten sums"],
                    ],
                ]
            ),
        ]
        let api = FakeAPI(more.merging(answers) { _, new in new })
        let pages = Pages(
            firstNumber: 1, clock: Clock { Timestamp("2026-11-22T10:00:00Z")! },
            offered: isDemonstration ? Self.accounts : [], app: isDemonstration ? Self.app : nil
        ) { await api.answer($0) }
        let request = try HTTPRequest(
            method: .get, target: path,
            headers: [
                (name: "Host", value: host),
                (name: "Cookie", value: "homeroom=\(FakeAPI.token)"),
            ], clientAddress: address)
        let answer = await pages.answer(request)
        let location = answer.headers.first { $0.name == "Location" }?.value
        return (
            answer.status, location, String(decoding: try await answer.wholeBody(), as: UTF8.self)
        )
    }

    @Test func `a teacher opens the report, and the app for a second window as somebody else`()
        async throws
    {
        let (_, _, page) = try await answer("/today", as: "rosa@harbour.example", "teacher")
        #expect(page.contains("You are Rosa.") && page.contains("href=\"/demonstration/report\""))
        #expect(page.contains("Be Mira, student") && !page.contains("Be Rosa"))
        #expect(page.contains("value=\"open-student\"") && !page.contains("open-teacher"))
        #expect(page.contains("href=\"http://127.0.0.1:8081/?at=localhost\""), "another session")
        let elsewhere = try await answer(
            "/today", as: "rosa@harbour.example", "teacher", host: "localhost:8080")
        #expect(elsewhere.text.contains("href=\"http://127.0.0.1:8081/?at=127.0.0.1\""))
        let report = try await answer(
            "/demonstration/report", as: "rosa@harbour.example", "teacher")
        #expect(report.status == 303 && report.location == "/handouts/h1")
    }

    @Test func `a student's app is in the session that is there, and others go home`() async throws
    {
        let (_, _, page) = try await answer("/recorded", as: "mira@harbour.example", "student")
        #expect(page.contains("href=\"http://127.0.0.1:8081/?at=127.0.0.1\""))
        #expect(page.contains("value=\"/demonstration/report\""), "who becomes Rosa watches")
        let report = try await answer(
            "/demonstration/report", as: "mira@harbour.example", "student")
        #expect(report.location == "/")
        let none = try await answer(
            "/demonstration/report", as: "rosa@harbour.example", "teacher",
            ["GET /v1/me/overview": (200, ["toReview": [], "late": [], "dueThisWeek": []])])
        #expect(none.location == "/today", "somebody has removed the handout")
    }

    @Test func `a colleague whose password is not printed has no strip`() async throws {
        let (status, _, page) = try await answer("/today", as: "jonas@harbour.example", "teacher")
        #expect(status == 200 && !page.contains("class=\"strip") && !page.contains("open-"))
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", false), ("127.0.0.1:8080", "192.0.2.7", true),
        ("school.example", "127.0.0.1", true),
    ])
    func `nobody finds any of it in a school's own service, or over a network`(
        host: String, address: String, isDemonstration: Bool
    ) async throws {
        func get(_ path: String) async throws -> (status: Int, location: String?, text: String) {
            try await answer(
                path, as: "rosa@harbour.example", "teacher", host: host, from: address,
                isDemonstration: isDemonstration)
        }
        let report = try await get("/demonstration/report")
        #expect(report.status == 404 && report.location == nil)
        let page = try await get("/today")
        #expect(page.status == 200 && page.text.contains("Ten sums"))
        #expect(!page.text.contains("class=\"strip") && !page.text.contains("open-"))
        #expect(!page.text.contains("8081"))
    }
}
