import JSONBytes

extension Shape {
    /// An example value of this shape for the API document.
    ///
    /// - Parameters:
    ///   - name: the name of the field, to choose among the examples.
    ///   - owner: the object that has the field.
    package func example(
        of name: String = "", in owner: String = "", from examples: [String: JSONValue]
    ) -> JSONValue {
        for key in ["\(owner).\(name)", name] {
            if let example = examples[key], check(example).isEmpty { return example }
        }
        return switch self {
        case .text(let range, _):
            .text(String(repeating: "x", count: max(1, min(range.lowerBound, 100))))
        case .integer(let range): .int(range.contains(1) ? 1 : range.lowerBound)
        case .number(let range): .double(range.contains(0.5) ? 0.5 : range.lowerBound)
        case .boolean: true
        case .uuid: "01987a3c-5f2e-7c31-9a44-3f1be27d0c55"
        case .timestamp: "2026-09-14T08:00:00.000Z"
        case .day: "2026-09-14"
        case .form(let form): .text(form.example)
        case .word(let words): .text(words.first ?? "")
        case .array(let element, let count):
            .array(
                Array(
                    repeating: element.example(of: name, in: owner, from: examples),
                    count: min(max(1, count.lowerBound), count.upperBound)))
        case .object(let shape): shape.example(from: examples)
        case .variant(_, _, let variants): variants[0].shape.example(from: examples)
        case .either(let first, _): first.example(of: name, in: owner, from: examples)
        case .orNull(let shape): shape.example(of: name, in: owner, from: examples)
        case .map, .anything: .object(JSONObject([]))
        }
    }
}

extension ObjectShape {
    /// An object with its required fields, and the optional ones that have an example.
    fileprivate func example(from examples: [String: JSONValue]) -> JSONValue {
        let shown = fields.filter { $0.isRequired || examples["\(name).\($0.name)"] != nil }
        return .object(
            JSONObject(
                shown.map { ($0.name, $0.shape.example(of: $0.name, in: name, from: examples)) }))
    }
}
