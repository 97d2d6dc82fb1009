import Crypto
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// Tokens of roster readers, with and without scopes.
@Suite struct ScopeTests {
    /// The client id and secret of a new account.
    private func account(_ school: TestSchool, _ role: String = "rosterReader") async throws
        -> String
    {
        let answer = try await school.post(
            "/v1/service-accounts", as: .ada, json: ["name": "Classroom", "role": .text(role)])
        let id = try #require(answer.json["clientId"]?.text)
        return "\(id):\(try #require(answer.json["clientSecret"]?.text))"
    }

    private func token(_ school: TestSchool, _ account: String, _ form: String) async throws
        -> Answer
    {
        try await school.send(
            "POST", "/oauth/token", token: nil,
            body: Array("grant_type=client_credentials\(form)".utf8),
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Authorization", "Basic \(Base64.encode(Array(account.utf8)))"),
            ])
    }

    private func status(_ school: TestSchool, _ path: String, _ token: String) async throws -> Int {
        try await school.send("GET", path, token: token).status
    }

    @Test(arguments: ["", "&scope=rosterReader"])
    func `without a scope of the standard a token reads all of the roster and nothing else`(
        form: String
    ) async throws {
        try await withSchool { school in
            let answer = try await token(school, account(school), form)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["scope"]?.text?.contains(Edition.v1p2.scope("roster")) == true)
            let token = answer.json["access_token"]?.text ?? ""
            for edition in Edition.allCases {
                for path in ["users", "classes/x/students", "demographics"] {
                    #expect(try await status(school, "\(edition.path)/\(path)", token) == 200)
                }
            }
            for path in ["/v1/people", "/v1/classes", "/v1/exports", "/v1/organization"] {
                #expect(try await status(school, path, token) == 403, "\(path)")
            }
        }
    }

    @Test func `without a scope a token reads the gradebook that was granted, and writes nothing`()
        async throws
    {
        try await withSchool { school in
            let account = try await account(school)
            let before = try await token(school, account, "")
            #expect(before.json["scope"]?.text?.contains("gradebook") == false)
            let id = try #require(account.split(separator: ":").first)
            let grants: JSONValue = [
                "items": [["locationId": "source:main", "readsResults": true]]
            ]
            let granted = try await school.put(
                "/v1/service-accounts/\(id)/gradebook-grants", as: .ada, json: grants)
            try #require(granted.status == 200, "\(granted.text)")
            let task = try school.newHandout().task.uuid.description
            let answer = try await token(school, account, "")
            let scopes = answer.json["scope"]?.text ?? ""
            #expect(scopes.contains(Edition.v1p1.scope("gradebook")))
            #expect(!scopes.contains("gradebook.createput"))
            let token = answer.json["access_token"]?.text ?? ""
            for edition in Edition.allCases {
                let base = edition.path(of: .gradebook)
                let items = try await school.send("GET", "\(base)/lineItems", token: token)
                #expect(items.status == 200 && items.text.contains(task), "\(items.text)")
                let written = try await school.send(
                    "PUT", "\(base)/categories/mine", token: token,
                    body: Array(#"{"category":{"title":"Mine"}}"#.utf8))
                #expect(written.status == 403)
            }
            let none = try await self.token(school, try await self.account(school), "")
            let ungranted = none.json["access_token"]?.text ?? ""
            let items = try await school.send(
                "GET", "\(Edition.v1p2.path(of: .gradebook))/lineItems", token: ungranted)
            #expect(items.status == 200 && !items.text.contains(task), "nothing was granted")
        }
    }

    @Test(arguments: [
        (Edition.v1p2, "roster", [200, 200, 403]), (.v1p2, "roster-core", [200, 403, 403]),
        (.v1p2, "roster-demographics", [403, 403, 200]), (.v1p1, "roster", [200, 200, 403]),
    ])
    func `a scope limits the token to its calls and its version`(
        edition: Edition, scope: String, statuses: [Int]
    ) async throws {
        try await withSchool { school in
            let wanted = edition.scope(scope)
            let answer = try await token(school, account(school), "&scope=\(wanted)")
            #expect(answer.json["scope"]?.text == wanted)
            let token = answer.json["access_token"]?.text ?? ""
            var found: [Int] = []
            for path in ["users/sis-sam", "classes/x/students", "demographics"] {
                found.append(try await status(school, "\(edition.path)/\(path)", token))
            }
            #expect(found == statuses)
            let other: Edition = edition == .v1p1 ? .v1p2 : .v1p1
            #expect(try await status(school, "\(other.path)/users", token) == 403)
            let refusal = try await school.send("POST", "/v1/sign-out", token: token)
            #expect(refusal.status == 403)
        }
    }

    @Test func `scopes of parts that are not served are left out, and wrong ones refused`()
        async throws
    {
        try await withSchool { school in
            let account = try await account(school)
            let roster = Edition.v1p2.scope("roster")
            let google = "&scope=\(roster)+\(Edition.v1p2.scope("assessment"))"
            let answer = try await token(school, account, google)
            #expect(answer.json["scope"]?.text == roster)
            for scope in [Edition.v1p2.scope("assessment"), "\(roster)+provisioner", "everything"] {
                let refused = try await token(school, account, "&scope=\(scope)")
                #expect(refused.json["error"] == "invalid_scope", "\(scope)")
            }
            let provisioner = try await self.account(school, "provisioner")
            let refused = try await token(school, provisioner, "&scope=\(roster)")
            #expect(refused.json["error"] == "invalid_scope")
        }
    }

    @Test(arguments: [
        (Part.rostering, "rosters", 41), (.gradebook, "gradebook", 18),
        (.resources, "resources", 5),
    ])
    func `the discovery document lists every call of version 1.2`(
        part: Part, name: String, count: Int
    ) async throws {
        try await withSchool { school in
            let base = Edition.v1p2.path(of: part)
            let file = "onerosterv1p2\(name)service_openapi3_v1p0.json"
            let document = try await school.get("\(base)/discovery/\(file)", as: nil)
            #expect(document.json["openapi"]?.text?.hasPrefix("3.") == true)
            let paths = document.json["paths"]?.object?.keys ?? []
            #expect(paths.count == count)
            #expect(paths.allSatisfy { $0.hasPrefix(base) })
            let code = document.json["components"]?["schemas"]?["ProblemCode"]
            #expect(code?["type"] == "string" && code?["enum"] == nil, "what HTTP itself refuses")
        }
    }

    @Test(arguments: Edition.allCases)
    func `resources are empty collections`(edition: Edition) async throws {
        try await withSchool { school in
            let base = edition.path(of: .resources)
            for path in ["resources", "classes/class-Biology/resources", "courses/x/resources"] {
                let answer = try await school.get("\(base)/\(path)", as: .rosterReader)
                #expect(answer.status == 200 && answer.json["resources"]?.array == [], "\(path)")
                #expect(answer.header("X-Total-Count") == "0")
            }
            let one = try await school.get("\(base)/resources/x", as: .rosterReader)
            #expect(one.status == 404)
        }
    }
}
