import JSONBytes

/// A call for the shell, with an example body, ready to paste. Values only the reader knows are variables in
/// capitals, such as `$ID`.
struct CurlExample {
    private let operation: DocumentPage.Operation
    private let document: JSONValue

    init(_ operation: DocumentPage.Operation, _ document: JSONValue) {
        self.operation = operation
        self.document = document
    }

    var text: String { ([firstLine] + moreLines).joined(separator: " \\\n    ") }

    private var body: (mediaType: String, content: JSONValue)? {
        (operation.value["requestBody"]?["content"]?.object?.members.first).map {
            ($0.key, $0.value)
        }
    }

    private var firstLine: String {
        // curl sends POST with a body, and GET without one.
        let implied = body == nil ? "GET" : "POST"
        let method = operation.method == implied ? "" : " -X \(operation.method)"
        let query = plainQuery.isEmpty ? "" : "?" + plainQuery.joined(separator: "&")
        return "curl -sS\(method) \"$URL\(path)\(query)\""
    }

    private var moreLines: [String] {
        var lines: [String] = []
        if !operation.isOpen { lines.append("-H \"Authorization: Bearer $TOKEN\"") }
        lines += fields.map { "-H \(quoted($0))" }
        if !codedQuery.isEmpty {
            lines.append(
                "--get "
                    + codedQuery.map { "--data-urlencode \(quoted($0))" }.joined(separator: " "))
        }
        if let file { lines.append("--output \(file)") }
        guard let body else { return lines }
        switch body.mediaType {
        case "application/json", "application/merge-patch+json", "application/scim+json":
            // --json would ask for JSON.
            if let answered, !answered.hasSuffix("json") {
                lines.append("-H 'Accept: \(answered)'")
            }
            lines.append("--json \(quoted(Self.spelled(body.content["example"] ?? [:])))")
        case "application/x-www-form-urlencoded":
            for member in body.content["example"]?.object?.members ?? [] {
                lines.append("-d \(quoted("\(member.key)=\(member.value.text ?? "")"))")
            }
        default:
            let name = body.mediaType == "application/zip" ? "archive.zip" : "picture.png"
            lines.append("-H 'Content-Type: \(body.mediaType)' --data-binary @\(name)")
        }
        return lines
    }

    // MARK: Address

    /// The path with its parameters as shell variables.
    private var path: String {
        operation.path.split(separator: "{", omittingEmptySubsequences: false).enumerated().map {
            index, part in
            guard index > 0, let end = part.firstIndex(of: "}") else { return String(part) }
            return "$\(part[..<end].uppercased())\(part[part.index(after: end)...])"
        }.joined()
    }

    /// The required parameters, each with its example if there is one.
    private var query: [(name: String, value: String?)] {
        (operation.value["parameters"]?.array ?? []).filter {
            $0["in"]?.text == "query" && $0["required"] == true
        }.map { parameter in
            let words = resolved(parameter["schema"])?["enum"]?.array?.first?.text
            return (parameter["name"]?.text ?? "", parameter["example"]?.text ?? words)
        }
    }

    /// The header fields that the call needs.
    private var fields: [String] {
        (operation.value["parameters"]?.array ?? []).filter {
            $0["in"]?.text == "header" && $0["required"] == true
        }.map { "\($0["name"]?.text ?? ""): \($0["example"]?.text ?? "")" }
    }

    private var plainQuery: [String] {
        query.filter { $0.value.map(Self.isPlain) ?? true }
            .map { "\($0.name)=\($0.value ?? "$\($0.name.uppercased())")" }
    }

    /// What has to be percent-encoded in a URL.
    private var codedQuery: [String] {
        query.compactMap { parameter in
            parameter.value.flatMap { Self.isPlain($0) ? nil : "\(parameter.name)=\($0)" }
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || "-._".utf8.contains($0)
        }
    }

    /// A schema, or the component that it refers to.
    private func resolved(_ schema: JSONValue?) -> JSONValue? {
        guard let name = schema?["$ref"]?.text?.split(separator: "/").last else { return schema }
        return document["components"]?["schemas"]?[String(name)]
    }

    /// The media type of the answer; the first if there are several.
    private var answered: String? {
        operation.value["responses"]?["200"]?["content"]?.object?.keys.first
    }

    /// The file to save an answer in that is not meant for a terminal.
    private var file: String? {
        switch answered {
        case "application/zip": "person.zip"
        case "application/gzip": "\"$NAME\""
        case "image/png": "picture"
        default: nil
        }
    }

    // MARK: Text

    private func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''") + "'"
    }

    /// JSON on one line if it is short, otherwise a line for each member, indented by four more spaces.
    static func spelled(_ value: JSONValue, indent: Int = 4) -> String {
        let line = onOneLine(value)
        guard line.count + indent > 72 else { return line }
        switch value {
        case .object(let object):
            let members = object.members.map {
                "\(JSONValue.text($0.key)): \(spelled($0.value, indent: indent + 4))"
            }
            return bracketed("{", members, "}", indent)
        case .array(let values):
            return bracketed("[", values.map { spelled($0, indent: indent + 4) }, "]", indent)
        default: return line
        }
    }

    private static func bracketed(
        _ open: String, _ members: [String], _ close: String, _ indent: Int
    ) -> String {
        let outer = "\n" + String(repeating: " ", count: indent)
        let inner = outer + "    "
        return open + inner + members.joined(separator: "," + inner) + outer + close
    }

    private static func onOneLine(_ value: JSONValue) -> String {
        switch value {
        case .object(let object):
            "{"
                + object.members.map { "\(JSONValue.text($0.key)): \(onOneLine($0.value))" }
                .joined(separator: ", ") + "}"
        case .array(let values): "[" + values.map(onOneLine).joined(separator: ", ") + "]"
        default: "\(value)"
        }
    }
}
