import API
import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Access

@Suite struct OAuthCalls {
    @Test func `an app revokes its session with either token, and no other's`() async throws {
        try await withSchool { school in
            for useRefresh in [false, true] {
                let app = try await school.signIn(.sam, app: school.quizzler)
                let token = useRefresh ? app.refreshToken : app.accessToken
                let foreign = try await school.callOAuth(
                    "revoke", "token=\(token)&client_id=org.example.other")
                #expect(foreign.status == 200 && foreign.body.isEmpty)
                let alive = try await school.status(of: app.accessToken)
                #expect(alive == 403, "an app may not ask who it is")
                let own = try await school.callOAuth(
                    "revoke", "token=\(token)&client_id=\(school.quizzler)")
                #expect(own.status == 200)
                #expect(try await school.status(of: app.accessToken) == 401)
                #expect(try await school.refresh(app.refreshToken).status == 401)
            }
            #expect(try school.countEvents("signOut", about: .sam) == 2)
            let unknown = try await school.callOAuth(
                "revoke", "token=nothing&client_id=\(school.quizzler)")
            #expect(unknown.status == 200, "RFC 7009 section 2.2")
            for form in ["token=nothing", "client_id=a"] {
                let answer = try await school.callOAuth("revoke", form)
                #expect(answer.status == 400 && answer.json["error"] == "invalid_request")
            }
        }
    }

    @Test func `a service account revokes its own token, and no person's`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount()
            let other = try await school.makeServiceAccount()
            let token = try await school.token(of: account)
            let toms = try await school.signIn(.tom)
            for (revoked, by) in [(token, other), (toms.accessToken, account)] {
                let answer = try await school.callOAuth(
                    "revoke", "token=\(revoked)", headers: [by.basic])
                #expect(answer.status == 200)
                #expect(try await school.status(of: revoked) == 200)
            }
            let wrong = MadeAccount(id: account.id, secret: "wrong")
            let refused = try await school.callOAuth(
                "revoke", "token=\(token)", headers: [wrong.basic])
            #expect(refused.status == 401 && refused.json["error"] == "invalid_client")
            #expect(refused.header("www-authenticate") != nil)
            let own = try await school.callOAuth(
                "revoke", "token=\(token)", headers: [account.basic])
            #expect(own.status == 200)
            #expect(try await school.status(of: token) == 401)
        }
    }

    @Test func `a service account learns what a token of its organization stands for`()
        async throws
    {
        try await withSchool { school in
            let account = try await school.makeServiceAccount(.exporter)
            let app = try await school.signIn(.sam, app: school.quizzler)
            let answer = try await school.introspect(app.accessToken, account)
            #expect(answer.json["active"]?.bool == true)
            #expect(answer.json["client_id"]?.text == school.quizzler)
            #expect(answer.json["scope"] == "classkit" && answer.json["token_type"] == "Bearer")
            #expect(answer.json["sub"] == app.answer.json["subject"])
            #expect(!answer.text.contains(school.id(.sam).uuid.description))
            let issued = try #require(answer.json["iat"]?.int64)
            #expect(answer.json["exp"]?.int64 == issued + 3600)

            let toms = try await school.introspect(Persona.tom.token, account)
            #expect(toms.json["sub"]?.text == school.id(.tom).uuid.description)
            #expect(toms.json["scope"] == "teacher")

            let ended = try await school.signIn(.tom)
            _ = try await school.send("POST", "/v1/sign-out", token: ended.accessToken)
            for token in ["nothing", Persona.olga.token, ended.accessToken, app.refreshToken] {
                let answer = try await school.introspect(token, account)
                #expect(answer.status == 200 && answer.text == #"{"active":false}"#)
            }
            let nobody = try await school.callOAuth("introspect", "token=\(Persona.tom.token)")
            #expect(nobody.status == 401 && nobody.json["error"] == "invalid_client")
            let wrong = MadeAccount(id: account.id, secret: "wrong")
            #expect(try await school.introspect(Persona.tom.token, wrong).status == 401)
        }
    }

    @Test func `a tool's token stands for the tool`() async throws {
        try await withSchool { school in
            let account = try await school.makeServiceAccount(.exporter)
            let id = UUID.v7()
            try school.sql(
                """
                insert into school.tool (organization_id, tool_id, name, login_url, redirect_uris, launch_url, key_set)
                values (\(school.hillside), \(id), 'Quiz', 'https://quiz.example/login',
                        array['https://quiz.example/launch'], 'https://quiz.example/launch', '{}')
                """)
            try school.sql(
                "update school.access_token set tool_id = \(id) where standing = 'tool'")
            let answer = try await school.introspect(Persona.tool.token, account)
            #expect(answer.json["active"]?.bool == true && answer.json["scope"] == "tool")
            #expect(answer.json["client_id"]?.text == id.description)
            #expect(answer.json["sub"]?.text == id.description)
        }
    }

    @Test func `the metadata leads to the calls`() async throws {
        try await withSchool { school in
            let answer = try await school.get(
                "/.well-known/oauth-authorization-server", as: nil,
                headers: [("Host", "school.example:8443")])
            #expect(answer.status == 200)
            let issuer = "http://school.example:8443"
            #expect(answer.json["issuer"]?.text == issuer)
            let paths = school.features.flatMap(\.endpoints).map(\.path)
            for name in ["token", "device_authorization", "revocation", "introspection"] {
                let place = try #require(answer.json["\(name)_endpoint"]?.text)
                #expect(paths.contains(String(place.dropFirst(issuer.count))), "\(place)")
            }
            #expect(answer.json["code_challenge_methods_supported"] == ["S256"])
            #expect(answer.json["authorization_response_iss_parameter_supported"]?.bool == true)
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/callback", true), ("http://127.0.0.1:65535/callback", true),
        ("http://[::1]:4711/callback", true), ("org.example.app:/callback", true),
        ("http://127.0.0.1/callback", false), ("http://127.0.0.1:/callback", false),
        ("http://127.0.0.1:0/callback", false), ("http://127.0.0.1:65536/callback", false),
        ("http://127.0.0.1:08/callback", false), ("http://127.0.0.1:80/callback?a=b", false),
        ("http://127.0.0.1:80/callback#a", false),
        ("http://127.0.0.1:80@evil.example/callback", false),
        ("http://127.0.0.1.evil.example:80/callback", false),
        ("https://127.0.0.1:80/callback", false),
        ("HTTP://127.0.0.1:80/callback", false), ("http://[::2]:80/callback", false),
        ("org.example.app://callback", false), ("org.example.app:/callback/", false),
        ("org.example.other:/callback", false), ("", false),
    ])
    func `codes are brought to the app on the same device only`(address: String, isAllowed: Bool) {
        #expect(RedirectURI.isAllowed(address, for: "org.example.app") == isAllowed)
    }

    @Test(arguments: [
        "javascript", "data", "https", "org example.app", ".org.example", "7.app", "",
    ])
    func `a bundle id that is no scheme of an app has none`(bundleID: String) {
        #expect(!RedirectURI.isAllowed("\(bundleID):/callback", for: bundleID))
        #expect(RedirectURI.isAllowed("http://[::1]:80/callback", for: bundleID))
    }

    @Test(arguments: [
        ("wdjb-mjht", "WDJB-MJHT"), (" WDJB MJHT ", "WDJB-MJHT"), ("WDJBMJHT", "WDJB-MJHT"),
        ("WDJB-MJH", nil), ("WDJB-MJHTT", nil), ("WDJA-MJHT", nil), ("WDJ1-MJHT", nil), ("ﬁ", nil),
        ("", nil),
    ])
    func `a code is read as people type it`(typed: String, shown: String?) {
        #expect(UserCode(typed: typed)?.shown == shown)
    }

    /// RFC 4231, test cases 1, 2 and 4.
    @Test func `pseudonyms are made by HMAC-SHA256`() async throws {
        try await withSchool { school in
            let cases = [
                (
                    String(repeating: "0b", count: 20), "4869205468657265",
                    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
                ),
                (
                    "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
                    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
                ),
                (
                    "0102030405060708090a0b0c0d0e0f10111213141516171819",
                    String(repeating: "cd", count: 50),
                    "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
                ),
            ]
            for (key, message, code) in cases {
                let rows = try school.sql(
                    """
                    select encode(school.hmac_sha256(decode(\(key), 'hex'), decode(\(message), 'hex')), 'hex') as code
                    """)
                #expect(try rows[0].text("code") == code)
            }
        }
    }
}

extension TestSchool {
    func callOAuth(
        _ call: String, _ form: String, headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send(
            "POST", "/oauth/\(call)", token: nil, body: Array(form.utf8),
            headers: headers + [("Content-Type", "application/x-www-form-urlencoded")])
    }

    func introspect(_ token: String, _ account: MadeAccount) async throws -> Answer {
        try await callOAuth("introspect", "token=\(token)", headers: [account.basic])
    }
}
