import API
import JSONBytes

/// The calls, grouped by purpose.
extension DocumentPage {
    struct Operation {
        let method: String
        let path: String
        let value: JSONValue

        var id: String { value["operationId"]?.text ?? "" }
        var isOpen: Bool { value["security"]?.array?.isEmpty == true }

        /// The standings that may call it; calls for developers and for anyone have none.
        var capacities: [String] {
            if isOpen { return ["anyone"] }
            let standings = (value["x-standings"]?.array ?? []).compactMap(\.text)
            return standings.isEmpty ? ["developer"] : standings
        }
    }

    struct Group {
        let tag: String
        let title: String
        let text: String
        var operations: [Operation]

        var id: String { "calls-\(tag.lowercased())" }
    }

    /// The purpose of each feature's calls.
    private static let titles: [String: String] = [
        "Access": "Sign in and manage passwords", "Directory": "Run the directory",
        "Imports": "Import from your information system", "Licences": "Hand out apps and books",
        "Catalog": "Publish and find what apps offer", "Handouts": "Give and do homework",
        "Activities": "Report progress from an app", "Reports": "See progress",
        "Privileges": "Let teachers make classes and reset passwords",
        "Exports": "Fetch the nightly export", "Audit": "See who did what",
        "Changes": "Keep up with what changes",
        "Retention": "Say how long data is kept",
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
        writeIndex(of: group.operations)
        for operation in group.operations { write(operation) }
        html += "</section>\n"
    }

    private mutating func write(_ operation: Operation) {
        let value = operation.value
        html +=
            "<article class=\"card call\" id=\"\(operation.id)\">\n<h3>\(text(value["summary"]))</h3>\n"
        html +=
            "<p><code class=\"path\"><b>\(operation.method)</b> \(escaped(operation.path))</code></p>\n"
        if let description = value["description"]?.text {
            html += "<p>\(marked(description))</p>\n"
        }
        html += "<p class=\"who\"><span class=\"soft\">For</span> "
        for name in operation.capacities { html += "<span class=\"tag\">\(escaped(name))</span> " }
        html += "</p>\n"
        html +=
            "<div class=\"curl\"><pre><code>\(escaped(CurlExample(operation, document).text))</code></pre></div>\n"
        html += "<details class=\"fold\"><summary>Parameters, body and answers</summary>\n"
        writeParameters(of: value, in: "query", caption: "Query")
        writeParameters(of: value, in: "header", caption: "Header")
        writeBody(of: value)
        writeAnswers(of: value)
        html += "</details></article>\n"
    }

    private mutating func writeBody(of operation: JSONValue) {
        guard let content = operation["requestBody"]?["content"]?.object?.members.first else {
            return
        }
        html += "<p>Body: <code>\(escaped(content.key))</code> "
        html += "\(describe(content.value["schema"]))</p>\n"
    }

    private mutating func writeAnswers(of operation: JSONValue) {
        beginTable("Answers", "Answer", "Body", "Meaning")
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
        of operation: JSONValue, in kind: String, caption: String
    ) {
        let parameters = (operation["parameters"]?.array ?? []).filter { $0["in"]?.text == kind }
        guard !parameters.isEmpty else { return }
        beginTable("\(caption) parameters", caption, "Type", "Meaning")
        for parameter in parameters {
            row(
                parameter["name"]?.text ?? "", describe(parameter["schema"]),
                parameter["description"]?.text ?? "", isRequired: parameter["required"] == true)
        }
        endTable()
    }
}
