import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

/// Which policy a password must meet: the student's own, otherwise that of the location, otherwise the standard one.
@Suite struct LocationPolicies {
    @Test func `students without a policy of their own have the one of their location`()
        async throws
    {
        try await withSchool { school in
            let changed = try await school.patch(
                "/v1/locations/source:main", as: .petra, json: ["passwordPolicy": "4"])
            #expect(changed.status == 200)
            #expect(changed.json["passwordPolicy"] == "4")
            try school.sql(
                """
                update school.person set password_policy = '6'
                 where organization_id = \(school.hillside) and person_id <> \(school.id(.sam))
                """)
            #expect(try await digits(.sam, in: school) == 4)
            #expect(try await digits(.sue, in: school) == 6)
            #expect(try await digits(.tom, in: school) == nil, "staff is always standard")

            let reset = try await school.patch(
                "/v1/locations/source:main", as: .petra, json: ["passwordPolicy": nil])
            #expect(reset.json["passwordPolicy"] ?? .null == .null)
            #expect(try await digits(.sam, in: school) == nil)
        }
    }

    @Test func `a student of several locations gets the longest of their policies`() async throws {
        try await withSchool { school in
            for (source, policy) in [("main", "4"), ("annex", "6")] {
                let answer = try await school.put(
                    "/v1/locations/source:\(source)", as: .ada,
                    json: ["name": .text(source), "passwordPolicy": .text(policy)])
                #expect((200...201).contains(answer.status))
            }
            #expect(try await digits(.sam, in: school) == 4)
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                select organization_id, \(school.id(.sam)), location_id, 'student'
                  from school.location where source_id = 'annex'
                """)
            #expect(try await digits(.sam, in: school) == 6)
            let unknown = try await school.patch(
                "/v1/locations/source:main", as: .ada, json: ["passwordPolicy": "5"])
            #expect(unknown.pointers == ["/passwordPolicy"])
        }
    }

    @Test func `a student changes to a password that meets that policy`() async throws {
        try await withSchool { school in
            _ = try await school.patch(
                "/v1/locations/source:main", as: .ada, json: ["passwordPolicy": "4"])
            let letters = try await school.changePassword(
                school.token(.sam), from: Persona.password, to: "Another-2026")
            #expect(letters.pointers == ["/newPassword"])
            let digits = try await school.changePassword(
                school.token(.sam), from: Persona.password, to: "2749")
            #expect(digits.status == 204)
        }
    }

    /// How many digits a new temporary password of a persona has; `nil` for a standard one.
    private func digits(_ persona: Persona, in school: TestSchool) async throws -> Int? {
        let answer = try await school.post(
            "/v1/people/\(school.id(persona).uuid)/temporary-password", as: .ada)
        let password = answer.json["temporaryPassword"]?.text ?? ""
        try #require(password.utf8.count >= 4, "\(answer.text)")
        return password.utf8.allSatisfy { (48...57).contains($0) } ? password.utf8.count : nil
    }
}
