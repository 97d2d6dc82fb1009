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
                    "409", "201", "400", "404", "400", "409", "412", "409", "204",
                ])
            #expect(results[0]["response"]?["scimType"] == "uniqueness")
            #expect(results[7]["response"]?["scimType"] == "uniqueness")
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

    @Test func `there is a most`() async throws {
        try await withSchool { school in
            let operation: JSONValue = ["method": "DELETE", "path": "/Users/1"]
            let answer = try await school.scim(
                "POST", "Bulk", ["Operations": .array(Array(repeating: operation, count: 1001))])
            #expect(answer.status == 413)
            #expect(answer.json["status"] == "413")
        }
    }
}
