import Crypto
import Foundation
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import SCIM

/// What clients call users and groups: every client has words of its own, and none is a source id.
@Suite struct ExternalIDTests {
    /// An identity provider with a service account of its own.
    struct Provider {
        let school: TestSchool
        let account = UUID.v7()
        private let token: String

        init(_ school: TestSchool, _ name: String) throws {
            self.school = school
            token = "token-of-\(name)-that-is-long-enough-for-anybody"
            let digest = SHA256.digest(Array(token.utf8)).bytes
            try school.sql(
                """
                insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
                values (\(school.hillside), \(account), \(name), 'directoryWriter', sha256('secret'))
                """)
            try school.sql(
                """
                insert into school.access_token (organization_id, digest, standing, service_account_id, expires_at)
                values (\(school.hillside), \(digest), 'directoryWriter', \(account), now() + interval '1 day')
                """)
        }

        func externalID(_ path: String) async throws -> String? {
            let answer = try await school.send("GET", "/scim/v2/\(path)", token: token)
            #expect(answer.status == 200, "\(answer.text)")
            return answer.json["externalId"]?.text
        }

        func call(_ path: String, _ externalID: JSONValue) async throws -> Answer {
            let body: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                "Operations": [["op": "replace", "path": "externalId", "value": externalID]],
            ]
            return try await school.send(
                "PATCH", "/scim/v2/\(path)", token: token, body: body.bytes,
                headers: [("Content-Type", "application/scim+json")])
        }

        func add(_ userName: String) async throws -> Answer {
            let body: JSONValue = [
                "schemas": [.text(Schema.user.id)], "userName": .text(userName),
                "name": ["givenName": "Nora", "familyName": "Novak"],
            ]
            return try await school.send(
                "POST", "/scim/v2/Users", token: token, body: body.bytes,
                headers: [("Content-Type", "application/scim+json")])
        }

        /// The ids of the resources that a filter finds.
        func found(_ filter: String, in collection: String) async throws -> [String] {
            let body: JSONValue = ["filter": .text(filter)]
            let answer = try await school.send(
                "POST", "/scim/v2/\(collection)/.search", token: token, body: body.bytes,
                headers: [("Content-Type", "application/scim+json")])
            #expect(answer.status == 200, "\(answer.text)")
            return (answer.json["Resources"]?.array ?? []).compactMap { $0["id"]?.text }
        }
    }

    @Test func `an external id is the client's own, and the source id stays`() async throws {
        try await withSchool { school in
            let (entra, okta) = (try Provider(school, "Entra"), try Provider(school, "Okta"))
            let groups = [school.biology.uuid, school.mainLocation.uuid].map { "Groups/\($0)" }
            for path in ["Users/\(school.id(of: .sam))"] + groups {
                #expect(try await entra.externalID(path) == nil, "not the source id")
                let called = try await entra.call(path, "own-word")
                #expect(called.status == 200 && called.json["externalId"] == "own-word")
                #expect(try await entra.externalID(path) == "own-word")
                #expect(try await okta.externalID(path) == nil)
                #expect(try await school.scim("GET", path).json["externalId"] == nil)
                #expect(try await okta.call(path, "other-word").status == 200)
                #expect(try await entra.externalID(path) == "own-word")

                let collection = path.hasPrefix("U") ? "Users" : "Groups"
                let id = String(path.drop { $0 != "/" }.dropFirst())
                let own = "externalId eq \"own-word\""
                #expect(try await entra.found(own, in: collection).contains(id))
                #expect(try await okta.found(own, in: collection).isEmpty)
                #expect(try await school.found(own, in: collection).isEmpty)
            }
            let kept = try school.sql(
                """
                select (select source_id from school.person where person_id = \(school.id(.sam))) || ' '
                    || (select source_id from school.class where class_id = \(school.biology)) || ' '
                    || (select source_id from school.location where location_id = \(school.mainLocation)) as ids,
                       (select count(*) from school.external_id) as words
                """)
            #expect(try kept[0].text("ids") == "sis-sam class-Biology main")
            #expect(try kept[0].int("words") == 6)
        }
    }

    @Test func `several have the same, one takes it off, and all go with the account`()
        async throws
    {
        try await withSchool { school in
            let provider = try Provider(school, "Entra")
            let (sam, ada) = (school.id(of: .sam), school.id(of: .ada))
            for id in [sam, ada] {
                let called = try await provider.call("Users/\(id)", "same")
                #expect(called.status == 200, "also of whom only people change: \(called.text)")
            }
            #expect(
                try await Set(provider.found("externalId eq \"same\"", in: "Users")) == [sam, ada])
            let tag = try await provider.call("Users/\(sam)", "other").header("etag")
            #expect(try await provider.call("Users/\(sam)", nil).header("etag") != tag)
            #expect(try await provider.externalID("Users/\(sam)") == nil)
            func words() throws -> Int {
                try school.sql("select count(*) as words from school.external_id")[0].int("words")
            }
            #expect(try words() == 1)
            let ended = try await school.delete(
                "/v1/service-accounts/\(provider.account)", as: .ada)
            #expect(ended.status == 204, "\(ended.text)")
            #expect(try words() == 0)
        }
    }

    @Test func `what a client was shown before it had words of its own, it keeps`() async throws {
        try await withSchool { school in
            let provider = try Provider(school, "Entra")
            try school.sql(
                "update school.person set origin = 'import' where person_id = \(school.id(.tom))")
            let file = "\(TestDatabase.sqlFolder)/migrations/0084_external_ids.sql"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let start = try #require(text.range(of: "insert into external_id"))
            try school.sql(
                """
                create function school.run(p_text text) returns void language plpgsql
                    set search_path = school, pg_temp as 'begin execute p_text; end'
                """)
            try school.sql("select school.run(\(String(text[start.lowerBound...])))")
            #expect(try await provider.externalID("Users/\(school.id(of: .sam))") == "sis-sam")
            #expect(
                try await provider.externalID("Groups/\(school.biology.uuid)") == "class-Biology")
            #expect(try await school.found("externalId eq \"sis-sam\"") == ["sam"])
            let tom = "Users/\(school.id(of: .tom))"
            #expect(try await provider.externalID(tom) == nil, "an import brought him")
            #expect(try await provider.externalID("Groups/\(school.mainLocation.uuid)") == nil)
        }
    }

    @Test func `clients with the operator's tokens have words together`() async throws {
        try await withSchool { school in
            let made = try await school.newUser("nora", ["externalId": "n-1"])
            let path = "Users/\(made.json["id"]?.text ?? "")"
            #expect(try await school.found("externalId eq \"n-1\"") == ["nora"])
            #expect(try await Provider(school, "Entra").externalID(path) == nil)
            let row = try school.sql(
                "select source_id is null as is_free from school.person where managed_id = 'nora@hillside.example'"
            )
            #expect(try row[0].bool("is_free"))
        }
    }

    @Test func `what a client calls somebody goes with the person, and is no trace of work`()
        async throws
    {
        try await withSchool { school in
            let made = try await school.newUser("nora", ["externalId": "n-1"])
            let id = made.json["id"]?.text ?? ""
            func words() throws -> Int {
                try school.sql("select count(*) as words from school.external_id")[0].int("words")
            }
            #expect(try words() == 1)
            let removed = try await school.delete("/v1/people/\(id)", as: .ada)
            #expect(removed.status == 204, "\(removed.text)")
            #expect(try words() == 0)
        }
    }
}
