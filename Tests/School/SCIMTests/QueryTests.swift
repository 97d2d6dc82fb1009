import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import SCIM

/// Lists, searches, versions and what answers hold.
@Suite struct QueryTests {
    private func names(_ answer: Answer) -> [String] {
        (answer.json["Resources"]?.array ?? []).compactMap {
            $0["userName"]?.text.map { String($0.prefix { $0 != "@" }) }
        }
    }

    @Test func `a list is sorted and read in pages`() async throws {
        try await withSchool { school in
            let path = "Users?sortBy=userName&startIndex=2&count=3"
            let page = try await school.scim("GET", path)
            #expect(page.json["totalResults"]?.int64 == 9)
            #expect(page.json["startIndex"]?.int64 == 2)
            #expect(page.json["itemsPerPage"]?.int64 == 3)
            #expect(names(page) == ["ben", "cora", "mara"])
            let descending = try await school.scim(
                "GET", "Users?sortBy=name.givenName&sortOrder=descending&count=2")
            #expect(names(descending) == ["tom", "tess"])
            let none = try await school.scim("GET", "Users?count=-5")
            #expect(none.json["totalResults"]?.int64 == 9 && names(none).isEmpty)
            let first = try await school.scim("GET", "Users?startIndex=-5&sortBy=userName&count=1")
            #expect(first.json["startIndex"]?.int64 == 1 && names(first) == ["ada"])
            let beyond = try await school.scim("GET", "Users?startIndex=100")
            #expect(beyond.json["totalResults"]?.int64 == 9 && names(beyond).isEmpty)
        }
    }

    @Test(arguments: [
        "Users?sortBy=roles", "Users?sortBy=nothing", "Users?sortOrder=sideways",
        "Users?count=many", "Users?attributes=userName&excludedAttributes=name",
        "Users?page=2",
    ])
    func `a wrong parameter is refused`(path: String) async throws {
        try await withSchool { school in
            let answer = try await school.scim("GET", path)
            #expect(answer.status == 400)
            #expect(answer.json["scimType"] == "invalidValue")
            #expect(answer.json["schemas"]?[0]?.text?.hasSuffix("2.0:Error") == true)
        }
    }

    @Test func `a search of everything finds users, then groups`() async throws {
        try await withSchool { school in
            let everything = try await school.scim("POST", ".search", ["count": 100])
            #expect(everything.json["totalResults"]?.int64 == 12)
            let types = (everything.json["Resources"]?.array ?? []).compactMap {
                $0["meta"]?["resourceType"]?.text
            }
            #expect(types == Array(repeating: "User", count: 9) + ["Group", "Group", "Group"])
            let last = try await school.scim("POST", ".search", ["startIndex": 9, "count": 2])
            #expect(last.json["Resources"]?.array?.count == 2)
            #expect(last.json["Resources"]?[0]?["userName"] != nil)
            #expect(last.json["Resources"]?[1]?["userName"] == nil)
            let one = try await school.scim(
                "POST", ".search", ["filter": "userName sw \"sam\" or displayName eq \"Biology\""])
            #expect(one.json["totalResults"]?.int64 == 2)
            let wrong = try await school.scim("POST", ".search", ["filter": "nothing pr"])
            #expect(wrong.json["scimType"] == "invalidFilter")
        }
    }

    @Test func `an answer has the attributes that are asked for`() async throws {
        try await withSchool { school in
            let path = "Users/\(school.id(of: .sam))"
            let some = try await school.scim(
                "GET", "\(path)?attributes=username,name.familyName,meta.version")
            #expect(
                Set(some.json.object?.keys ?? []) == ["schemas", "id", "userName", "name", "meta"])
            #expect(some.json["name"] == ["familyName": "Example"])
            #expect(some.json["meta"]?.object?.keys == ["version"])
            let enterprise = Schema.enterpriseUser.id
            let rest = try await school.scim(
                "GET", "\(path)?excludedAttributes=id,name.givenName,roles,\(enterprise)")
            #expect(rest.json["id"] != nil)
            #expect(rest.json["roles"] == nil && rest.json[enterprise] == nil)
            #expect(rest.json["name"]?["givenName"] == nil)
            #expect(rest.json["name"]?["familyName"] == "Example")
            let group = "Groups/\(school.biology.uuid)"
            let bare = try await school.scim("GET", "\(group)?excludedAttributes=members")
            #expect(bare.json["members"] == nil && bare.json["displayName"] == "Biology")
            let listed = try await school.scim("GET", "Groups?attributes=displayName")
            #expect(
                listed.json["Resources"]?.array?.allSatisfy {
                    Set($0.object?.keys ?? []) == ["schemas", "id", "displayName"]
                } == true)
            let teachers = try await school.scim(
                "GET", "\(group)?attributes=\(Schema.schoolGroup.id):teachers.value")
            #expect(teachers.json[Schema.schoolGroup.id]?["teachers"]?.array?.count == 2)
            #expect(teachers.json["members"] == nil)
        }
    }

    @Test func `a version says whether a resource changed`() async throws {
        try await withSchool { school in
            for path in ["Users/\(school.id(of: .sam))", "Groups/\(school.biology.uuid)"] {
                let tag = try #require(try await school.scim("GET", path).header("etag"))
                #expect(tag.hasPrefix("W/\""))
                let same = try await school.scim("GET", path, headers: [("If-None-Match", tag)])
                #expect(same.status == 304)
                let attribute = path.hasPrefix("U") ? "externalId" : "displayName"
                let change: JSONValue = [
                    "op": "replace", "path": .text(attribute), "value": "new",
                ]
                let first = try await school.change(path, change, headers: [("If-Match", tag)])
                #expect(first.status == 200)
                #expect(first.header("etag") != tag)
                #expect(first.json["meta"]?["version"]?.text == first.header("etag"))
                let late = try await school.change(path, change, headers: [("If-Match", tag)])
                #expect(late.status == 412)
                let gone = try await school.scim("DELETE", path, headers: [("If-Match", tag)])
                #expect(gone.status == 412)
                let any = try await school.change(path, change, headers: [("If-Match", "*")])
                #expect(any.status == 200)
                let again = try await school.scim("GET", path, headers: [("If-None-Match", tag)])
                #expect(again.status == 200)
            }
        }
    }

    @Test func `discovery says what there is, and takes nothing else`() async throws {
        try await withSchool { school in
            let config = try await school.scim("GET", "ServiceProviderConfig")
            #expect(config.json["patch"]?["supported"] == true)
            #expect(config.json["bulk"]?["maxOperations"]?.int64 == 1000)
            for path in ["ResourceTypes", "Schemas"] {
                let list = try await school.scim("GET", path)
                let resources = list.json["Resources"]?.array ?? []
                #expect(resources.count == (path == "Schemas" ? 5 : 2))
                for resource in resources {
                    let id = resource["id"]?.text ?? ""
                    let one = try await school.scim("GET", "\(path)/\(id)")
                    #expect(one.json == resource)
                }
                let none = try await school.scim("GET", "\(path)/nothing")
                #expect(none.status == 404)
                #expect(none.json["status"] == "404")
            }
            for path in ["ServiceProviderConfig", "ResourceTypes", "Schemas", "Schemas/x"] {
                for method in ["POST", "PUT", "PATCH", "DELETE"] {
                    let answer = try await school.scim(method, path, [:])
                    #expect(answer.status == 405)
                    #expect(answer.json["schemas"]?[0]?.text?.hasSuffix("2.0:Error") == true)
                }
            }
            let unknown = try await school.scim("GET", "Nothing")
            #expect(unknown.status == 404 && unknown.json["status"] == "404")
        }
    }

    @Test func `nobody else gets in here, and the identity provider nowhere else`() async throws {
        try await withSchool { school in
            for persona in [Persona.ada, .tom, .sam, .provisioner, .rosterReader, .samsApp] {
                let answer = try await school.scim("GET", "Users", as: persona)
                #expect(answer.status == 403)
                #expect(answer.json["schemas"]?[0]?.text?.hasSuffix("2.0:Error") == true)
            }
            let stranger = try await school.scim("GET", "Users", as: nil)
            #expect(stranger.status == 401)
            #expect(stranger.header("www-authenticate") != nil)
            for path in ["/v1/people", "/v1/classes", "/v1/me", "/v1/organization"] {
                #expect(try await school.get(path, as: .directoryWriter).status == 403)
            }
        }
    }

    /// All members of a large district at once would take the memory of the process.
    @Test func `a list ends before the group whose members are too much`() async throws {
        try await withSchool { school in
            func groups(_ search: JSONValue, members bytes: Int) throws -> Rows {
                let statement = try Search(search).statement(
                    of: .group, from: 0, upTo: 10, members: bytes)
                return try school.sql(statement, as: school.caller(.directoryWriter))
            }
            let all = try groups([:], members: 1_000_000)
            let total = try all[0].int("total")
            try #require(all.count == total && total > 2)
            let lengths = try all.map { try $0.text("members").utf8.count }
            let two = try groups([:], members: lengths[0] + lengths[1])
            #expect(two.count == 2)
            #expect(try two[0].int("total") == total)
            #expect(try groups([:], members: lengths[0] + lengths[1] - 1).count == 1)
            #expect(try groups([:], members: 0).count == 1, "or a client would never go on")
            #expect(try groups(["attributes": ["displayName"]], members: 0).count == total)
        }
    }

    @Test func `a body is JSON of the standard or plain`() async throws {
        try await withSchool { school in
            let path = "/scim/v2/Users/.search"
            for type in ["application/scim+json; charset=utf-8", "application/json"] {
                let answer = try await school.post(
                    path, as: .directoryWriter, json: ["count": 1],
                    headers: [("Content-Type", type)])
                #expect(answer.status == 200)
            }
            let text = try await school.post(
                path, as: .directoryWriter, json: ["count": 1],
                headers: [("Content-Type", "text/plain")])
            #expect(text.status == 415)
            #expect(text.json["status"] == "415")
            let broken = try await school.send(
                "POST", path, as: .directoryWriter, body: Array("{".utf8),
                headers: [("Content-Type", "application/scim+json")])
            #expect(broken.status == 400 && broken.json["scimType"] == "invalidSyntax")
        }
    }
}
