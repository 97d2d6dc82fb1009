import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// Whether apps get tokens for passwords.
@Suite struct PasswordsInApps {
    private func answer(
        _ password: String, app: String?, in environment: String = "production",
        _ school: TestSchool
    ) async throws -> Answer {
        var members: [(String, JSONValue)] = [
            ("managedId", .text(Persona.sam.managedID)), ("password", .text(password)),
            ("environment", .text(environment)),
        ]
        if let app { members.append(("bundleId", .text(app))) }
        return try await school.post(
            "/v1/sign-in", as: nil, json: .object(JSONObject(members)))
    }

    private func allow(_ allows: Bool, _ school: TestSchool) async throws {
        let changed = try await school.patch(
            "/v1/organization", as: .ada, json: ["allowsPasswordsInApps": .bool(allows)])
        #expect(changed.status == 200 && changed.json["allowsPasswordsInApps"] == .bool(allows))
    }

    private func tries(_ school: TestSchool) throws -> Int {
        try school.sql(
            "select failed_tries as tries from school.credential where person_id = \(school.id(.sam))"
        )[0].int("tries")
    }

    @Test func `a school that did not allow them answers right and wrong passwords alike`()
        async throws
    {
        try await withSchool { school in
            #expect(try await answer(Persona.password, app: school.quizzler, school).status == 200)
            try await allow(false, school)
            let right = try await answer(Persona.password, app: school.quizzler, school)
            let wrong = try await answer("Wrong-2026", app: school.quizzler, school)
            #expect(right.status == 401 && wrong.status == 401)
            func told(_ answer: Answer) -> JSONValue {
                .object(
                    JSONObject(
                        (answer.json.object?.members ?? []).filter { $0.key != "instance" }
                            .map { ($0.key, $0.value) }))
            }
            #expect(told(right) == told(wrong) && right.code == "sign_in_refused")
            #expect(try tries(school) == 0, "nothing was guessed")
            let reasons = try school.sql(
                """
                select details ->> 'reason' as reason from school.audit_event where kind = 'signInFailure'
                """
            ).map { try $0.text("reason") }
            #expect(reasons == ["passwordInApp", "passwordInApp"])
            #expect(try await answer(Persona.password, app: nil, school).status == 200)
            let development = try await answer(
                Persona.password, app: school.quizzler, in: "development", school)
            #expect(development.status == 200)
            try await allow(true, school)
            #expect(try await answer(Persona.password, app: school.quizzler, school).status == 200)
            #expect(try await answer("Wrong-2026", app: school.quizzler, school).status == 401)
            #expect(try tries(school) == 1)
        }
    }

    @Test func `it is off at first, and for administrators alone`() async throws {
        try await withSchool { school in
            let first = try school.sql(
                """
                select column_default as text from information_schema.columns
                 where table_schema = 'school' and table_name = 'organization'
                   and column_name = 'allows_passwords_in_apps'
                """)
            #expect(try first[0].text("text") == "false")
            let refused = try await school.patch(
                "/v1/organization", as: .petra, json: ["allowsPasswordsInApps": false])
            #expect(refused.status == 403)
            let read = try await school.get("/v1/organization", as: .petra)
            #expect(read.json["allowsPasswordsInApps"] == true)
        }
    }
}
