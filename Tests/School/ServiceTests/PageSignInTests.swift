import API
import HTTPWire
import JSONBytes
import TestKit
import Testing
import WireKit

@testable import ServerKit

/// Signing in to apps and connected systems through the pages of the built program, as a browser does it.
@Suite struct PageSignIn {
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private func authorization(_ client: String, _ address: String, _ more: String = "") -> String {
        "/oauth/authorize?response_type=code&client_id=\(client)&redirect_uri="
            + percentEncode(address)
            + "&code_challenge_method=S256&code_challenge=\(Self.challenge)&state=a%26b\(more)"
    }

    private func signIn(_ visitor: PageVisitor, _ persona: Persona, at door: WireAnswer) throws
        -> WireAnswer
    {
        let page = try visitor.follow(door)
        #expect(page.status == 200)
        let location = try #require(door["location"])
        let back = try #require(location.firstMatch(of: /[?&]to=([^&]+)/)).1
        return try visitor.post(
            "/sign-in",
            [
                "managedId": persona.managedID, "password": Persona.password,
                "to": try #require(percentDecode(String(back))),
            ])
    }

    private func percentDecode(_ text: String) -> String? {
        Form.items(Array("to=\(text)".utf8))?.first?.value
    }

    private func token(_ visitor: PageVisitor, _ fields: KeyValuePairs<String, String>) throws
        -> (status: Int, json: JSONValue)
    {
        let answer = try visitor.post("/oauth/token", fields)
        return (answer.status, try JSONValue(parsing: answer.body))
    }

    private static func buy(_ school: TestSchool, port: UInt16) throws {
        let made = try ask(
            port: port, "POST", "/v1/apps", token: Persona.ada.token,
            json: [
                "adamId": "990011223", "bundleId": .text(school.quizzler), "name": "Quizzler",
                "productType": "App",
            ])
        try #require(made.status == 201, "\(made.text)")
    }

    @Test func `an app gets its tokens from a person who signs in, and none from one who refuses`()
        async throws
    {
        try await withServer { school, server in
            try Self.buy(school, port: server.port)
            for address in ["http://127.0.0.1:4711/callback", "\(school.quizzler):/callback"] {
                let visitor = PageVisitor(port: server.port)
                let start = authorization(school.quizzler, address)
                let door = try visitor.get(start)
                #expect(door.status == 303)
                let source =
                    address.hasPrefix("http") ? "http://127.0.0.1:4711" : "\(school.quizzler):"
                let form = try visitor.follow(door)
                #expect(form["content-security-policy"]?.hasSuffix("'self' \(source)") == true)

                let back = try signIn(visitor, .sam, at: door)
                #expect(back.status == 303 && back["location"] == start)
                let question = try visitor.follow(back)
                #expect(question.status == 200 && question.text.contains("<bdi>Quizzler</bdi>"))
                #expect(question["content-security-policy"]?.hasSuffix("'self' \(source)") == true)

                let issuer = percentEncode("http://\(visitor.host)")
                let refused = try visitor.post(start, ["do": "refuse"])
                #expect(refused.status == 303)
                let refusal = try #require(refused["location"])
                #expect(refusal.hasPrefix("\(address)?error=access_denied&"))
                #expect(refusal.hasSuffix("&state=a%26b&iss=\(issuer)"))

                let allowed = try visitor.post(start, ["do": "allow"])
                let target = try #require(allowed["location"])
                #expect(target.hasSuffix("&state=a%26b&iss=\(issuer)"))
                let code = try #require(target.firstMatch(of: /[?&]code=([^&]+)/)).1
                let tokens = try token(
                    visitor,
                    [
                        "grant_type": "authorization_code", "code": String(code),
                        "client_id": school.quizzler, "redirect_uri": address,
                        "code_verifier": Self.verifier,
                    ])
                #expect(tokens.status == 200 && tokens.json["scope"] == "classkit")
                #expect(tokens.json["id_token"] == nil)
            }
        }
    }

    @Test func `a device gets its tokens when the person has typed the code`() async throws {
        try await withServer { school, server in
            try Self.buy(school, port: server.port)
            let device = PageVisitor(port: server.port)
            let begun = try device.post(
                "/oauth/device_authorization", ["client_id": school.quizzler])
            let asked = try JSONValue(parsing: begun.body)
            let userCode = try #require(asked["user_code"]?.text)
            let visitor = PageVisitor(port: server.port)
            let door = try visitor.get("/device?user_code=\(userCode)")
            let page = try visitor.follow(try signIn(visitor, .sam, at: door))
            #expect(page.text.contains("value=\"\(userCode)\""))
            let question = try visitor.post("/device", ["code": userCode])
            #expect(question.status == 200 && question.text.contains("<bdi>Quizzler</bdi>"))
            let letters = userCode.filter { $0 != "-" }
            let done = try visitor.post("/device/decision", ["code": letters, "do": "allow"])
            #expect(done.text.contains("The app is connected"))
            let tokens = try token(
                device,
                [
                    "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                    "client_id": school.quizzler,
                    "device_code": asked["device_code"]?.text ?? "",
                ])
            #expect(tokens.status == 200 && tokens.json["refresh_token"]?.text != nil)
        }
    }

    @Test func `an administrator connects a system, and people sign in to it`() async throws {
        try await withServer { school, server in
            let administrator = PageVisitor(port: server.port)
            let door = try administrator.get("/connected-systems/new")
            _ = try administrator.follow(try signIn(administrator, .ada, at: door))
            let address = "https://library.example/callback"
            let made = try administrator.post(
                "/connected-systems/new",
                [
                    "name": "Library", "addresses": address, "scope": "profile",
                    "algorithm": "RS256", "pkce": "yes",
                ])
            let shown = made.text.matches(of: /<code>([^<]+)<\/code>/).map { String($0.1) }
            try #require(shown.count == 3, "\(made.text)")
            #expect(shown[0] == "http://\(administrator.host)")

            let visitor = PageVisitor(port: server.port)
            let start = authorization(shown[1], address, "&scope=openid%20profile&nonce=n")
            let silent = try visitor.get(start + "&prompt=none")
            #expect(silent["location"]?.hasPrefix("\(address)?error=login_required&") == true)
            let question = try visitor.follow(try signIn(visitor, .tom, at: visitor.get(start)))
            #expect(question.text.contains("<bdi>Library</bdi> wants to know who you are"))
            let allowed = try #require(try visitor.post(start, ["do": "allow"])["location"])
            let code = try #require(allowed.firstMatch(of: /[?&]code=([^&]+)/)).1
            let tokens = try token(
                visitor,
                [
                    "grant_type": "authorization_code", "code": String(code),
                    "client_id": shown[1], "client_secret": shown[2], "redirect_uri": address,
                    "code_verifier": Self.verifier,
                ])
            #expect(tokens.status == 200 && tokens.json["id_token"]?.text != nil)
            let info = try ask(
                port: server.port, "GET", "/oauth/userinfo",
                token: tokens.json["access_token"]?.text)
            #expect(info.text.contains(Persona.tom.managedID))

            // Next time nobody is asked, not even on the way from the sign-in page.
            let other = PageVisitor(port: server.port)
            let secondDoor = try other.get(start)
            let form = try other.follow(secondDoor)
            #expect(
                form["content-security-policy"]?.hasSuffix("'self' https://library.example") == true
            )
            let back = try signIn(other, .tom, at: secondDoor)
            #expect(try other.follow(back)["location"]?.hasPrefix("\(address)?code=") == true)
            let again = try other.get(start + "&prompt=login")
            #expect(again["location"]?.hasPrefix("/sign-in?again=yes&to=") == true)
            #expect(try other.follow(again).text.contains("name=\"password\""))
        }
    }
}
