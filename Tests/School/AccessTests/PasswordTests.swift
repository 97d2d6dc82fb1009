import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

@Suite struct ChangePassword {
    @Test func `a password change keeps this session and ends the others`() async throws {
        try await withSchool { school in
            let here = try await school.signIn(.tom)
            let elsewhere = try await school.signIn(.tom)
            let app = try await school.signIn(.tom, app: school.quizzler)
            #expect(try await school.status(of: elsewhere.accessToken) == 200)

            let answer = try await school.changePassword(
                here.accessToken, from: Persona.password, to: "Another-2026")
            #expect(answer.status == 204)
            #expect(try await school.status(of: here.accessToken) == 200)
            #expect(try await school.refresh(here.refreshToken).status == 200)
            #expect(try await school.status(of: elsewhere.accessToken) == 401)
            #expect(try await school.refresh(elsewhere.refreshToken).status == 401)
            #expect(try await school.refresh(app.refreshToken).status == 401)
            #expect(try await school.trySignIn(Persona.tom.managedID).status == 401)
            _ = try await school.signIn(.tom, "Another-2026")
            #expect(try school.countEvents("passwordChange", about: .tom) == 1)
        }
    }

    @Test func `a change with a token that belongs to no session ends all of them`() async throws {
        try await withSchool { school in
            let one = try await school.signIn(.tom)
            let app = try await school.signIn(.tom, app: school.quizzler)
            #expect(try await school.status(of: one.accessToken) == 200)
            let change = try await school.changePassword(
                school.token(.tom), from: Persona.password, to: "Another-2026")
            #expect(change.status == 204)
            #expect(try await school.status(of: one.accessToken) == 401)
            #expect(try await school.refresh(one.refreshToken).status == 401)
            #expect(try await school.refresh(app.refreshToken).status == 401)
        }
    }

    @Test func `a token from a temporary password can do nothing but change it`() async throws {
        try await withSchool { school in
            try school.setTemporaryPassword(.ada, "kmtr-wzbe-4729")
            let signedIn = try await school.signIn(.ada, "kmtr-wzbe-4729")
            #expect(signedIn.mustChangePassword == true)
            for endpoint in school.features.flatMap(\.endpoints) {
                guard case .standings = endpoint.callers, endpoint.path != "/v1/me/password",
                    !endpoint.operation.parameters.contains(where: \.isRequired)
                else { continue }
                let path = endpoint.path.replacing(
                    #/\{[^}]*\}/#, with: school.id(.tom).uuid.description)
                let answer = try await school.send(
                    endpoint.method, path, token: signedIn.accessToken)
                let call = "\(endpoint.method.name) \(path)"
                // Standards have their own forms for what is refused.
                let standards = ["/ims/oneroster/", "/scim/", "/rosterapi/"]
                if standards.contains(where: path.hasPrefix) {
                    #expect(answer.status == 403, "\(call)")
                } else {
                    #expect(answer.code == "password_must_change", "\(call)")
                }
            }
            let refreshed = SignedIn(answer: try await school.refresh(signedIn.refreshToken))
            #expect(refreshed.mustChangePassword == true)

            let change = try await school.changePassword(
                refreshed.accessToken, from: "kmtr-wzbe-4729", to: "Another-2026")
            #expect(change.status == 204)
            #expect(try await school.status(of: refreshed.accessToken) == 200)
            #expect(try await school.signIn(.ada, "Another-2026").mustChangePassword == false)
        }
    }

    @Test func `an app's first sign-in can change the temporary password, once`() async throws {
        try await withSchool { school in
            try school.setTemporaryPassword(.sam, "kmtr-wzbe-4729")
            let app = try await school.signIn(.sam, "kmtr-wzbe-4729", app: school.quizzler)
            #expect(app.mustChangePassword == true)
            let change = try await school.changePassword(
                app.accessToken, from: "kmtr-wzbe-4729", to: "Another-2026")
            #expect(change.status == 204)
            let again = try await school.changePassword(
                app.accessToken, from: "Another-2026", to: "YetAnother-2026")
            #expect(again.status == 403)
        }
    }

    @Test func `an impossible password is refused with its pointer`() async throws {
        try await withSchool { school in
            for (new, code) in [
                ("short1", "weak_password"), ("onlyletters", "weak_password"),
                ("1234567890", "weak_password"), (Persona.password, "same_password"),
            ] {
                let answer = try await school.changePassword(
                    school.token(.tom), from: Persona.password, to: new)
                #expect(answer.status == 422)
                #expect(answer.pointers == ["/newPassword"])
                #expect(answer.json["errors"]?.array?.first?["code"]?.text == code)
            }
            let wrong = try await school.changePassword(
                school.token(.tom), from: "wrong", to: "Another-2026")
            #expect(wrong.pointers == ["/password"])
            let missing = try await school.put("/v1/me/password", as: .tom, json: ["password": nil])
            #expect(Set(missing.pointers) == ["/password", "/newPassword"])
        }
    }

    @Test func `a student whose policy is four digits uses four digits`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.person set password_policy = '4' where organization_id = \(school.hillside)"
            )
            let letters = try await school.changePassword(
                school.token(.sam), from: Persona.password, to: "Another-2026")
            #expect(letters.status == 422)
            let digits = try await school.changePassword(
                school.token(.sam), from: Persona.password, to: "2749")
            #expect(digits.status == 204)
            _ = try await school.signIn(.sam, "2749")

            let teacher = try await school.changePassword(
                school.token(.tom), from: Persona.password, to: "2749")
            #expect(teacher.status == 422, "a policy of digits is for students only")
        }
    }

    @Test func `services have no password`() async throws {
        try await withSchool { school in
            let body: JSONValue = ["password": "a", "newPassword": "Another-2026"]
            let service = try await school.put("/v1/me/password", as: .exporter, json: body)
            let nobody = try await school.put("/v1/me/password", as: nil, json: body)
            #expect(service.status == 403)
            #expect(nobody.status == 401)
        }
    }
}

@Suite struct Policies {
    @Test(arguments: [
        ("Hillside-2026", PasswordPolicy.standard, true), ("abxdefg1", .standard, true),
        ("abcdef1", .standard, false), ("abcdefgh", .standard, false),
        ("12345678", .standard, false), ("пароль-7", .standard, true),
        ("😀😀😀😀😀😀a1", .standard, true),
        ("274913", .sixDigits, true), ("27491", .sixDigits, false), ("27491a", .sixDigits, false),
        ("٢٧٤٩١٣", .sixDigits, false), ("123456", .sixDigits, false), ("2749", .fourDigits, true),
        ("1111", .fourDigits, false), ("4321", .fourDigits, false), ("1728", .fourDigits, true),
    ])
    func `a policy accepts or objects`(password: String, policy: PasswordPolicy, accepts: Bool) {
        #expect((policy.objection(to: password) == nil) == accepts)
    }

    @Test(arguments: [(4, PasswordPolicy.fourDigits), (6, .sixDigits)])
    func `no sequence of digits is accepted, whether rising, falling or constant`(
        count: Int, policy: PasswordPolicy
    ) {
        for first in 0...9 {
            for step in -1...1 where (0...9).contains(first + step * (count - 1)) {
                let row = (0..<count).map { String(first + step * $0) }.joined()
                #expect(policy.objection(to: row) != nil, "\(row)")
            }
        }
    }

    @Test(arguments: PasswordPolicy.allCases)
    func `temporary passwords meet their policy and differ`(policy: PasswordPolicy) {
        let passwords = (0..<200).map { _ in TemporaryPassword.make(policy) }
        #expect(passwords.allSatisfy { policy.objection(to: $0) == nil })
        #expect(Set(passwords).count > 150)
    }
}
