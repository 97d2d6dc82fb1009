import JSONBytes
import School

/// The API document as a page for people: plain HTML without scripts, made once from the document itself.
struct DocumentPage {
    private let document: JSONValue
    private var html = ""

    init(document: JSONValue) {
        self.document = document
    }

    /// The whole page.
    static func bytes(of document: JSONValue) -> [UInt8] {
        var page = DocumentPage(document: document)
        page.write()
        return Array(page.html.utf8)
    }

    private mutating func write() {
        html += """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Homeroom: the HTTP API</title><style>\(Self.style)</style></head><body><main>
            <h1>Homeroom: the HTTP API</h1>
            <p>\(text(document["info"]?["description"]))
            The same as a document for programs: <a href="/openapi.json">/openapi.json</a>.</p>

            """
        let groups = groupedOperations()
        html += "<nav><ul>"
        for group in groups {
            html += "<li><a href=\"#\(escaped(group.tag))\">\(escaped(group.tag))</a></li>"
        }
        html += "</ul></nav>\n"
        for group in groups {
            html += "<h2 id=\"\(escaped(group.tag))\">\(escaped(group.tag))</h2>\n"
            for operation in group.operations { write(operation) }
        }
        html += "<h2 id=\"shapes\">Shapes</h2>\n"
        for schema in document["components"]?["schemas"]?.object?.members ?? [] {
            html += "<h3 id=\"\(escaped(schema.key))\">\(escaped(schema.key))</h3>\n"
            writeFields(of: schema.value)
        }
        html += "</main></body></html>\n"
    }

    private struct Operation {
        let method: String
        let path: String
        let value: JSONValue
    }

    private func groupedOperations() -> [(tag: String, operations: [Operation])] {
        var groups: [(tag: String, operations: [Operation])] = []
        for path in document["paths"]?.object?.members ?? [] {
            for method in path.value.object?.members ?? [] {
                let tag = method.value["tags"]?[0]?.text ?? ""
                let operation = Operation(
                    method: method.key.uppercased(), path: path.key, value: method.value)
                if let index = groups.firstIndex(where: { $0.tag == tag }) {
                    groups[index].operations.append(operation)
                } else {
                    groups.append((tag, [operation]))
                }
            }
        }
        return groups
    }

    private mutating func write(_ operation: Operation) {
        let value = operation.value
        html += "<section><h3><code>\(operation.method) \(escaped(operation.path))</code></h3>\n"
        html += "<p>\(text(value["summary"]))</p>\n"
        let standings = (value["x-standings"]?.array ?? []).compactMap(\.text)
        if !standings.isEmpty {
            html += "<p class=\"who\">For: \(escaped(standings.joined(separator: ", ")))</p>\n"
        }
        writeParameters(of: value, in: "query", caption: "Query")
        writeParameters(of: value, in: "header", caption: "Header")
        if let content = value["requestBody"]?["content"]?.object?.members.first {
            html += "<p>Body: <code>\(escaped(content.key))</code> "
            html += "\(describe(content.value["schema"]))</p>\n"
        }
        html += "<table><caption>Answers</caption>"
        for answer in value["responses"]?.object?.members ?? [] {
            let name = answer.value["$ref"]?.text?.split(separator: "/").last.map(String.init)
            let response =
                name.flatMap { document["components"]?["responses"]?[$0] } ?? answer.value
            let schema = response["content"]?.object?.members.first?.value["schema"]
            row(
                answer.key, schema.map { describe($0) } ?? "",
                response["description"]?.text ?? "", isRequired: false)
        }
        html += "</table></section>\n"
    }

    private mutating func writeParameters(
        of operation: JSONValue, in place: String, caption: String
    ) {
        let parameters = (operation["parameters"]?.array ?? []).filter { $0["in"]?.text == place }
        guard !parameters.isEmpty else { return }
        html += "<table><caption>\(caption)</caption>"
        for parameter in parameters {
            row(
                parameter["name"]?.text ?? "", describe(parameter["schema"]),
                parameter["description"]?.text ?? "", isRequired: parameter["required"] == true)
        }
        html += "</table>\n"
    }

    private mutating func writeFields(of schema: JSONValue) {
        guard let properties = schema["properties"]?.object else {
            html += "<p>\(describe(schema))</p>\n"
            return
        }
        let required = (schema["required"]?.array ?? []).compactMap(\.text)
        html += "<table>"
        for property in properties.members {
            row(
                property.key, describe(property.value),
                property.value["description"]?.text ?? "",
                isRequired: required.contains(property.key))
        }
        html += "</table>\n"
    }

    /// - Parameter kind: HTML already.
    private mutating func row(
        _ name: String, _ kind: String, _ meaning: String, isRequired: Bool
    ) {
        html += "<tr><th><code>\(escaped(name))</code>\(isRequired ? " <b>needed</b>" : "")</th>"
        html += "<td>\(kind)</td><td>\(escaped(meaning))</td></tr>"
    }

    /// A schema in a few words, named ones as links.
    private func describe(_ schema: JSONValue?) -> String {
        guard let schema else { return "anything" }
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            return "<a href=\"#\(escaped(String(name)))\">\(escaped(String(name)))</a>"
        }
        if let choices = schema["anyOf"]?.array ?? schema["oneOf"]?.array {
            return choices.map { describe($0) }.joined(separator: " or ")
        }
        if let words = schema["enum"]?.array {
            return words.compactMap(\.text).map { "<code>\(escaped($0))</code>" }
                .joined(separator: ", ")
        }
        guard let type = schema["type"]?.text else { return "anything" }
        if type == "array" { return "list of \(describe(schema["items"]))" }
        return escaped(schema["format"]?.text ?? type)
    }

    private func text(_ value: JSONValue?) -> String { escaped(value?.text ?? "") }

    private func escaped(_ text: String) -> String { htmlEscaped(text) }

    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1c1c1e;background:#fff}
        main{max-width:56rem;margin:0 auto;padding:1rem}
        h2{margin-top:2.5rem;border-bottom:1px solid #d1d1d6}
        h3{margin:1.5rem 0 .25rem}section p{margin:.25rem 0}
        code{font:.9em ui-monospace,monospace}.who{color:#515154}
        table{border-collapse:collapse;width:100%;margin:.5rem 0}caption{text-align:left;color:#515154}
        th,td{text-align:left;vertical-align:top;padding:.2rem .5rem;border-top:1px solid #e5e5ea}
        th{font-weight:normal;width:16rem}b{color:#a2000e;font-weight:600;font-size:.8em}
        nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0}
        @media(prefers-color-scheme:dark){body{color:#f2f2f7;background:#1c1c1e}a{color:#64a8ff}
        .who,caption{color:#aeaeb2}th,td{border-color:#3a3a3c}h2{border-color:#48484a}b{color:#ff8a80}}
        """
}
