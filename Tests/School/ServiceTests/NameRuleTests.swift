import JSONBytes
import School
import TestKit
import Testing
import Values

/// One way to name things in the API, held over its document.
@Suite struct NameRules {
    private struct Call {
        let method: String
        let path: String
        let operation: JSONValue
    }

    /// Calls of our own: other paths are those of standards, which have names of their own.
    private func calls(_ document: JSONValue) -> [Call] {
        (document["paths"]?.object?.members ?? []).filter { $0.key.hasPrefix("/v1/") }.flatMap {
            path in
            (path.value.object?.members ?? []).map {
                Call(method: $0.key, path: path.key, operation: $0.value)
            }
        }
    }

    private func document(_ school: TestSchool) async throws -> JSONValue {
        try await school.get("/openapi.json", as: nil).json
    }

    /// Named by the adjective or verb alone, but for words of Apple and ClassKit, and of the files of exports.
    @Test func `a boolean has no is before it`() async throws {
        let others = ["isAssignable", "isVerified", "isFinal", "isPrimary", "isFull"]
        try await withSchool { school in
            let schemas = try await document(school)["components"]?["schemas"]
            var found: Set<String> = []
            for schema in schemas?.object?.members ?? [] {
                for member in schema.value["properties"]?.object?.members ?? []
                where member.key.hasPrefix("is") && member.value["type"] == "boolean" {
                    found.insert(member.key)
                }
            }
            #expect(found == Set(others))
        }
    }

    /// What a list is beside its items, and documents of which a list is only a part.
    @Test func `a list is items`() async throws {
        let beside = ["nextPageToken", "totalCount", "notes", "position", "hasMore", "generatedAt"]
        try await withSchool { school in
            let document = try await document(school)
            var lists = 0
            for call in calls(document) where call.method == "get" {
                let shape = document.resolved(call.operation.answer)
                let members = shape["properties"]?.object?.members ?? []
                let arrays = members.filter { $0.value["type"] == "array" }.map(\.key)
                    .filter { $0 != "notes" }
                let others = members.map(\.key).filter { !arrays.contains($0) }
                guard arrays.count == 1, Set(others).isSubset(of: beside) else { continue }
                lists += 1
                #expect(arrays == ["items"] || Self.foreign.contains(call.path), "\(call.path)")
            }
            #expect(lists > 40)
        }
    }

    /// Apple's Catalog API.
    private static let foreign = ["/v1/contexts"]

    @Test func `a state is set with PUT and ended with DELETE`() async throws {
        try await withSchool { school in
            let calls = calls(try await document(school))
            let listed = Set(calls.filter { $0.method == "get" }.map(\.path))
            for call in calls where call.method == "post" && !listed.contains(call.path) {
                guard calls.contains(where: { $0.path == call.path && $0.method == "delete" })
                else { continue }
                #expect(call.operation["deprecated"] == true, "POST \(call.path)")
                #expect(calls.contains { $0.path == call.path && $0.method == "put" })
            }
        }
    }

    @Test func `what stands in a path for a record is its id`() async throws {
        let words = ["privilege", "name"]
        try await withSchool { school in
            for call in calls(try await document(school)) {
                for part in call.path.split(separator: "/") where part.hasPrefix("{") {
                    let name = String(part.dropFirst().dropLast())
                    let isID = name == "id" || name.hasSuffix("Id")
                    #expect(isID || words.contains(name), "\(call.path)")
                }
            }
        }
    }

    @Test func `a call that will go away says so, and names one that does the same`() async throws {
        try await withSchool { school in
            let calls = calls(try await document(school))
            let old = calls.filter { $0.operation["deprecated"] == true }
            #expect(old.count == 6)
            for call in old {
                let description = call.operation["description"]?.text ?? ""
                let successor = calls.filter {
                    description.contains("`\($0.method.uppercased()) \($0.path)`")
                }
                #expect(successor.count == 1, "\(call.path): \(description)")
                #expect(successor.first?.operation.answer == call.operation.answer)
                let path = call.path.replacing("{id}", with: school.id(.sam).uuid.description)
                for persona: Persona? in [nil, .ada, .tom] {
                    let answer = try await school.post(path, as: persona)
                    #expect(answer.header("deprecation") == "@1796083200", "\(call.path)")
                    #expect(answer.header("sunset") == "Fri, 01 Dec 2028 00:00:00 GMT")
                    #expect(answer.header("link")?.contains("rel=\"deprecation\"") == true)
                }
            }
            let put = try await school.put(
                "/v1/people/\(school.id(.sam).uuid)/deactivation", as: .ada)
            #expect(put.status == 200 && put.header("deprecation") == nil)
        }
    }
}

extension JSONValue {
    /// The schema of a successful JSON answer.
    fileprivate var answer: JSONValue? {
        self["responses"]?["200"]?["content"]?["application/json"]?["schema"]
    }

    fileprivate func resolved(_ schema: JSONValue?) -> JSONValue {
        guard let name = schema?["$ref"]?.text?.split(separator: "/").last else {
            return schema ?? .null
        }
        return self["components"]?["schemas"]?[String(name)] ?? .null
    }
}
