import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Resetting the passwords of students, where the school withdraws it, and what making classes does not add to it.
@Suite struct ResetPrivilege {
    private func sheet(_ school: TestSchool, _ id: String) async throws -> Int {
        try await school.post(
            "/v1/sign-in-sheets", as: .tom, json: ["classId": .text(id)],
            headers: [("Accept", "text/csv")]
        ).status
    }

    private func mayReset(_ school: TestSchool, in id: String) async throws -> Bool? {
        try await school.get("/v1/classes/\(id)/privileges", as: .tom).json["resetPasswords"]?.bool
    }

    @Test func `a school that withdraws the privilege ends it at once, and gives it back`()
        async throws
    {
        try await withSchool { school in
            let biology = school.biology.uuid.description
            #expect(try await school.resetPassword(of: .sam, as: .tom) == 200)
            #expect(try await mayReset(school, in: biology) == true)
            try await school.grant("resetPasswords", false)
            #expect(try await school.resetPassword(of: .sam, as: .tom) == 403)
            #expect(try await sheet(school, biology) == 422)
            #expect(try await mayReset(school, in: biology) == false)
            #expect(try await school.resetPassword(of: .sam, as: .ada) == 200)
            try await school.grant("resetPasswords", true, isAtLocation: true)
            #expect(try await school.resetPassword(of: .sam, as: .tom) == 200)
            #expect(try await sheet(school, biology) == 200)
        }
    }

    @Test func `a student counts only in a class of the school`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            #expect(try await school.seat(.ben, "student", in: made) == 204)
            #expect(try school.roster("student", of: made) == ["Ben"])
            #expect(try await school.resetPassword(of: .ben, as: .tom) == 403)
            #expect(try await sheet(school, made) == 422)
            #expect(try await mayReset(school, in: made) == false)
            // The school takes the class as its own.
            let body: JSONValue = ["sourceId": "chess"]
            #expect(
                try await school.patch("/v1/classes/\(made)", as: .ada, json: body).status == 200)
            #expect(try await school.resetPassword(of: .ben, as: .tom) == 200)
            #expect(try await school.unseat(.ben, "student", in: made) == 403)
        }
    }

    @Test func `a colleague who also sits as a student is no student to reset`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(school.id(.tess)), \(school.mainLocation), 'student')
                """)
            let seated = try await school.put(
                "/v1/classes/\(school.biology.uuid)/students/\(school.id(.tess).uuid)", as: .ada,
                json: [:])
            #expect(seated.status == 201)
            #expect(try await school.resetPassword(of: .tess, as: .tom) == 403)
        }
    }
}
