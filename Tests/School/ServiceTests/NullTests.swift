import API
import HTTPWire
import JSONBytes
import Postgres
import School
import Server
import TestKit
import Testing

@testable import ServerKit

/// Where null may appear in a body: where the API document says so, and nowhere else.
@Suite struct NullInBodies {
    @Test
    func `null is accepted where the document allows it, and otherwise refused with its pointer`()
        async throws
    {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            let checker = DocumentChecker(document: document)
            var taken = 0
            var refused = 0
            for endpoint in school.features.flatMap(\.endpoints) {
                guard let shape = endpoint.jsonShape else { continue }
                for sample in shape.samples() {
                    let found = shape.check(sample).map { "\($0.pointer) \($0.detail)" }
                    #expect(found == [], "\(endpoint.method.name) \(endpoint.path)")
                }
                for (pointer, body) in shape.samples().flatMap(\.withNulls) {
                    let call = "\(endpoint.method.name) \(endpoint.path) \(pointer)"
                    let found = shape.check(body)
                    let documented = checker.findings(
                        method: endpoint.method.name, path: endpoint.path, body: body)
                    #expect(found.isEmpty == documented.isEmpty, "\(call): \(documented)")
                    let isNamed = found.contains { pointer.hasPrefix($0.pointer) }
                    #expect(isNamed || found.isEmpty, "\(call): \(found)")
                    if found.isEmpty { taken += 1 } else { refused += 1 }
                }
            }
            #expect(taken > 20)
            #expect(refused > 300)
        }
    }

    @Test func `every call refuses it before it does anything else, and names its location`()
        async throws
    {
        try await withSchool { school in
            let endpoints = school.features.flatMap(\.endpoints)
            // Some calls need a scope.
            try school.sql(
                """
                update school.access_token set scopes = \(endpoints.flatMap(\.scopes))
                 where digest = sha256(\(Array(Persona.rosterReader.token.utf8)))
                """)
            for endpoint in endpoints {
                guard let shape = endpoint.jsonShape, let persona = endpoint.persona,
                    let sample = shape.samples().first
                else { continue }
                // xAPI wants a version with each call, an id with PUT, and 400 in place of 422.
                let isXAPI = endpoint.path.hasPrefix("/xapi/")
                let id = isXAPI && endpoint.method == .put ? sample["id"]?.text : nil
                for (pointer, body) in sample.withNulls where !shape.check(body).isEmpty {
                    let answer = try await school.send(
                        endpoint.method,
                        endpoint.samplePath + (id.map { "?statementId=\($0)" } ?? ""), as: persona,
                        body: body.bytes,
                        headers: [
                            ("Content-Type", "application/json"),
                            ("X-Experience-API-Version", "1.0.3"),
                        ])
                    let call = "\(endpoint.method.name) \(endpoint.path) \(pointer)"
                    #expect(
                        (isXAPI ? [400] : [200, 202, 422]).contains(answer.status),
                        "\(call): \(answer.text)")
                    // OneRoster has a text alone for this.
                    let isNamed =
                        answer.text.contains(#""pointer":"\#(pointer)""#)
                        || answer.text.contains(#""imsx_description":"\#(pointer.dropFirst()): "#)
                    // A sample of a statement has more mistakes than this: see StatementRefusalTests.
                    #expect(isNamed || isXAPI, "\(call): \(answer.text)")
                    #expect(!answer.text.contains(#""outcome":"created""#), "\(call)")
                }
            }
        }
    }
}

extension Endpoint {
    /// Of a body that is JSON.
    fileprivate var jsonShape: Shape? {
        switch operation.body {
        case .json(let shape), .jsonIfAny(let shape), .document(_, let shape): shape
        case .none, .form, .stream: nil
        }
    }

    /// A persona who may make the call; nobody for developers, whose calls have tests of their own.
    fileprivate var persona: Persona? {
        guard case .standings(let standings) = callers else { return nil }
        return Persona.allCases.first { persona in
            !persona.isElsewhere
                && standings.contains { $0 == persona.fixedStanding || persona.roles.contains($0) }
        }
    }

    /// With ids that do not exist.
    fileprivate var samplePath: String {
        let segments = path.split(separator: "/").map { segment in
            switch segment {
            case "{adamId}": "123456789"
            case "{teamId}": "QUIZTEAM01"
            case "{privilege}": "makeClasses"
            default:
                segment.hasPrefix("{") ? "0199aaaa-0000-7000-8000-000000000000" : String(segment)
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}

extension Shape {
    /// Values that together use every field and every choice.
    fileprivate func samples(of name: String = "", in owner: String = "") -> [JSONValue] {
        switch self {
        case .object(let shape):
            let fields = shape.fields.map {
                ($0.name, $0.shape.samples(of: $0.name, in: shape.name))
            }
            let count = fields.map(\.1.count).max() ?? 1
            return (0..<count).map { index in
                .object(JSONObject(fields.map { ($0.0, $0.1[index % $0.1.count]) }))
            }
        case .variant(_, _, let variants):
            return variants.flatMap { Shape.object($0.shape).samples() }
        case .array(let element, let count):
            return element.samples(of: name, in: owner).map {
                .array(Array(repeating: $0, count: max(1, count.lowerBound)))
            }
        case .either(let first, let second):
            return first.samples(of: name, in: owner) + second.samples(of: name, in: owner)
        case .orNull(let shape): return shape.samples(of: name, in: owner)
        default:
            return [example(of: name, in: owner, from: APIDescription.homeroom.examples)]
        }
    }
}

extension JSONValue {
    /// The value once for each of its members and elements, with null in place of that one.
    fileprivate var withNulls: [(pointer: String, body: JSONValue)] {
        var results: [(pointer: String, body: JSONValue)] = []
        for (index, member) in (object?.members ?? []).enumerated() {
            func replaced(_ value: JSONValue) -> JSONValue {
                var members = object?.members.map { ($0.key, $0.value) } ?? []
                members[index].1 = value
                return .object(JSONObject(members))
            }
            results.append(("/\(member.key)", replaced(.null)))
            results += member.value.withNulls.map {
                ("/\(member.key)\($0.pointer)", replaced($0.body))
            }
        }
        for (index, element) in (array ?? []).enumerated() {
            func replaced(_ value: JSONValue) -> JSONValue {
                var elements = array ?? []
                elements[index] = value
                return .array(elements)
            }
            results.append(("/\(index)", replaced(.null)))
            results += element.withNulls.map { ("/\(index)\($0.pointer)", replaced($0.body)) }
        }
        return results
    }
}
