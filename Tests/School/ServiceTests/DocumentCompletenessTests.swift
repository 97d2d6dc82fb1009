import API
import Foundation
import HTTPWire
import JSONBytes
import School
import Server
import TestKit
import Testing

@testable import ServerKit

/// What a generated client, and the author of one, find in the API document.
@Suite struct ApiDocumentCompleteness {
    @Test
    func `every media type has a schema, and every JSON body an example that would be accepted`()
        async throws
    {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            let media = contents(of: document)
            #expect(media.count > 200)
            #expect(media.filter { $0.value["schema"] == nil }.map(\.key) == [])
            let examples = APIDescription.homeroom.examples
            for endpoint in school.features.flatMap(\.endpoints) {
                guard case .json(let shape) = endpoint.operation.body else { continue }
                let findings = shape.check(shape.example(from: examples))
                #expect(
                    findings.map { "\($0.pointer) \($0.detail)" } == [],
                    "\(endpoint.method.name) \(endpoint.path)")
            }
        }
    }

    @Test func `every answer has X-Request-Id, and 422 says what each of its codes means`()
        async throws
    {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            for (call, operation) in operations(of: document) {
                for answer in operation["responses"]?.object?.members ?? [] {
                    guard answer.value["$ref"] == nil else { continue }
                    #expect(
                        answer.value["headers"]?["X-Request-Id"] != nil, "\(call) \(answer.key)")
                }
                guard operation["requestBody"]?["content"]?["application/json"] != nil,
                    operation["security"]?.array?.first?["accessToken"] != nil
                else { continue }
                let invalid = operation["responses"]?["422"]
                let text = invalid?["description"]?.text
                #expect(
                    invalid?["$ref"] != nil
                        || text?.contains("Something in the body is wrong") == true,
                    "\(call)")
            }
        }
    }

    /// The codes in the sources, found as `409, "class_full"` and the like.
    @Test func `the document lists every code that the sources have, and no other`() throws {
        let sources = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
            .appending(path: "Sources")
        let files = try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\b[45]\d\d,\s+(?:code: )?"([a-z_]+)"[,)]/) {
                found.insert(String(match.1))
            }
            // A resource that others may refer to.
            if text.contains("$0.dependents ="),
                let match = text.firstMatch(of: /\.init\("([a-z]+)", "[a-z]+", at:/)
            {
                found.insert("\(match.1)_in_use")
            }
        }
        #expect(found.count > 80)
        let listed = Set(APIDescription.homeroom.codes.map(\.code))
        #expect(found.subtracting(listed).sorted() == [])
        #expect(listed.subtracting(found).sorted() == [])
        #expect(listed.count == APIDescription.homeroom.codes.count, "none is listed twice")
    }

    @Test func `the type of a problem leads to its code on the page`() async throws {
        try await withSchool { school in
            let problem = try await school.get("/v1/nowhere", as: nil)
            #expect(problem.code == "unknown_call")
            #expect(problem.json["type"] == "/docs#problem-unknown_call")
            let page = try await school.get("/docs", as: nil).text
            #expect(page.contains("id=\"problem-unknown_call\""))
        }
    }

    @Test func `words are named, choices are mapped, and every group of calls is explained`()
        async throws
    {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            let schemas = document["components"]?["schemas"]?.object?.members ?? []
            for schema in schemas {
                for property in schema.value["properties"]?.object?.members ?? [] {
                    let words = property.value["enum"]?.array ?? []
                    #expect(words.count < 2, "\(schema.key).\(property.key) is spelled out")
                }
                guard let discriminator = schema.value["discriminator"] else { continue }
                #expect(
                    discriminator["mapping"]?.object?.count == schema.value["oneOf"]?.array?.count)
            }
            for tag in document["tags"]?.array ?? [] {
                #expect(tag["description"]?.text?.isEmpty == false, "\(tag)")
            }
            #expect(document["servers"]?.array?.count == 1)
            #expect(document["info"]?["version"]?.text == APIDescription.homeroom.version)
        }
    }

    @Test func `no two parts of the document share a name`() async throws {
        try await withSchool { school in
            let whole = try await school.get("/openapi.json", as: nil).json
            for endpoint in school.features.flatMap(\.endpoints) {
                let alone = OpenAPI(
                    features: [OneCall(endpoints: [endpoint])], description: .homeroom
                ).document
                for schema in alone["components"]?["schemas"]?.object?.members ?? [] {
                    let shared = whole["components"]?["schemas"]?[schema.key]
                    // What expand adds is described once some call can expand the object.
                    let names = { (schema: JSONValue?) in
                        schema?["properties"]?.object?.keys.filter { $0 != Expansion.member }
                    }
                    #expect(
                        names(schema.value) == names(shared),
                        "\(endpoint.method.name) \(endpoint.path): \(schema.key)")
                }
            }
        }
    }

    private struct OneCall: Feature {
        let meaning = ""
        let endpoints: [Endpoint]
    }

    private func operations(of document: JSONValue) -> [(String, JSONValue)] {
        (document["paths"]?.object?.members ?? []).flatMap { path in
            (path.value.object?.members ?? []).map { ("\($0.key) \(path.key)", $0.value) }
        }
    }

    /// Every media type of every body and answer, with its location.
    private func contents(of document: JSONValue) -> [(key: String, value: JSONValue)] {
        operations(of: document).flatMap { call, operation in
            let bodies =
                [operation["requestBody"]]
                + (operation["responses"]?.object?.members ?? []).map(\.value)
            return bodies.compactMap { $0?["content"]?.object?.members }.flatMap { members in
                members.map { (key: "\(call) \($0.key)", value: $0.value) }
            }
        }
    }
}
