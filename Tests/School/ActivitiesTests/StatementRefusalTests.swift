import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Activities

/// Statements and requests that are wrong.
@Suite("refusals of xAPI statements")
struct StatementRefusalTests {
    private func expectRefusal(
        _ school: TestSchool, _ statement: JSONValue, at pointer: String, code: String? = nil
    ) async throws {
        let answer = try await school.state(.array([try school.statement(), statement]))
        #expect(answer.status == 400, "\(pointer): \(answer.text)")
        #expect(answer.pointers == ["/1\(pointer)"])
        if let code { #expect(answer.json["errors"]?[0]?["code"]?.text == code) }
        #expect(try school.receiptCount() == 0 && school.storedCount() == 0)
        let alone = try await school.state(statement)
        #expect(alone.status == 400 && alone.pointers == [pointer])
    }

    @Test func `only the person of the token is an actor, by the name that the app knows`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let good = try school.statement()
            func account(_ page: String, _ name: String) -> JSONValue {
                ["account": ["homePage": .text(page), "name": .text(name)]]
            }
            let here = TestSchool.server
            let actors: [(JSONValue, String)] = [
                (["mbox": "mailto:sam@hillside.example"], "/mbox"),
                (["mbox_sha1sum": "ebd31e95054c018b10727ccffd2ef2ec3a016ee9"], "/mbox_sha1sum"),
                (["openid": "https://sam.example/"], "/openid"),
                (["objectType": "Group", "member": []], ""), (["name": "Sam"], ""),
                (account("https://elsewhere.example", "x"), "/account/homePage"),
                (account(here, try school.subject(of: .suesApp)), "/account/name"),
                // Names of people, one of whom is the token's person, and one of whom is not there.
                (account(here, "sam@hillside.example"), "/account/name"),
                (account(here, "nobody@hillside.example"), "/account/name"),
                (account(here, "\(Persona.sam.personID.uuid)"), "/account/name"),
                (account(here, "a\nb"), "/account/name"), (account(here, ""), "/account/name"),
            ]
            var said: Set<String> = []
            for (actor, pointer) in actors {
                let statement = good.with("actor", actor)
                try await expectRefusal(
                    school, statement, at: "/actor\(pointer)", code: "wrong_actor")
                let answer = try await school.state(statement)
                said.insert(answer.json["errors"]?[0]?["detail"]?.text ?? "")
            }
            #expect(said.count == 1)
            let slash = good.with("actor", account("\(here)/", try school.subject(of: .samsApp)))
            #expect(try await school.state(slash).status == 200)
        }
    }

    @Test func `what is wrong is named with its place`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            func result(_ result: JSONValue) throws -> JSONValue {
                try school.statement("scored", result: result)
            }
            func score(_ score: JSONValue) throws -> JSONValue { try result(["score": score]) }
            let good = try school.statement()
            let word = JSONValue.object(
                JSONObject([(TestSchool.cmi5Progress, "all")]))
            let wrong: [(JSONValue, String)] = [
                (good.with("id", "1"), "/id"), (good.with("verb", nil), "/verb"),
                (good.with("verb", ["display": [:]]), "/verb/id"),
                (good.with("object", ["id": "no address"]), "/object/id"),
                (good.with("object", [:]), "/object/id"),
                (good.with("object", ["objectType": "Thing"]), "/object/objectType"),
                (good.with("timestamp", "yesterday"), "/timestamp"),
                (good.with("timestamp", "1969-01-01T00:00:00Z"), "/timestamp"),
                (good.with("timestamp", "2026-01-01"), "/timestamp"),
                (good.with("result", nil).with("surprise", 1), "/surprise"),
                (good.with("context", ["registration": "r"]), "/context/registration"),
                (good.with("attachments", [["usageType": "urn:a"]]), "/attachments/0/fileUrl"),
                (try result(["duration": "10 minutes"]), "/result/duration"),
                (try result(["duration": "P100Y"]), "/result/duration"),
                (try result(["success": "yes"]), "/result/success"),
                (try score(["scaled": 1.5]), "/result/score/scaled"),
                (try score(["raw": 1e300]), "/result/score/raw"),
                (
                    try result(["extensions": word]),
                    "/result/extensions/\(TestSchool.cmi5Progress.replacing("/", with: "~1"))"
                ),
                (try school.statement("voided"), "/verb/id"),
            ]
            for (statement, pointer) in wrong {
                try await expectRefusal(school, statement, at: pointer)
            }
        }
    }

    @Test func `an address below ours that is no context of the app is refused`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let root = "\(TestSchool.server)/xapi/activities/"
            for iri in [
                root, root + "org.example.other/unit-2/check-1", school.iri() + "/",
                school.iri() + "#one", school.iri() + "?a=b", school.iri(["a", "", "b"]),
                school.iri(["%zz"]), school.iri(["%ff"]), school.iri(["%00"]),
                school.iri(Array(repeating: "x", count: 8)), school.iri(["%"]),
                school.iri([String(repeating: "x", count: 257)]),
            ] {
                try await expectRefusal(
                    school, try school.statement(about: iri), at: "/object/id")
            }
        }
    }

    @Test func `requests of other versions and forms are refused`() async throws {
        try await withSchool { school in
            let statement = try school.statement()
            for version in [nil, "0.95", "1.1", "3.0.0", "1", "", "1.0.3.1", "1.0.x"] {
                let answer = try await school.state(statement, version: version)
                #expect(answer.status == 400 && answer.code == "unsupported_xapi_version")
                #expect(answer.header("X-Experience-API-Version") == "1.0.3")
            }
            for (version, answered) in [
                ("1.0", "1.0.3"), ("1.0.0", "1.0.3"), ("1.0.9", "1.0.3"), ("2.0.0", "2.0.0"),
            ] {
                let answer = try await school.state(statement, version: version)
                #expect(answer.status == 200)
                #expect(answer.header("X-Experience-API-Version") == answered)
            }
            let mixed = try await school.state(
                statement, headers: [("Content-Type", "multipart/mixed; boundary=x")])
            #expect(mixed.status == 415 && mixed.text.contains("Attachments"))
            for body: JSONValue in [[], 1, "x", .array(Array(repeating: statement, count: 501))] {
                let answer = try await school.state(body)
                #expect(answer.status == 400, "\(answer.text)")
            }
            let twice = try await school.state(.array([statement, statement]))
            #expect(twice.status == 400 && twice.pointers == ["/1/id"])
            let other = try await school.putStatement(statement, id: "\(UUID.v7())")
            #expect(other.status == 400 && other.pointers == ["/id"])
            let noID = try await school.put(
                "/xapi/statements", as: .samsApp, json: statement,
                headers: [("X-Experience-API-Version", "1.0.3")])
            #expect(noID.status == 400 && noID.code == "invalid_parameter")
        }
    }

    @Test func `statements cannot be read, and every problem names a version`() async throws {
        try await withSchool { school in
            func ask(_ method: HTTPMethod, _ path: String, _ persona: Persona?) async throws
                -> Answer
            {
                let http = try HTTPRequest(
                    method: method, target: path,
                    headers: persona.map {
                        [(name: "Authorization", value: "Bearer \($0.token)")]
                    } ?? [])
                let response = await school.onItsLoop { await school.answer(http) }
                return Answer(
                    status: response.status, headers: response.headers,
                    body: try await response.wholeBody())
            }
            for (method, path, persona, status) in [
                (HTTPMethod.get, "/xapi/statements", Persona.samsApp, 405),
                (.post, "/xapi/statements", nil, 401), (.post, "/xapi/statements", .sam, 403),
                (.get, "/xapi/activities/state", .samsApp, 404),
            ] as [(HTTPMethod, String, Persona?, Int)] {
                let answer = try await ask(method, path, persona)
                #expect(answer.status == status)
                #expect(answer.header("X-Experience-API-Version") == "1.0.3", "\(path)")
            }
        }
    }

    @Test func `about names the versions that a client can know`() async throws {
        try await withSchool { school in
            let plain = try await school.get("/xapi/about", as: nil)
            #expect(plain.status == 200)
            #expect(plain.json["version"]?.array?.last == "2.0.0")
            let old = try await school.get(
                "/xapi/about", as: nil, headers: [("X-Experience-API-Version", "1.0.1")])
            #expect(old.json["version"]?.array?.contains("2.0.0") == false)
            #expect(old.json["version"]?.array?.first == "1.0.3")
        }
    }

    @Test(arguments: [
        ("PT0S", 0.0), ("PT1H30M", 5400), ("P1DT0.5S", 86_400.5), ("P2W", 1_209_600),
        ("PT4,25M", 255), ("P1Y1M1DT1H1M1S", 34_218_061), ("PT36H", 129_600),
    ])
    func `durations are read as ISO 8601 says`(text: String, seconds: Double) {
        #expect(ISODuration(text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "P", "PT", "P1", "1H", "PT1", "P1H", "PT1D", "PT1M1H", "PT1.5H1M", "PT-1S", "PT1S ",
        "PT1e3S", "PT.S", "PT1..5S", "P1DT", "PTT1S", "pt1s", "PT1,S",
    ])
    func `other durations are not`(text: String) { #expect(ISODuration(text) == nil) }
}
