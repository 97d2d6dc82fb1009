import API
import JSONBytes

/// Writes tables, descriptions of schemas, and text as HTML.
extension DocumentPage {
    /// Begins a table. On phones its rows are stacked, which hides the table from screen readers; so the roles are
    /// stated.
    mutating func beginTable(_ name: String, _ heads: String...) {
        html +=
            "<div class=\"table-box\"><table class=\"table\" role=\"table\" aria-label=\"\(escaped(name))\">"
        html += "<thead role=\"rowgroup\"><tr role=\"row\">"
        for head in heads {
            html += "<th scope=\"col\" role=\"columnheader\">\(escaped(head))</th>"
        }
        html += "</tr></thead><tbody role=\"rowgroup\">"
    }

    mutating func endTable() { html += "</tbody></table></div>\n" }

    /// - Parameter kind: already HTML.
    mutating func row(_ name: String, _ kind: String, _ meaning: String, isRequired: Bool) {
        html +=
            "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\"><code>\(escaped(name))</code>"
        html += isRequired ? " <span class=\"tag tag-warn\">required</span></th>" : "</th>"
        html += "<td role=\"cell\">\(kind)</td><td role=\"cell\">\(marked(meaning))</td></tr>"
    }

    /// Describes a schema in a few words, with named schemas as links.
    func describe(_ schema: JSONValue?) -> String {
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
        if type == "null" { return "<code>null</code>" }
        if type == "array" { return "list of \(describe(schema["items"]))" }
        return escaped(schema["format"]?.text ?? type)
    }

    /// Text with `code` between backticks and **strong** words.
    func marked(_ text: String) -> String {
        var html = ""
        let parts = escaped(text).split(separator: "`", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            html += index.isMultiple(of: 2) ? String(part) : "<code>\(part)</code>"
        }
        return html
    }

    func text(_ value: JSONValue?) -> String { escaped(value?.text ?? "") }

    func escaped(_ text: String) -> String { htmlEscaped(text) }
}
