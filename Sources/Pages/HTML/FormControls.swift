import JSONBytes

/// What a form asks for: the fields in which people type, the names of what they choose from, and the words on its
/// buttons. With it, the form can be shown again without the page that it stood on.
struct FormControls: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        let name: String
        let label: String
        /// The type of the input, or `textarea`.
        let kind: String

        /// Never shown again, and never sent anywhere but where the form goes.
        var isSecret: Bool { kind == "password" }
        var isFile: Bool { kind == "file" }
    }

    struct Button: Sendable, Equatable {
        /// Empty if the button sends nothing itself.
        let name: String
        let value: String
        let words: String
    }

    private(set) var fields: [Field] = []
    /// The names of boxes and lists.
    private(set) var choices: [String] = []
    private(set) var buttons: [Button] = []

    private static let typedKinds: Set<String> = [
        "text", "textarea", "email", "url", "tel", "number", "date", "time", "datetime-local",
        "search", "password", "file",
    ]

    /// Whether there is anything to type or to choose.
    var isEmpty: Bool { fields.isEmpty && choices.isEmpty }

    /// Reads the content of a form.
    init(of content: [HTML]) {
        var labels: [String: String] = [:]
        for part in content { part.collectLabels(into: &labels) }
        for part in content { read(part, labels, inside: nil) }
    }

    private mutating func read(_ part: HTML, _ labels: [String: String], inside label: String?) {
        switch part {
        case .parts(let parts): for part in parts { read(part, labels, inside: label) }
        case .element(let element):
            take(element, labels, inside: label)
            let words = element.isNamed("label") ? part.plainText : label
            // What stands in a text field or a list is not part of the form's structure.
            guard !element.isNamed("textarea"), !element.isNamed("select") else { return }
            for inner in element.content ?? [] { read(inner, labels, inside: words) }
        case .nothing, .text, .markup, .once: break
        }
    }

    private mutating func take(
        _ element: HTML.Element, _ labels: [String: String], inside label: String?
    ) {
        let name = element["name"] ?? ""
        if element.isNamed("button") {
            let words = HTML.element(element).plainText
            guard element["type"] ?? "submit" == "submit", !words.isEmpty else { return }
            buttons.append(Button(name: name, value: element["value"] ?? "", words: words))
            return
        }
        guard !name.isEmpty else { return }
        let isArea = element.isNamed("textarea")
        if isArea || element.isNamed("input") {
            let kind = isArea ? "textarea" : element["type"] ?? "text"
            if Self.typedKinds.contains(kind) {
                let words =
                    element["id"].flatMap { labels[$0] } ?? element["aria-label"] ?? label ?? ""
                fields.append(Field(name: name, label: words, kind: kind))
            } else if kind == "checkbox" || kind == "radio" {
                addChoice(name)
            }
        } else if element.isNamed("select") {
            addChoice(name)
        }
    }

    private mutating func addChoice(_ name: String) {
        if !choices.contains(name) { choices.append(name) }
    }

    // MARK: As a document

    var document: JSONValue {
        [
            "fields": .array(
                fields.map { .array([.text($0.name), .text($0.label), .text($0.kind)]) }),
            "choices": .array(choices.map { .text($0) }),
            "buttons": .array(
                buttons.map { .array([.text($0.name), .text($0.value), .text($0.words)]) }),
        ]
    }

    init(_ document: JSONValue) {
        fields = (document["fields"]?.array ?? []).compactMap { field in
            guard let name = field[0]?.text, let label = field[1]?.text, let kind = field[2]?.text,
                Self.typedKinds.contains(kind)
            else { return nil }
            return Field(name: name, label: label, kind: kind)
        }
        choices = (document["choices"]?.array ?? []).compactMap(\.text)
        buttons = (document["buttons"]?.array ?? []).compactMap { button in
            guard let name = button[0]?.text, let value = button[1]?.text,
                let words = button[2]?.text
            else { return nil }
            return Button(name: name, value: value, words: words)
        }
    }
}

extension HTML {
    /// What a reader reads of it, in one line.
    var plainText: String {
        var text = ""
        appendText(to: &text)
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func appendText(to all: inout String) {
        switch self {
        case .text(let text): all += text
        case .parts(let parts): for part in parts { part.appendText(to: &all) }
        case .element(let element):
            // Icons and hints of a label are not its name.
            guard !element.isNamed("svg"), element["class"] != "hint" else { return }
            for part in element.content ?? [] { part.appendText(to: &all) }
        case .nothing, .markup, .once: break
        }
    }

    func collectLabels(into labels: inout [String: String]) {
        switch self {
        case .parts(let parts): for part in parts { part.collectLabels(into: &labels) }
        case .element(let element):
            if element.isNamed("label"), let id = element["for"] { labels[id] = plainText }
            for part in element.content ?? [] { part.collectLabels(into: &labels) }
        case .nothing, .text, .markup, .once: break
        }
    }
}
