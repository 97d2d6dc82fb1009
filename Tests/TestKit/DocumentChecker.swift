import JSONBytes

/// Compares answers with the API document that the service itself publishes.
///
/// Understands the part of JSON Schema that the document uses; an unknown keyword is a finding, so that nothing passes
/// unchecked.
package struct DocumentChecker: Sendable {
    /// The parts of the document by their names: looking through all of them takes longer than the comparison.
    private let paths: [String: JSONValue]
    private let schemas: [String: JSONValue]
    private let responses: [String: JSONValue]
    private let patterns = Patterns()
    /// Whether an answer may lack required members, because the client chose some with `fields`.
    private var isPartial = false

    package init(document: JSONValue) {
        func parts(_ name: String, of value: JSONValue?) -> [String: JSONValue] {
            let members = value?[name]?.object?.members ?? []
            return Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        }
        paths = parts("paths", of: document)
        schemas = parts("schemas", of: document["components"])
        responses = parts("responses", of: document["components"])
    }

    /// Every `METHOD /path` of the document.
    package var operations: Set<String> {
        var operations: Set<String> = []
        for (path, item) in paths {
            for method in item.object?.keys ?? [] {
                operations.insert("\(method.uppercased()) \(path)")
            }
        }
        return operations
    }

    /// What is wrong with an answer; empty if it matches the document. Only statuses from 500 on may be documented
    /// under `default` alone.
    ///
    /// - Parameters:
    ///   - path: the path as the document has it, with its parameters in braces.
    ///   - isPartial: whether the client chose some members with `fields`.
    package func findings(
        method: String, path: String, _ answer: Answer, isPartial: Bool = false
    ) -> [String] {
        if isPartial != self.isPartial {
            var checker = self
            checker.isPartial = isPartial
            return checker.findings(method: method, path: path, answer, isPartial: isPartial)
        }
        let call = "\(method) \(path) \(answer.status)"
        guard let operation = paths[path]?[method.lowercased()],
            let responses = operation["responses"]
        else { return ["\(method) \(path) is not documented"] }
        let other = answer.status >= 500 ? responses["default"] : nil
        guard let response = (responses[String(answer.status)] ?? other).map(resolved) else {
            return ["\(call) is not documented"]
        }
        // Every answer of a deprecated call leads to what is said about that.
        let isNoted = operation["deprecated"] == true
        let headers = headerFindings(answer, response["headers"])
            .filter { !isNoted || !$0.hasPrefix("Link") }
        return headers.map { "\(call): \($0)" }
            + contentFindings(answer, response["content"]).map { "\(call): \($0)" }
    }

    /// What is wrong with a JSON body; empty if the call accepts it.
    package func findings(method: String, path: String, body: JSONValue) -> [String] {
        let content = paths[path]?[method.lowercased()]?["requestBody"]?["content"]
        guard let schema = content?["application/json"]?["schema"] else {
            return ["\(method) \(path) takes no JSON"]
        }
        return check(body, schema)
    }

    /// What clients rely on is documented, and present if it always should be.
    private func headerFindings(_ answer: Answer, _ documented: JSONValue?) -> [String] {
        let members = documented?.object?.members ?? []
        let missing = members.filter {
            $0.value["required"] == true && answer.header($0.key) == nil
        }
        let undocumented = Self.headers.filter { name in
            answer.header(name) != nil && !members.contains { $0.key == name }
        }
        return missing.map { "\($0.key) is missing" }
            + undocumented.map { "\($0) is not documented" }
    }

    private static let headers = [
        "ETag", "Location", "Link", "Retry-After", "WWW-Authenticate", "Vary", "Accept",
        "Accept-Encoding", "Accept-Ranges", "Content-Range",
    ]

    private func contentFindings(_ answer: Answer, _ content: JSONValue?) -> [String] {
        guard let content else { return answer.body.isEmpty ? [] : ["should have no body"] }
        let mediaType = answer.header("content-type").flatMap {
            $0.split(separator: ";").first.map(String.init)
        }
        guard let mediaType, let media = content[mediaType] else {
            return ["has the media type \(mediaType ?? "none")"]
        }
        guard let schema = media["schema"] else { return ["\(mediaType) has no schema"] }
        // Text and bytes, and compressed JSON, have tests of their own.
        if schema["format"]?.text == "binary" || answer.header("content-encoding") != nil {
            return []
        }
        guard mediaType.hasSuffix("json") else {
            return schema["type"]?.text == "string" ? [] : ["\(mediaType) is not text"]
        }
        guard let value = try? JSONValue(parsing: answer.body) else { return ["is not JSON"] }
        let loose = answer.hasBlanksBetweenParts ? ["has blanks between its parts"] : []
        return loose + check(value, schema)
    }

    /// The response that another refers to.
    private func resolved(_ response: JSONValue) -> JSONValue {
        let name = response["$ref"]?.text?.split(separator: "/").last.map(String.init)
        return name.flatMap { responses[$0] } ?? response
    }

    /// Each finding begins with the pointer to what it is about. Only who has one writes the pointer: most answers have
    /// none, and a text for each of their parts takes longer than the comparison.
    private func check(_ value: JSONValue, _ schema: JSONValue) -> [String] {
        var findings: [String] = []
        for rule in schema.object?.members ?? [] {
            findings += check(value, rule.key, rule.value, schema)
        }
        return findings
    }

    private func check(
        _ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONValue
    ) -> [String] {
        switch keyword {
        case "$ref":
            let name = rule.text.map { String($0.split(separator: "/").last ?? "") } ?? ""
            guard let target = schemas[name] else {
                return [" refers to \(name), which is not there"]
            }
            return check(value, target)
        case "type":
            return rule.text == value.schemaType
                || (rule.text == "number" && value.schemaType == "integer")
                ? [] : [" should be \(rule.text ?? "?"), not \(value.schemaType)"]
        case "anyOf", "oneOf":
            let matching = (rule.array ?? []).count { check(value, $0).isEmpty }
            return (keyword == "anyOf" ? matching > 0 : matching == 1)
                ? [] : [" fits \(matching) of the choices"]
        case "enum":
            return rule.array?.contains(value) == true ? [] : [" is not one of the words"]
        case "required":
            if isPartial { return [] }
            return (rule.array ?? []).compactMap(\.text).filter { value[$0] == nil }
                .map { "/\($0) is missing" }
        case "properties":
            return (value.object?.members ?? []).flatMap { member in
                rule[member.key].map { check(member, $0) } ?? []
            }
        case "additionalProperties":
            return additional(value, rule, schema)
        case "items":
            return (value.array ?? []).enumerated().flatMap { index, element in
                check(element, rule).map { "/\(index)\($0)" }
            }
        case "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems":
            return bounds(value, keyword, rule)
        case "pattern":
            guard case .text(let subject) = value else { return [] }
            return patterns.finding(subject, rule.text).map { [" \($0)"] } ?? []
        case "format", "description", "discriminator": return []
        default: return [" has a schema with \(keyword), which this checker does not know"]
        }
    }

    private func check(_ member: JSONObject.Member, _ schema: JSONValue) -> [String] {
        check(member.value, schema).map { "/\(member.key)\($0)" }
    }

    private func additional(
        _ value: JSONValue, _ rule: JSONValue, _ schema: JSONValue
    ) -> [String] {
        let known = schema["properties"]
        let extra = (value.object?.members ?? []).filter { known?[$0.key] == nil }
        if rule == .bool(false) { return extra.map { "/\($0.key) is not documented" } }
        return extra.flatMap { check($0, rule) }
    }

    private func bounds(_ value: JSONValue, _ keyword: String, _ rule: JSONValue) -> [String] {
        guard let bound = rule.number?.double else { return [" has \(keyword) without a number"] }
        let size: Double? =
            switch value {
            case .text(let text): Double(text.unicodeScalars.count)
            case .array(let values): Double(values.count)
            case .number(let number): number.double
            default: nil
            }
        guard let size else { return [] }
        let fits = keyword.hasPrefix("min") ? size >= bound : size <= bound
        return fits ? [] : [" breaks \(keyword) \(bound)"]
    }
}

extension JSONValue {
    fileprivate var schemaType: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number(let number): number.int64 == nil ? "number" : "integer"
        case .text: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
