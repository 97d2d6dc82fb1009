import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Apps on devices without a browser (RFC 8628).
@Suite struct DeviceCodes {
    @Test func `a device gets tokens once the person has typed its code in`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let asked = try await school.askForDevice()
            #expect(asked.status == 200)
            #expect(asked.json["expires_in"]?.int64 == 600 && asked.json["interval"]?.int64 == 5)
            let userCode = try #require(asked.json["user_code"]?.text)
            #expect(
                userCode.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/)
                    != nil)
            #expect(asked.json["verification_uri"] == "http://school.example/device")
            #expect(
                asked.json["verification_uri_complete"]?.text
                    == "http://school.example/device?user_code=\(userCode)")
            let pending = try await school.pollDevice(asked)
            #expect(pending.status == 400 && pending.json["error"] == "authorization_pending")

            let browser = try await school.signInWithBrowser(.sam)
            let check = try await school.deviceCode("check", userCode.lowercased(), by: browser)
            #expect(check.json["client"]?["name"]?.text == "Quizzler")
            #expect(check.json["requestedAt"]?.text != nil)
            let spaced = userCode.replacing("-", with: " ")
            #expect(try await school.deviceCode("approval", spaced, by: browser).status == 204)
            let tokens = try await school.pollDevice(asked)
            #expect(tokens.status == 200)
            let subject = try await school.signIn(.sam, app: school.quizzler).answer.json["subject"]
            #expect(tokens.json["subject"] == subject)
            let again = try await school.pollDevice(asked)
            #expect(again.json["error"] == "invalid_grant")
            for action in ["check", "approval", "refusal"] {
                let late = try await school.deviceCode(action, userCode, by: browser)
                #expect(late.status == 422 && late.pointers == ["/userCode"], "\(action)")
            }
        }
    }

    @Test func `a device that asks too often has to wait longer each time`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let asked = try await school.askForDevice()
            #expect(try await school.pollDevice(asked).json["error"] == "authorization_pending")
            #expect(try await school.pollDevice(asked).json["error"] == "slow_down")
            let wait: Statement = """
                update school.device_code set asked_at = asked_at - interval '6 seconds'
                """
            try school.sql(wait)
            #expect(try await school.pollDevice(asked).json["error"] == "slow_down")
            let waitLonger: Statement = """
                update school.device_code set asked_at = asked_at - interval '16 seconds'
                """
            try school.sql(waitLonger)
            #expect(try await school.pollDevice(asked).json["error"] == "authorization_pending")
        }
    }

    enum End: CaseIterable { case refusal, time, person, session, app }

    @Test(arguments: End.allCases) func `a device gets nothing when it may not any more`(end: End)
        async throws
    {
        try await withSchool { school in
            try await school.registerQuizzler()
            let asked = try await school.askForDevice()
            let userCode = asked.json["user_code"]?.text ?? ""
            let browser = try await school.signInWithBrowser(.sam)
            let action = end == .refusal ? "refusal" : "approval"
            #expect(try await school.deviceCode(action, userCode, by: browser).status == 204)
            switch end {
            case .refusal: break
            case .time:
                try school.sql(
                    "update school.device_code set expires_at = now() - interval '1 second'")
            case .person:
                try school.sql(
                    """
                    update school.person set deactivated_at = now() where person_id = \(school.id(.sam))
                    """)
            case .session:
                _ = try await school.send("POST", "/v1/sign-out", token: browser.accessToken)
            case .app: try school.sql("delete from school.app")
            }
            let error: JSONValue = end == .time ? "expired_token" : "access_denied"
            #expect(try await school.pollDevice(asked).json["error"] == error)
            #expect(
                try school.sql("select from school.session where kind = 'app'").count == 0)
        }
    }

    @Test func `codes are for the app that asked, and for its schools`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let unknown = try await school.askForDevice("org.example.unknown")
            #expect(unknown.status == 401 && unknown.json["error"] == "invalid_client")
            let asked = try await school.askForDevice()
            let userCode = asked.json["user_code"]?.text ?? ""
            let other = try await school.pollDevice(asked, as: "org.example.other")
            #expect(other.json["error"] == "invalid_grant")
            let elsewhere = try await school.signInWithBrowser(.omar)
            for action in ["check", "approval", "refusal"] {
                let answer = try await school.deviceCode(action, userCode, by: elsewhere)
                #expect(answer.status == 422)
            }
            let app = try await school.signIn(.sam, app: school.quizzler)
            #expect(try await school.deviceCode("approval", userCode, by: app).status == 403)
            #expect(try await school.pollDevice(asked).json["error"] == "authorization_pending")
        }
    }

    @Test func `nobody finds a code by trying, and others are not kept from theirs`() async throws {
        try await withSchool { school in
            try await school.registerQuizzler()
            let asked = try await school.askForDevice()
            let userCode = asked.json["user_code"]?.text ?? ""
            let sams = try await school.signInWithBrowser(.sam)
            for _ in 0..<10 {
                let answer = try await school.deviceCode("check", "BBBB-BBBB", by: sams)
                #expect(answer.status == 422)
            }
            for code in ["BBBB-BBBB", "nonsense", userCode] {
                let answer = try await school.deviceCode("approval", code, by: sams)
                #expect(answer.status == 429 && answer.code == "too_many_codes")
                #expect(answer.header("retry-after") != nil)
            }
            let sues = try await school.signInWithBrowser(.sue)
            #expect(try await school.deviceCode("approval", userCode, by: sues).status == 204)
        }
    }
}

extension TestSchool {
    func askForDevice(_ app: String = TestIDs.quizzler) async throws -> Answer {
        try await send(
            "POST", "/oauth/device_authorization", token: nil, body: Array("client_id=\(app)".utf8),
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Host", "school.example"),
            ])
    }

    func pollDevice(_ asked: Answer, as app: String = TestIDs.quizzler) async throws -> Answer {
        let code = asked.json["device_code"]?.text ?? ""
        return try await askForToken(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&client_id=\(app)"
                + "&device_code=\(code)")
    }

    func deviceCode(
        _ action: String, _ userCode: String, by signedIn: SignedIn
    ) async throws -> Answer {
        let body: JSONValue = ["userCode": .text(userCode)]
        return try await send(
            "POST", "/v1/me/device-codes/\(action)", token: signedIn.accessToken, body: body.bytes)
    }
}
