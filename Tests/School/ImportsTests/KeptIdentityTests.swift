import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What an import knows people by.
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
}
