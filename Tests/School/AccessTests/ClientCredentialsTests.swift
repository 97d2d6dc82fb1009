import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

/// `POST /oauth/token`, following RFC 6749 to the letter.
@Suite struct ClientCredentials {
    @Test func `a client gets a token with its id and secret, in a header or a form`() async throws
    {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let form = "client_id=\(account.id)&client_secret=\(account.secret)"
            let answers = [
                try await school.askForToken(headers: [account.basic]),
                try await school.askForToken("grant_type=client_credentials&" + form),
                try await school.askForToken(form + "&scope=&grant_type=client_credentials&more=1"),
                try await school.askForToken(
                    "grant_type=client_credentials&scope=provisioner&client_id=\(account.id)",
                    headers: [account.basic],
                    type: "application/x-www-form-urlencoded; charset=utf-8"),
            ]
            for answer in answers {
                #expect(answer.status == 200)
                #expect(answer.json["token_type"] == "Bearer")
                #expect(answer.json["expires_in"]?.int64 == 3600)
                #expect(answer.json["scope"] == "provisioner")
                #expect(answer.json["refresh_token"] == nil, "section 4.4.3")
                #expect(answer.header("cache-control") == "no-store", "section 5.1")
                #expect(answer.header("pragma") == "no-cache", "section 5.1")
                let token = answer.json["access_token"]?.text ?? ""
                let people = try await school.send("GET", "/v1/people", token: token)
                #expect(people.status == 200)
                let denied = try await school.send("GET", "/v1/service-accounts", token: token)
                #expect(denied.status == 403)
            }
            #expect(Set(answers.map { $0.json["access_token"]?.text }).count == 4)
        }
    }

    @Test func `an exporter's token makes it an exporter`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount(.exporter)
            let token = try await school.token(of: account)
            let me = try await school.send("GET", "/v1/me", token: token)
            #expect(me.json["kind"] == "service")
            #expect(me.json["standings"] == ["exporter"])
            #expect(me.json["serviceAccount"]?["id"]?.text == account.id)
            #expect(me.json["serviceAccount"]?["name"]?.text == "School information system")
            #expect(try await school.send("GET", "/v1/people", token: token).status == 403)
        }
    }

    @Test(arguments: [
        ("", 400, "invalid_request"), ("scope=provisioner", 400, "invalid_request"),
        ("grant_type=", 400, "invalid_request"), ("grant_type", 400, "invalid_request"),
        ("grant_type=password", 400, "unsupported_grant_type"),
        ("grant_type=refresh_token", 400, "invalid_request"),
        ("grant_type=refresh_token&refresh_token=x", 401, "invalid_client"),
        ("grant_type=implicit", 400, "unsupported_grant_type"),
        (
            "grant_type=client_credentials&grant_type=client_credentials", 400, "invalid_request"
        ),
        ("grant_type=client_credentials&more=1&more=1", 400, "invalid_request"),
        ("grant_type=client_credentials&scope=exporter", 400, "invalid_scope"),
        ("grant_type=client_credentials&scope=provisioner+exporter", 400, "invalid_scope"),
        ("grant_type=client_credentials&scope=everything", 400, "invalid_scope"),
        ("grant_type=client_credentials&scope=%22", 400, "invalid_scope"),
        ("grant_type=client_credentials&client_secret=other", 400, "invalid_request"),
        ("grant_type=client_credentials&client_id=other", 400, "invalid_request"),
        ("grant_type=client_credentials%", 400, "invalid_request"),
        ("grant_type=client_credentials&more=%00", 400, "invalid_request"),
        ("grant_type=client_credentials&more=%FF", 400, "invalid_request"),
        ("grant_type=client_credentials&more=ä", 400, "invalid_request"),
        (#"{"grant_type":"client_credentials"}"#, 400, "invalid_request"),
    ])
    func `a bad request gets the error code of the standard`(
        form: String, status: Int, error: String
    ) async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let answer = try await school.askForToken(form, headers: [account.basic])
            #expect(answer.status == status)
            #expect(answer.json["error"]?.text == error)
            #expect(answer.json["access_token"] == nil)
            #expect(answer.header("cache-control") == "no-store")
            let allowed = #/[\x20-\x21\x23-\x5B\x5D-\x7E]+/#
            let description = answer.json["error_description"]?.text ?? ""
            #expect(description.wholeMatch(of: allowed) != nil, "section 5.2")
        }
    }

    @Test(arguments: [nil, "application/json", "text/plain", "multipart/form-data; boundary=x"])
    func `only a form is read`(type: String?) async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let answer = try await school.askForToken(headers: [account.basic], type: type)
            #expect(answer.status == 400)
            #expect(answer.json["error"] == "invalid_request")
        }
    }

    @Test func `an unknown client and a wrong secret get the same answer, with a challenge`()
        async throws
    {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let other = try await school.makeServiceAccount(.exporter)
            func basic(_ text: String) -> [(String, String)] {
                [("Authorization", "Basic " + Base64.encode(Array(text.utf8)))]
            }
            let headers: [[(String, String)]] = [
                [], basic("\(account.id):wrong"), basic("\(account.id):"), basic(":"), basic(""),
                basic("nobody:\(account.secret)"), basic("\(account.id):\(other.secret)"),
                basic("0195d1a0-0000-7000-8000-000000000000:\(account.secret)"),
                basic("\(account.id)%:\(account.secret)"), [("Authorization", "Basic !")],
                [("Authorization", "Basic")], [("Authorization", "Bearer \(account.secret)")],
            ]
            var bodies: Set<String> = []
            for headers in headers {
                let answer = try await school.askForToken(headers: headers)
                #expect(answer.status == 401, "\(headers)")
                #expect(answer.json["error"] == "invalid_client")
                #expect(answer.header("www-authenticate") == #"Basic realm="Homeroom""#)
                bodies.insert(answer.text)
            }
            #expect(bodies.count == 1)
            let twice = try await school.askForToken(headers: [account.basic, account.basic])
            #expect(twice.status == 400)
            let inForm = try await school.askForToken(
                "grant_type=client_credentials&client_id=\(account.id)&client_secret=wrong")
            #expect(inForm.status == 401)
            #expect(try await school.askForToken(headers: [account.basic]).status == 200)
        }
    }

    @Test func `id and secret are form-encoded before they are joined`() throws {
        let secret = "a b+c:d%e/ü"
        let encoded = "a+b%2Bc%3Ad%25e%2F%C3%BC"
        let id = "0195d1a0-0000-7000-8000-000000000000"
        let credentials = Base64.encode(Array("\(id.replacing("-", with: "%2D")):\(encoded)".utf8))
        let form = try OAuthForm(
            HeaderFields([(name: "Authorization", value: "bAsIc  \(credentials)")]),
            form: Form.items(Array("grant_type=client_credentials".utf8)))
        let account = try form.account()
        #expect(account.clientID?.description == id)
        #expect(account.secret.text == secret)
    }

    @Test func `an address that tries many secrets waits, and people there can still sign in`()
        async throws
    {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let wrong = MadeAccount(id: account.id, secret: "wrong")
            var tries = 0
            var answer = try await school.askForToken(headers: [wrong.basic], from: "192.0.2.7")
            while answer.status == 401, tries < 1000 {
                tries += 1
                answer = try await school.askForToken(headers: [wrong.basic], from: "192.0.2.7")
            }
            #expect(tries >= 60)
            #expect(answer.status == 429)
            #expect(answer.header("retry-after") != nil)
            #expect(answer.json["error"] == "temporarily_unavailable")
            for address in ["192.0.2.7", "192.0.2.8"] {
                let right = try await school.askForToken(headers: [account.basic], from: address)
                #expect(right.status == 200, "wrong secrets lock no account and no address")
            }
            let body: JSONValue = [
                "managedId": .text(Persona.tom.managedID), "password": .text(Persona.password),
            ]
            let signIn = try await school.send(
                "POST", "/v1/sign-in", token: nil, body: body.bytes, from: "192.0.2.7")
            #expect(signIn.status == 200)
        }
    }

    @Test func `sixty tokens a minute are enough for one account`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            for _ in 1...60 {
                #expect(try await school.askForToken(headers: [account.basic]).status == 200)
            }
            try school.sql("update school.access_token set created_at = now()")
            let answer = try await school.askForToken(headers: [account.basic])
            #expect(answer.status == 429)
            #expect(answer.header("retry-after") == "60")
            let other = try await school.makeServiceAccount()
            #expect(try await school.askForToken(headers: [other.basic]).status == 200)
            try school.sql(
                "update school.access_token set created_at = created_at - interval '1 minute'")
            #expect(try await school.askForToken(headers: [account.basic]).status == 200)
        }
    }

    @Test func `a token response is never replayed, and only POST gives one`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let keyed = try await school.askForToken(
                headers: [account.basic, ("Idempotency-Key", "once")])
            #expect(keyed.code == "idempotency_key_refused")
            #expect(try await school.get("/oauth/token", as: nil).status == 405)
            let inQuery = try await school.send(
                "POST", "/oauth/token?grant_type=client_credentials", token: nil,
                headers: [account.basic])
            #expect(inQuery.status == 400, "section 2.3.1: never in the request URI")
            let huge = try await school.askForToken(
                "grant_type=client_credentials&more=" + String(repeating: "x", count: 16 << 10),
                headers: [account.basic])
            #expect(huge.status == 413)
        }
    }
}
