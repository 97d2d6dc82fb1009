import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct GivingBack {
    private static let licences = "/v1/apps/\(TestSchool.quizzlerID)/licences"

    @Test func `a licence is given back, and its seat goes to somebody else`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(1)
            let made = try await school.grant(school.people(.sam))
            let id = try #require(made.items.first?["id"]?.text)
            #expect(try await school.grant(school.people(.sue)).status == 409)
            let path = Self.licences + "/\(id)"
            let stale = try await school.delete(path, as: .ada, headers: [("If-Match", "\"9\"")])
            #expect(stale.status == 412)
            #expect(try await school.delete(path, as: .olga).status == 404)
            #expect(try await school.delete("/v1/apps/1/licences/\(id)", as: .ada).status == 404)
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.delete(path, as: .ada).status == 404)
            #expect(try await school.counts() == [1, 0, 1])
            #expect(try await school.grant(school.people(.sue)).status == 201)
            let events = try school.details(of: "licenceChange")
            #expect(events.map { $0["returned"] ?? 0 } == [0, 1, 0])
        }
    }

    @Test func `a book is never given back`() async throws {
        try await withSchool { school in
            try await school.buyNovel(1)
            let made = try await school.grant(school.people(.sam), of: TestSchool.novelID)
            #expect(made.status == 201)
            let id = try #require(made.items.first?["id"]?.text)
            let kept = try await school.delete(
                "/v1/apps/\(TestSchool.novelID)/licences/\(id)", as: .ada)
            #expect(kept.status == 409)
            #expect(kept.code == "not_revocable")
            #expect(try await school.counts("/v1/apps/\(TestSchool.novelID)") == [1, 1, 0])
        }
    }

    @Test func `a deactivated person gives back everything but books`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(2)
            try await school.buyNovel(1)
            #expect(try await school.grant(school.people(.sam, .sue)).status == 201)
            #expect(
                try await school.grant(school.people(.sam), of: TestSchool.novelID).status == 201)
            try school.deactivateStudents()
            #expect(try await school.counts() == [2, 0, 2])
            #expect(try await school.counts("/v1/apps/\(TestSchool.novelID)") == [1, 1, 0])
            let event = try #require(try school.details(of: "licenceChange").last)
            #expect(event["reason"] == "deactivation")
            #expect(event["returned"] == 2)
            #expect(try school.poolsThatDoNotAddUp() == 0)
        }
    }

    @Test func `the organization may let them keep their licences`() async throws {
        try await withSchool { school in
            let before = try await school.get("/v1/organization", as: .ada)
            #expect(before.json["reclaimLicences"] == true)
            let changed = try await school.patch(
                "/v1/organization", as: .ada, json: ["reclaimLicences": false])
            #expect(changed.status == 200)
            #expect(changed.json["reclaimLicences"] == false)
            try await school.buyQuizzler(2)
            #expect(try await school.grant(school.people(.sam)).status == 201)
            try school.deactivateStudents()
            #expect(try await school.counts() == [2, 1, 1])
        }
    }

    @Test func `other changes to people leave their licences alone`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(2)
            #expect(try await school.grant(school.people(.sam)).status == 201)
            let changed = try await school.patch(
                "/v1/people/source:sis-sam", as: .ada, json: ["grade": "7"])
            #expect(changed.status == 200)
            #expect(try await school.counts() == [2, 1, 1])
        }
    }
}

extension TestSchool {
    /// As an import would: in the database, several at once, with a standing that has no access to licences.
    func deactivateStudents() throws {
        let changed = try sql(
            """
            update school.person set deactivated_at = school.moment()
             where organization_id = \(hillside) and source_id in ('sis-sam', 'sis-sue')
            """, as: caller(.provisioner))
        #expect(changed.affected == 2)
    }
}
