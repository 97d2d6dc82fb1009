import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What an import knows people by, and what it takes them for.
@Suite struct KeptIdentity {
    @Test func `an identity provider's word for somebody does not hide the person from an import`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let person = try school.person("S5").uuid("person_id")
            let word: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                "Operations": [["op": "Add", "path": "externalId", "value": "u5"]],
            ]
            let called = try await school.patch(
                "/scim/v2/Users/\(person)", as: .directoryWriter, json: word,
                headers: [("Content-Type", "application/scim+json")])
            #expect(called.status == 200 && called.json["externalId"] == "u5", "\(called.text)")
            let again = try await school.importArchive(.oneRoster1)
            #expect(again.counts("users.csv") == [0, 0, 13, 0])
            #expect(try school.person("S5").uuid("person_id") == person)
        }
    }

    @Test func `an identity provider's word for what an import made goes when that is undone`()
        async throws
    {
        try await withSchool { school in
            let empty = try school.content()
            let applied = try await school.apply(.small)
            try school.sql(
                """
                insert into school.external_id (organization_id, person_id, class_id, location_id, value)
                select organization_id, person_id, null::uuid, null::uuid, 'e-1' from school.person where source_id = 'S1'
                union all
                select organization_id, null, class_id, null, 'e-2' from school.class where source_id = 'K1'
                union all
                select organization_id, null, null, location_id, 'e-3' from school.location where source_id = 'L2'
                """)
            let words: Statement = "select value from school.external_id order by value"
            #expect(try school.sql(words).map { try $0.text("value") } == ["e-1", "e-2", "e-3"])
            #expect(try school.undo(applied).first?.outcome == "undone")
            try school.expectContent(empty)
            #expect(try school.sql(words).isEmpty)
        }
    }

    @Test(arguments: [TestArchive.oneRoster1, .oneRoster2])
    func `who is seated as what she is not is seated, keeps her roles, and is named`(
        archive: TestArchive
    ) async throws {
        try await withSchool { school in
            let odd = archive.adding("R17,,,K2,L2,S4,teacher,,,", to: "enrollments.csv")
                .adding("R18,,,K2,L2,T1,student,,,", to: "enrollments.csv")
            let outcome = try await school.importArchive(odd)
            #expect(outcome.status == "succeeded")
            #expect(
                outcome.lines(of: "warnings") == [
                    "enrollments.csv:18:userSourcedId role_conflict",
                    "enrollments.csv:19:userSourcedId role_conflict",
                ])
            #expect(
                outcome["warnings"]?.array?.first?["text"]?.text
                    == "\"S4\" is not a teacher in the list of users, and is seated as one.")
            #expect(try school.roles(of: "S4") == "student at L1")
            #expect(try school.seats(of: "S4").contains("teacher in K2"))
            #expect(try school.seats(of: "T1").contains("student in K2"))
            let again = try await school.importArchive(odd)
            #expect(again.counts("enrollments.csv") == [0, 0, 18, 0])
        }
    }
}
