import JSONBytes
import School

/// The calls, in groups by what one wants to do.
extension DocumentPage {
    struct Operation {
        let method: String
        let path: String
        let value: JSONValue

        var id: String { value["operationId"]?.text ?? "" }
        var standings: [String] { (value["x-standings"]?.array ?? []).compactMap(\.text) }
    }

    struct Group {
        let tag: String
        let title: String
        let text: String
        var operations: [Operation]

        var id: String { "calls-\(tag.lowercased())" }
    }

    /// What one wants to do with the calls of a feature.
    private static let titles: [String: String] = [
        "Access": "Sign in and manage passwords", "Directory": "Run the directory",
        "Imports": "Import from your information system", "Licences": "Hand out apps and books",
        "Catalog": "Publish and find what apps offer", "Handouts": "Give and do homework",
        "Activities": "Report progress from an app", "Reports": "See progress",
        "Exports": "Fetch the nightly export", "Audit": "See who did what",
        "Records": "Handle one person's data, check the directory",
        "Documents": "Read the document, watch the service",
    ]

    func groups() -> [Group] {
        var groups = (document["tags"]?.array ?? []).map { tag -> Group in
            let name = tag["name"]?.text ?? ""
            return Group(
                tag: name, title: Self.titles[name] ?? name,
                text: tag["description"]?.text ?? "", operations: [])
        }
        for path in document["paths"]?.object?.members ?? [] {
            for method in path.value.object?.members ?? [] {
                let tag = method.value["tags"]?[0]?.text ?? ""
                guard let index = groups.firstIndex(where: { $0.tag == tag }) else { continue }
                groups[index].operations.append(
                    Operation(
                        method: method.key.uppercased(), path: path.key, value: method.value))
            }
        }
        return groups
    }

    mutating func write(_ group: Group) {
        html += "<section id=\"\(group.id)\"><h2>\(escaped(group.title))</h2>\n"
        html += "<p>\(escaped(group.text))</p>\n"
        for operation in group.operations { write(operation) }
        html += "</section>\n"
    }

    private mutating func write(_ operation: Operation) {
        let value = operation.value
        html +=
            "<article class=\"card call\" id=\"\(operation.id)\">\n<h3>\(text(value["summary"]))</h3>\n"
        html +=
            "<p><code class=\"path\"><b>\(operation.method)</b> \(escaped(operation.path))</code></p>\n"
        if operation.standings.isEmpty {
            let isOpen = value["security"]?.array?.isEmpty == true
            html += "<p class=\"who\"><span class=\"tag tag-line\">"
            html += isOpen ? "anyone" : "app developer"
            html += "</span></p>\n"
        } else {
            html += "<p class=\"who\">"
            for standing in operation.standings {
                html += "<span class=\"tag\">\(escaped(standing))</span> "
            }
            html += "</p>\n"
        }
        html += "<pre class=\"curl\"><code>\(escaped(curl(operation)))</code></pre>\n"
        html += "<details class=\"fold\"><summary>Parameters, body and answers</summary>\n"
        writeParameters(of: value, in: "query", caption: "Query")
        writeParameters(of: value, in: "header", caption: "Header")
        writeBody(of: value)
        writeAnswers(of: value)
        html += "</details></article>\n"
    }

    /// A call for a shell, with an example of the body.
    private func curl(_ operation: Operation) -> String {
        var line = "curl -sS"
        if operation.method != "GET", operation.method != "POST" {
            line += " -X \(operation.method)"
        }
        line += " \"$URL\(shellPath(operation.path))\(requiredQuery(operation.value))\""
        let isOpen = operation.value["security"]?.array?.isEmpty == true
        if !isOpen { line += " \\\n    -H \"Authorization: Bearer $TOKEN\"" }
        guard let content = operation.value["requestBody"]?["content"]?.object?.members.first else {
            return operation.method == "POST"
                ? line.replacingFirst("curl -sS", "curl -sS -X POST") : line
        }
        switch content.key {
        case "application/json":
            let body = shellQuoted(content.value["example"].map { "\($0)" } ?? "{}")
            line += " \\\n    --json \(body)"
        case "application/x-www-form-urlencoded":
            for member in content.value["example"]?.object?.members ?? [] {
                line += " \\\n    -d \(member.key)=\(shellQuoted(member.value.text ?? ""))"
            }
        default: line += " \\\n    -H 'Content-Type: \(content.key)' --data-binary @FILE"
        }
        return line
    }

    /// The path with its parameters as variables of the shell.
    private func shellPath(_ path: String) -> String {
        path.split(separator: "{", omittingEmptySubsequences: false).enumerated().map {
            index, part in
            guard index > 0, let end = part.firstIndex(of: "}") else { return String(part) }
            return "$\(part[..<end].uppercased())\(part[part.index(after: end)...])"
        }.joined()
    }

    private func requiredQuery(_ operation: JSONValue) -> String {
        let needed = (operation["parameters"]?.array ?? []).filter {
            $0["in"]?.text == "query" && $0["required"] == true
        }
        guard !needed.isEmpty else { return "" }
        return "?"
            + needed.map { parameter in
                let words = resolved(parameter["schema"])?["enum"]?.array?.compactMap(\.text)
                let name = parameter["name"]?.text ?? ""
                return "\(name)=\(words?.first ?? "$\(name.uppercased())")"
            }.joined(separator: "&")
    }

    /// A schema, or the component that it refers to.
    private func resolved(_ schema: JSONValue?) -> JSONValue? {
        guard let name = schema?["$ref"]?.text?.split(separator: "/").last else { return schema }
        return document["components"]?["schemas"]?[String(name)]
    }

    private func shellQuoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''") + "'"
    }

    private mutating func writeBody(of operation: JSONValue) {
        guard let content = operation["requestBody"]?["content"]?.object?.members.first else {
            return
        }
        html += "<p>Body: <code>\(escaped(content.key))</code> "
        html += "\(describe(content.value["schema"]))</p>\n"
    }

    private mutating func writeAnswers(of operation: JSONValue) {
        beginTable("Answer", "Body", "Meaning")
        for answer in operation["responses"]?.object?.members ?? [] {
            let name = answer.value["$ref"]?.text?.split(separator: "/").last.map(String.init)
            let response =
                name.flatMap { document["components"]?["responses"]?[$0] } ?? answer.value
            let content = response["content"]?.object?.members ?? []
            let kinds = content.map {
                "\(describe($0.value["schema"])) <span class=\"soft\">\(escaped($0.key))</span>"
            }
            row(
                answer.key, kinds.joined(separator: ", "),
                response["description"]?.text ?? "", isRequired: false)
        }
        endTable()
    }

    private mutating func writeParameters(
        of operation: JSONValue, in place: String, caption: String
    ) {
        let parameters = (operation["parameters"]?.array ?? []).filter { $0["in"]?.text == place }
        guard !parameters.isEmpty else { return }
        beginTable(caption, "Type", "Meaning")
        for parameter in parameters {
            row(
                parameter["name"]?.text ?? "", describe(parameter["schema"]),
                parameter["description"]?.text ?? "", isRequired: parameter["required"] == true)
        }
        endTable()
    }
}

extension String {
    fileprivate func replacingFirst(_ prefix: String, _ other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}
