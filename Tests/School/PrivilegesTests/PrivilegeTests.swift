import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What the school grants its teachers, where, and who says so.
@Suite struct GrantedPrivileges {
    private func settings(_ school: TestSchool) async throws -> [String] {
        let answer = try await school.get("/v1/privileges", as: .ada)
        #expect(answer.status == 200)
        return (answer.json["items"]?.array ?? []).map { item in
            let words = [
                item["privilege"]?.text, item["locationId"]?.text == nil ? "everywhere" : "main",
                item["granted"]?.bool == true ? "granted" : "not",
                item["inherited"]?.bool == true ? "inherited" : "own",
            ]
            return words.compactMap { $0 }.joined(separator: " ")
        }
    }

    @Test func `nothing is set at first, and teachers reset passwords but make no classes`()
        async throws
    {
        try await withSchool { school in
            #expect(
                try await settings(school) == [
                    "makeClasses everywhere not inherited", "makeClasses main not inherited",
                    "resetPasswords everywhere granted inherited",
                    "resetPasswords main granted inherited",
                ])
            let toms = try await school.get("/v1/me/privileges", as: .tom).json["items"]
            #expect(toms?.array?.compactMap { $0["privilege"]?.text } == ["resetPasswords"])
            #expect(toms?[0]?["locationName"] == "Main building")
        }
    }

    @Test func `a location's own setting comes before the organization's`() async throws {
        try await withSchool { school in
            let granted = try await school.grant()
            #expect(granted == 204)
            #expect(try await school.grant("makeClasses", false, isAtLocation: true) == 204)
            #expect(
                try await settings(school).prefix(2) == [
                    "makeClasses everywhere granted own", "makeClasses main not own",
                ])
            #expect(try await school.makeClass().status == 403)
            let path = "/v1/privileges/makeClasses/locations/source:main"
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await settings(school)[1] == "makeClasses main granted inherited")
            #expect(try await school.makeClass().status == 201)
        }
    }

    @Test func `each change leaves an event`() async throws {
        try await withSchool { school in
            try await school.grant()
            try await school.grant("resetPasswords", false, isAtLocation: true)
            let rows = try school.sql(
                """
                select concat_ws(' ', e.subject_kind, e.details ->> 'privilege', e.details ->> 'granted') as event
                  from school.audit_event as e where e.kind = 'privilegeChange'
                """)
            #expect(
                try rows.map { try $0.text("event") }.sorted() == [
                    "location resetPasswords false", "organization makeClasses true",
                ])
        }
    }

    @Test func `an unknown privilege or location is not found`() async throws {
        try await withSchool { school in
            let body: JSONValue = ["granted": true]
            let unknown = try await school.put("/v1/privileges/erase", as: .ada, json: body)
            #expect(unknown.status == 404)
            let elsewhere = TestIDs.elsewhereLocation.uuid
            let path = "/v1/privileges/makeClasses/locations/\(elsewhere)"
            #expect(try await school.put(path, as: .ada, json: body).status == 404)
            #expect(try await school.put(path, as: .olga, json: body).status == 204)
        }
    }

    @Test func `a privilege of another organization holds nothing here`() async throws {
        try await withSchool { school in
            let path = "/v1/privileges/makeClasses"
            #expect(try await school.put(path, as: .olga, json: ["granted": true]).status == 204)
            #expect(try await school.makeClass().status == 403)
            let ottos: JSONValue = [
                "name": "Chess club",
                "locationId": .text(TestIDs.elsewhereLocation.uuid.description),
            ]
            #expect(try await school.post("/v1/me/classes", as: .otto, json: ottos).status == 201)
            let toms = try await school.post("/v1/me/classes", as: .tom, json: ottos)
            #expect(toms.status == 422 && toms.pointers == ["/locationId"])
        }
    }
}
