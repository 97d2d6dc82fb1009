import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import SCIM

/// Many operations in one request.
@Suite struct BulkTests {
    private func bulk(
        _ school: TestSchool, _ operations: [JSONValue], _ more: JSONValue = [:]
    ) async throws -> [JSONValue] {
        var body = JSONObject([
            ("schemas", ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"]),
            ("Operations", .array(operations)),
        ])
        for member in more.object?.members ?? [] { body[member.key] = member.value }
        let answer = try await school.scim("POST", "Bulk", .object(body))
        #expect(answer.status == 200)
        return answer.json["Operations"]?.array ?? []
    }

    private func user(_ name: String, _ bulkID: String) -> JSONValue {
        [
            "method": "POST", "path": "/Users", "bulkId": .text(bulkID),
            "data": [
                "userName": .text(name), "name": ["givenName": "N", "familyName": "N"],
                "roles": [["value": "student"]],
            ],
        ]
    }

    @Test func `a class names users that a later operation makes`() async throws {
        try await withSchool { school in
            let group: JSONValue = [
                "method": "POST", "path": "/Groups", "bulkId": "class",
                "data": [
                    "displayName": "Physics",
                    "members": [["value": "bulkId:one"], ["value": "bulkId:two"]],
                ],
            ]
            let change: JSONValue = [
                "method": "PATCH", "path": "/Users/bulkId:one",
                "data": ["Operations": [["op": "replace", "path": "active", "value": false]]],
            ]
            let results = try await bulk(
                school, [group, change, user("one", "one"), user("two", "two")])
            #expect(results.map { $0["status"] } == ["201", "200", "201", "201"])
            #expect(results.map { $0["bulkId"]?.text } == ["class", nil, "one", "two"])
            let location = try #require(results[0]["location"]?.text)
            let id = String(location.split(separator: "/").last ?? "")
            #expect(try await school.members(id).count == 2)
            #expect(try await school.found("active eq false") == ["one"])
        }
    }

    @Test func `an operation that fails says why, and the others go on`() async throws {
        try await withSchool { school in
            let operations: [JSONValue] = [
                user("sam@hillside.example", "a"), user("nora", "b"),
                ["method": "GET", "path": "/Users"],
                ["method": "DELETE", "path": "/Users/00000000-0000-4000-8000-000000000000"],
                ["method": "PUT", "path": "/Nothing/1", "data": [:]],
                [
                    "method": "POST", "path": "/Groups", "bulkId": "g",
                    "data": [
                        "displayName": "P", "members": [["value": "bulkId:a"]],
                    ],
                ],
                ["method": "DELETE", "path": "/Users/bulkId:b", "version": "W/\"0\""],
                [
                    "method": "POST", "path": "/Groups", "bulkId": "h",
                    "data": [
                        "displayName": "P", "externalId": "class-Biology",
                    ],
                ],
                ["method": "DELETE", "path": "/Users/bulkId:b"],
            ]
            let results = try await bulk(school, operations)
            #expect(
                results.map { $0["status"] } == [
                    "409", "201", "400", "404", "400", "409", "412", "201", "204",
                ])
            #expect(results[0]["response"]?["scimType"] == "uniqueness")
            #expect(results[0]["response"]?["schemas"]?[0]?.text?.hasSuffix("2.0:Error") == true)
        }
    }

    @Test func `after so many errors the rest is left`() async throws {
        try await withSchool { school in
            let sam = user("sam@hillside.example", "a")
            let results = try await bulk(
                school, [sam, user("nora", "b"), sam, user("nina", "c")], ["failOnErrors": 2])
            #expect(results.map { $0["status"] } == ["409", "201", "409"])
            #expect(try await school.found("userName sw \"n\"") == ["nora"])
        }
    }

    @Test func `what waits for itself ends`() async throws {
        try await withSchool { school in
            func group(_ own: String, _ other: String) -> JSONValue {
                [
                    "method": "POST", "path": "/Groups", "bulkId": .text(own),
                    "data": ["displayName": "P", "members": [["value": .text("bulkId:\(other)")]]],
                ]
            }
            let results = try await bulk(
                school, [group("a", "b"), group("b", "a"), group("c", "c")])
            #expect(results.count == 3)
            #expect(results.allSatisfy { $0["response"] != nil })
        }
    }

    private func operation(
        _ method: String, _ path: String, _ data: JSONValue = nil, makes bulkID: String? = nil
    ) -> JSONValue {
        var object = JSONObject([
            ("method", .text(method)), ("path", .text(path)), ("data", data),
        ])
        object["bulkId"] = bulkID.map(JSONValue.text)
        return .object(object)
    }

    private func count(_ school: TestSchool, _ filter: String) async throws -> Int64? {
        let body: JSONValue = ["filter": .text(filter), "count": 0]
        return try await school.scim("POST", "Users/.search", body).json["totalResults"]?.int64
    }

    @Test func `a thousand operations of all kinds are done`() async throws {
        try await withSchool { school in
            let grade: JSONValue = [
                "op": "replace", "path": .text("\(Schema.schoolUser.id):grade"), "value": "7",
            ]
            let made = (0..<350).map { user("bulk\($0)", "u\($0)") }
            let changed = (0..<250).map {
                operation("PATCH", "/Users/bulkId:u\($0)", ["Operations": [grade]])
            }
            let replaced = (250..<300).map { number -> JSONValue in
                let name: JSONValue = ["givenName": "N", "familyName": "N"]
                return operation(
                    "PUT", "/Users/bulkId:u\(number)",
                    ["userName": .text("other\(number)"), "name": name])
            }
            let classes = (0..<50).map { number -> JSONValue in
                let member: JSONValue = ["value": .text("bulkId:u\(number)")]
                return operation(
                    "POST", "/Groups", ["displayName": "Bulk", "members": [member]],
                    makes: "g\(number)")
            }
            let members = (0..<50).map { number -> JSONValue in
                let member: JSONValue = ["value": .text("bulkId:u\(number + 50)")]
                let change: JSONValue = ["op": "add", "path": "members", "value": [member]]
                return operation(
                    "PATCH", "/Groups/bulkId:g\(number)", ["Operations": [change]])
            }
            let removed = (100..<350).map { operation("DELETE", "/Users/bulkId:u\($0)") }
            let operations = [made, changed, replaced, classes, members, removed].flatMap(\.self)
            try #require(operations.count == SCIM.mostOperations)
            let results = try await bulk(school, operations)
            let statuses = [(350, "201"), (300, "200"), (50, "201"), (50, "200"), (250, "204")]
            let expected = statuses.flatMap { Array(repeating: $0.1, count: $0.0) }
            #expect(results.map { $0["status"]?.text ?? "none" } == expected)
            #expect(try await count(school, "userName sw \"bulk\"") == 100)
            #expect(try await count(school, "userName sw \"other\"") == 0)
            #expect(try await count(school, "\(Schema.schoolUser.id):grade eq \"7\"") == 100)
            let place = try #require(results[699]["location"]?.text)
            let group = String(place.split(separator: "/").last ?? "")
            #expect(try await school.members(group).count == 2)
        }
    }

    @Test func `there is a most`() async throws {
        try await withSchool { school in
            let operation: JSONValue = ["method": "DELETE", "path": "/Users/1"]
            let answer = try await school.scim(
                "POST", "Bulk", ["Operations": .array(Array(repeating: operation, count: 1001))])
            #expect(answer.status == 413)
            #expect(answer.json["status"] == "413")
        }
    }

    @Test func `all operations together may compare what one may`() async throws {
        try await withSchool { school in
            let filter = (0..<200).map { "value co \"x\($0)\"" }.joined(separator: " or ")
            let change: JSONValue = ["op": "remove", "path": .text("members[\(filter)]")]
            let patch: JSONValue = [
                "method": "PATCH", "path": .text("/Groups/\(school.mainLocation.uuid)"),
                "data": ["Operations": .array(Array(repeating: change, count: 10))],
            ]
            let few: JSONValue = [
                "method": "PATCH", "path": .text("/Groups/\(school.mainLocation.uuid)"),
                "data": ["Operations": [["op": "remove", "path": "members[value eq \"x\"]"]]],
            ]
            #expect(try await bulk(school, [patch]).map { $0["status"] } == ["200"])
            let all = try await bulk(school, Array(repeating: patch, count: 20) + [few])
            #expect(all.count == 21 && all[0]["status"] == "200")
            #expect(all[19]["status"] == "413" && all[20]["status"] == "200")
        }
    }
}
