import API
import HTTPServer
import HTTPWire
import School
import TestKit
import Testing

/// Pages of other origins, as browsers ask for them (the CORS protocol of the Fetch standard).
@Suite struct OtherOrigins {
    private static let listed = "https://app.example"

    private func ask(
        _ school: TestSchool, _ method: HTTPMethod, _ target: String, from origin: String?,
        _ more: [(String, String)] = [], origins: Set<String>? = [listed], apps: Set<String> = []
    ) async throws -> Answer {
        var headers = more.map { (name: $0.0, value: $0.1) }
        if let origin { headers.append((name: "Origin", value: origin)) }
        let request = try HTTPRequest(method: method, target: target, headers: headers)
        let service = school.service(
            crossOrigin: origins.map { CrossOrigin(origins: $0, apps: apps, exposing: ["X-Count"]) }
        )
        let response = await school.onItsLoop { await service.answer(request) }
        return Answer(
            status: response.status, headers: response.headers,
            body: try await response.wholeBody())
    }

    private let preflight = [
        ("Access-Control-Request-Method", "PATCH"),
        ("Access-Control-Request-Headers", "authorization,if-match"),
    ]
    private let signedIn = [("Authorization", "Bearer \(Persona.ada.token)")]

    private func control(_ answer: Answer) -> [String] {
        answer.headers.filter { $0.name.hasPrefix("Access-Control-") }.map(\.name).sorted()
    }

    @Test func `a listed origin may read answers, problems too`() async throws {
        try await withSchool { school in
            for (target, status) in [("/v1/people", 200), ("/v1/nothing", 404)] {
                let answer = try await ask(school, .get, target, from: Self.listed, signedIn)
                #expect(answer.status == status)
                #expect(answer.header("Access-Control-Allow-Origin") == Self.listed)
                let exposed = answer.header("Access-Control-Expose-Headers") ?? ""
                for name in ["ETag", "X-Count", "X-Total-Count"] {
                    #expect(exposed.contains(name))
                }
                #expect(answer.headers.contains { $0.name == "Vary" && $0.value == "Origin" })
            }
        }
    }

    @Test(arguments: [
        "https://app.example:444", "http://app.example", "https://app.example.evil.example",
        "https://evil.app.example", "HTTPS://APP.EXAMPLE", "null", "*", "",
    ])
    func `no other origin may`(origin: String) async throws {
        try await withSchool { school in
            let answer = try await ask(school, .get, "/v1/people", from: origin, signedIn)
            #expect(control(answer) == [])
            #expect(answer.headers.contains { $0.name == "Vary" && $0.value == "Origin" })
            let asked = try await ask(school, .options, "/v1/people", from: origin, preflight)
            #expect(control(asked) == [])
        }
    }

    @Test func `a preflight needs no token and is the same everywhere`() async throws {
        try await withSchool { school in
            var answers: Set<[String]> = []
            for target in [
                "/v1/people", "/v1/people/source:sis-sam", "/v1/nothing", "/oauth/token",
            ] {
                let answer = try await ask(school, .options, target, from: Self.listed, preflight)
                #expect(answer.status == 204)
                #expect(answer.body.isEmpty)
                answers.insert(answer.headers.map { "\($0.name): \($0.value)" })
            }
            #expect(answers.count == 1)
            let lines = try #require(answers.first)
            #expect(lines.contains("Access-Control-Allow-Origin: \(Self.listed)"))
            #expect(
                lines.contains(
                    "Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE"))
            #expect(lines.contains { $0.contains("Authorization") && $0.contains("If-Match") })
        }
    }

    @Test func `no answer allows cookies, and none lets every origin in`() async throws {
        try await withSchool { school in
            let cookie = [("Cookie", "homeroom=whatever")]
            for (method, more) in [
                (HTTPMethod.get, signedIn + cookie), (.get, cookie), (.options, preflight + cookie),
            ] {
                let answer = try await ask(school, method, "/v1/me", from: Self.listed, more)
                #expect(answer.header("Access-Control-Allow-Credentials") == nil)
                #expect(answer.header("Access-Control-Allow-Origin") == Self.listed)
                #expect(answer.header("Set-Cookie") == nil)
            }
            let unknown = try await ask(school, .get, "/v1/me", from: Self.listed, cookie)
            #expect(unknown.status == 401)
        }
    }

    @Test func `without the setting there is nothing of it`() async throws {
        try await withSchool { school in
            let answer = try await ask(
                school, .get, "/v1/people", from: Self.listed, signedIn, origins: nil)
            #expect(answer.status == 200)
            #expect(control(answer) == [] && answer.header("Vary") == nil)
            let asked = try await ask(
                school, .options, "/v1/people", from: Self.listed, preflight, origins: nil)
            #expect(control(asked) == [])
            #expect(asked.header("Allow")?.contains("POST") == true)
        }
    }

    @Test func `a page that is an app makes an app's calls, and no others`() async throws {
        try await withSchool { school in
            let app = "http://127.0.0.1:8081"
            func ask(
                _ method: HTTPMethod, _ target: String, from origin: String,
                _ more: [(String, String)]
            )
                async throws -> Answer
            {
                try await self.ask(school, method, target, from: origin, more, apps: [app])
            }
            for target in [
                "/oauth/token", "/v1/me/contexts", "/v1/me/contexts?path=%5B%5D", "/v1/activities",
                "/v1/me/completions",
            ] {
                let asked = try await ask(.options, target, from: app, preflight)
                #expect(asked.status == 204)
                #expect(asked.header("Access-Control-Allow-Origin") == app, "\(target)")
                #expect(asked.header("Access-Control-Allow-Credentials") == nil)
                let other = try await ask(
                    .options, target, from: "http://127.0.0.1:8082", preflight)
                #expect(control(other) == [])
            }
            for target in [
                "/v1/people", "/v1/me", "/v1/sign-in", "/v1/activities/x", "/v1/%61ctivities/..",
                "/oauth/authorize", "/v1/nothing", "/",
            ] {
                let asked = try await ask(.options, target, from: app, preflight)
                #expect(control(asked) == [], "\(target)")
                let listed = try await ask(.options, target, from: Self.listed, preflight)
                #expect(listed.header("Access-Control-Allow-Origin") == Self.listed)
            }
            let people = try await ask(.get, "/v1/people", from: app, signedIn)
            #expect(people.status == 200 && control(people) == [], "no page of the app reads it")
        }
    }
}
