import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import ServerKit

@Suite struct ApiDocument {
    @Test func `routes and document match, both ways`() async throws {
        try await withSchool { school in
            let answer = try await school.get("/openapi.json", as: nil)
            #expect(answer.status == 200)
            let documented = DocumentChecker(document: answer.json).operations
            let routes = school.features.flatMap(\.endpoints).map { "\($0.method.name) \($0.path)" }
            #expect(Set(routes).count == routes.count, "no route is declared twice")
            #expect(documented == Set(routes))
        }
    }

    @Test func `every reference in the document leads somewhere`() async throws {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            let schemas = Set(document["components"]?["schemas"]?.object?.keys ?? [])
            var references: Set<String> = []
            collect(document, into: &references)
            #expect(!references.isEmpty)
            let responses = Set(document["components"]?["responses"]?.object?.keys ?? [])
            let targets =
                schemas.map { "#/components/schemas/\($0)" }
                + responses.map { "#/components/responses/\($0)" }
            #expect(references.filter { !targets.contains($0) } == [])
        }
    }

    @Test func `every call says what it is, who may make it, and what it answers`() async throws {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            var operationIDs: Set<String> = []
            for path in document["paths"]?.object?.members ?? [] {
                for operation in path.value.object?.members ?? [] {
                    let call = "\(operation.key) \(path.key)"
                    #expect(operation.value["summary"]?.text?.isEmpty == false, "\(call)")
                    let name = operation.value["operationId"]?.text ?? ""
                    #expect(operationIDs.insert(name).inserted, "\(call): \(name)")
                    #expect(operation.value["security"]?.array != nil, "\(call)")
                    #expect((operation.value["responses"]?.object?.count ?? 0) > 1, "\(call)")
                    let names = path.key.split(separator: "/").filter { $0.hasPrefix("{") }.count
                    let parameters = operation.value["parameters"]?.array ?? []
                    #expect(parameters.count { $0["in"] == "path" } == names, "\(call)")
                }
            }
        }
    }

    @Test func `a description is a few sentences that do not repeat the summary`() async throws {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            var described = 0
            for path in document["paths"]?.object?.members ?? [] {
                for operation in path.value.object?.members ?? [] {
                    guard let text = operation.value["description"]?.text else { continue }
                    let call = "\(operation.key) \(path.key): \(text)"
                    let summary = operation.value["summary"]?.text ?? ""
                    described += 1
                    #expect(text.hasSuffix(".") && text.count > 10 && text.count < 400, "\(call)")
                    #expect(!text.contains(summary), "\(call)")
                }
            }
            #expect(described > 80)
        }
    }

    @Test func `what names a record in a path is documented as an id, but for what has a name`()
        async throws
    {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            var names: Set<String> = []
            var ids = 0
            for path in document["paths"]?.object?.members ?? [] where path.key.hasPrefix("/v1/") {
                for operation in path.value.object?.members ?? [] {
                    for parameter in operation.value["parameters"]?.array ?? []
                    where parameter["in"] == "path" {
                        let schema = parameter["schema"]
                        if schema?["format"] == "uuid" || schema?["pattern"] != nil {
                            ids += 1
                        } else {
                            names.insert(parameter["name"]?.text ?? path.key)
                        }
                    }
                }
            }
            #expect(ids > 100)
            #expect(names == ["bundleId", "name", "privilege", "statusId"])
        }
    }

    @Test func `every call says what it does with an idempotency key, and that tokens are limited`()
        async throws
    {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            for endpoint in school.features.flatMap(\.endpoints) {
                let call = "\(endpoint.method.name) \(endpoint.path)"
                let operation = document["paths"]?[endpoint.path]?[
                    endpoint.method.name.lowercased()]
                let headers = (operation?["parameters"]?.array ?? []).filter {
                    $0["name"] == "Idempotency-Key"
                }
                let responses = Set(operation?["responses"]?.object?.keys ?? [])
                switch endpoint.operation.keys {
                case .honoured:
                    #expect(headers.map { $0["in"]?.text } == ["header"], "\(call)")
                    #expect(responses.isSuperset(of: ["409", "422"]), "\(call)")
                    for (status, code) in [("409", "in_use"), ("422", "reused")] {
                        let response = operation?["responses"]?[status]
                        let meaning = response?["description"]?.text ?? ""
                        #expect(meaning.contains("`idempotency_key_\(code)`"), "\(call)")
                        #expect(
                            response?["content"]?["application/problem+json"] != nil, "\(call)")
                    }
                case .refused: #expect(headers.isEmpty && responses.contains("400"), "\(call)")
                case .ignored: #expect(headers.isEmpty, "\(call)")
                }
                guard case .standings = endpoint.callers else { continue }
                #expect(responses.contains("429"), "\(call)")
                // An answer that is kept for its repetition would keep the id of whom it erased, and how long a
                // token lived when it was renewed. A preview changes nothing. SCIM knows no keys: it refuses a user
                // name or an external id that is taken. xAPI statements have ids. Tools know no keys either: a score
                // that comes again is the same.
                let ignoring = [
                    "/v1/sign-out", "/v1/people/{id}/erasure", "/v1/me/session/renewal",
                    "/v1/terms/{id}/rollover/preview",
                ]
                // A removal, or a picture, that arrives late would undo what an app saved since.
                let honouring = [
                    "DELETE /v1/me/contexts", "PUT /v1/me/contexts/thumbnail",
                    "DELETE /v1/me/contexts/thumbnail",
                ]
                let line = "\(endpoint.method.name) \(endpoint.path)"
                let isRepeatable =
                    endpoint.method != .post && !honouring.contains(line)
                    || ignoring.contains(endpoint.path)
                    || ["/scim/", "/xapi/", "/lti/"].contains(
                        where: endpoint.path.hasPrefix)
                #expect((endpoint.operation.keys == .ignored) == isRepeatable, "\(call)")
            }
        }
    }

    private func collect(_ value: JSONValue, into references: inout Set<String>) {
        if let text = value["$ref"]?.text { references.insert(text) }
        for member in value.object?.members ?? [] { collect(member.value, into: &references) }
        for element in value.array ?? [] { collect(element, into: &references) }
    }
}

@Suite struct Health {
    @Test func `alive and ready are two questions`() async throws {
        try await withSchool { school in
            #expect(try await school.get("/healthz", as: nil).status == 200)
            #expect(try await school.get("/readyz", as: nil).status == 200)
            try school.sql("delete from school.applied_schema")
            let answer = try await school.get("/readyz", as: nil)
            #expect(answer.status == 503)
            #expect(answer.code == "not_migrated")
            #expect(try await school.get("/healthz", as: nil).status == 200)
        }
    }
}

@Suite struct Framing {
    @Test func `no page and no document can be shown in a frame`() async throws {
        try await withSchool { school in
            let documents = try await school.get("/openapi.json", as: nil)
            let page = try await school.get("/docs", as: nil)
            let sheet = try await school.post(
                "/v1/sign-in-sheets", as: .ada,
                json: ["classId": "source:class-Biology"],
                headers: [("Accept", "text/html")])
            for answer in [documents, page, sheet] {
                #expect(answer.status == 200)
                #expect(answer.header("x-frame-options") == "DENY")
            }
            for answer in [page, sheet] {
                let policy = answer.header("content-security-policy") ?? ""
                #expect(policy.contains("frame-ancestors 'none'"))
            }
        }
    }
}

@Suite struct EveryCall {
    @Test func `unknown, forbidden and malformed requests get different answers`() async throws {
        try await withSchool { school in
            #expect(try await school.get("/v1/nowhere", as: .ada).status == 404)
            let patched = try await school.patch("/v1/me", as: .ada)
            #expect(patched.status == 405)
            #expect(patched.header("allow") == "GET, HEAD, OPTIONS")
            let options = try await school.send("OPTIONS", "/v1/me", as: nil)
            #expect(options.status == 204)
            #expect(try await school.get("/v1/me", as: nil).status == 401)
            #expect(try await school.send("GET", "/v1/me", token: "nonsense").status == 401)
            let typo = try await school.get("/v1/people?limt=3", as: .ada)
            #expect(typo.status == 400)
            #expect(typo.code == "invalid_parameter")
            #expect(try await school.get("/v1/people?limit=0", as: .ada).status == 400)
            #expect(try await school.get("/v1/people?limit=1&limit=2", as: .ada).status == 400)
        }
    }

    @Test(arguments: [
        ("", 400, "missing_body"), ("{", 400, "malformed_json"),
        (#"{"title":"a","title":"b"}"#, 400, "malformed_json"),
        ("{\"title\":\"\u{1}\"}", 400, "malformed_json"), ("[]", 422, "invalid_body"),
        (String(repeating: "[", count: 200), 400, "malformed_json"),
    ])
    func `a malformed JSON body is refused with the position`(
        text: String, status: Int, code: String
    ) async throws {
        try await withSchool { school in
            let answer = try await school.send(
                "POST", "/v1/handouts", as: .tom, body: Array(text.utf8))
            #expect(answer.status == status)
            #expect(answer.code == code)
        }
    }

    @Test func `malformed JSON is described in a sentence, with its position`() async throws {
        try await withSchool { school in
            let bytes = Array(#"{"tasks":[{"title":""#.utf8) + [0xFF] + Array(#""}]}"#.utf8)
            let answer = try await school.send("POST", "/v1/handouts", as: .tom, body: bytes)
            #expect(
                answer.json["detail"] == "The text is not valid UTF-8. That is at byte 20.")
            #expect(
                answer.json["errors"]?.array == [
                    [
                        "pointer": "/tasks/0/title", "code": "malformed_json",
                        "detail": "The text is not valid UTF-8.",
                    ]
                ])
        }
    }

    @Test func `a stranger gets 401 whatever else is wrong, and 403 comes before 400`() async throws
    {
        try await withSchool { school in
            for path in ["/v1/people?colour=red", "/v1/people?limit=0"] {
                #expect(try await school.get(path, as: nil).status == 401)
                #expect(try await school.get(path, as: .sam).status == 403)
                #expect(try await school.get(path, as: .ada).status == 400)
            }
            let coded = [("Content-Encoding", "gzip")]
            let body = Array("{}".utf8)
            for (persona, status) in [(Persona?.none, 401), (.sam, 403), (.ada, 415)] {
                let answer = try await school.send(
                    "POST", "/v1/people", as: persona, body: body, headers: coded)
                #expect(answer.status == status)
            }
            let keyed = [("Idempotency-Key", "k1")]
            let secret = "/v1/service-accounts"
            for (persona, status) in [(Persona?.none, 401), (.tom, 403), (.ada, 400)] {
                let answer = try await school.post(
                    secret, as: persona, json: ["name": "x", "role": "exporter"], headers: keyed)
                #expect(answer.status == status)
            }
        }
    }

    @Test func `a PATCH takes merge patches by their own media type, and nothing else does`()
        async throws
    {
        try await withSchool { school in
            let type = [("Content-Type", "application/merge-patch+json; charset=utf-8")]
            let body = Array(#"{"name":"Renamed"}"#.utf8)
            let path = "/v1/locations/\(school.mainLocation.uuid)"
            let patched = try await school.send(
                "PATCH", path, as: .ada, body: body, headers: type)
            #expect(patched.status == 200)
            #expect(patched.json["name"] == "Renamed")
            let posted = try await school.send(
                "POST", "/v1/locations", as: .ada, body: body, headers: type)
            #expect(posted.status == 415)
            let plain = try await school.send(
                "PATCH", path, as: .ada, body: body, headers: [("Content-Type", "text/plain")])
            #expect(plain.header("Accept")?.contains("application/merge-patch+json") == true)
        }
    }

    @Test func `a body of another type or size is refused`() async throws {
        try await withSchool { school in
            let form = try await school.send(
                "POST", "/v1/handouts", as: .tom, body: Array("title=x".utf8),
                headers: [("Content-Type", "application/x-www-form-urlencoded")])
            #expect(form.status == 415)
            let huge = try await school.send(
                "POST", "/v1/handouts", as: .tom,
                body: [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) + 1))
            #expect(huge.status == 413)
        }
    }

    @Test func `a denial leaves an event that nobody can change`() async throws {
        try await withSchool { school in
            #expect(try await school.get("/v1/developer-teams", as: .tom).status == 403)
            let events = try school.sql(
                "select details ->> 'route' as route from school.audit_event where kind = 'denial'")
            #expect(try events.map { try $0.text("route") } == ["/v1/developer-teams"])
            #expect(throws: PostgresError.self) {
                try school.sql("delete from school.audit_event", as: school.caller(.ada))
            }
        }
    }
}
