import HTTPWire
import JSONBytes

/// One field of a form about a record of the API; its id is the name of the record's field.
struct RecordField: Sendable {
    enum Control: Sendable {
        case text
        case number
        case day
        case area
        case choice([(value: String, text: String)])
    }

    let id: String
    let label: String
    var hint: String?
    var control = Control.text
    /// Whether it is sent even if it is empty; what is optional goes back to its default then.
    var isRequired = false
}

/// What a form about a record holds: what was read or typed, and the version that was read.
struct RecordForm: Sendable {
    let fields: [RecordField]
    private let values: [String: String]
    /// So that nobody's changes are lost; empty for a new record.
    let tag: String

    /// A form that is empty but for some values.
    init(_ fields: [RecordField], values: [String: String] = [:]) {
        self.fields = fields
        self.values = values
        tag = ""
    }

    init(_ fields: [RecordField], of record: JSONValue, tag: String) {
        self.fields = fields
        self.tag = tag
        var values: [String: String] = [:]
        for field in fields {
            values[field.id] =
                record[field.id]?.text ?? record[field.id]?.int64.map { "\($0)" }
        }
        self.values = values
    }

    /// - Parameter form: what was sent.
    init(_ fields: [RecordField], _ form: Form) {
        self.fields = fields
        tag = form["version"]
        var values: [String: String] = [:]
        for field in fields { values[field.id] = String(form[field.id].trimmed) }
        self.values = values
    }

    subscript(id: String) -> String { values[id] ?? "" }

    /// The header fields that keep others' changes.
    var conditions: [(name: String, value: String)] {
        tag.isEmpty ? [] : [(name: "If-Match", value: tag)]
    }

    /// The body of `POST`, or of `PATCH`, in which an emptied field goes back to its default.
    func body(isNew: Bool) -> JSONObject {
        var body = JSONObject()
        for field in fields {
            let text = self[field.id]
            if text.isEmpty, !field.isRequired {
                if !isNew { body[field.id] = .null }
                continue
            }
            if case .number = field.control, let number = Int64(text) {
                body[field.id] = JSONValue(integerLiteral: number)
            } else {
                body[field.id] = .text(text)
            }
        }
        return body
    }

    /// What the API found wrong, in words beside the fields.
    ///
    /// - Parameter words: for codes, or fields such as `/country`, of which there is more to say than that a value is
    ///   wrong; where a problem does not name a field, they stand beside the first.
    func problems(
        _ refusal: Refusal, _ texts: Texts, _ words: [String: String] = [:]
    ) throws -> FormProblems {
        var problems = FormProblems()
        let first = fields.first?.id ?? ""
        for (pointer, code) in refusal.fields.sorted(by: { $0.key < $1.key }) {
            let name = pointer.split(separator: "/").first.map(String.init)
            let id = fields.first { $0.id == name }?.id ?? first
            guard problems[id] == nil else { continue }
            problems.add(id, words[code] ?? words["/\(id)"] ?? text(id, code, texts))
        }
        if problems.isEmpty, let text = refusal.code.flatMap({ words[$0] }) {
            problems.add(first, text)
        }
        guard !problems.isEmpty else { throw refusal }
        return problems
    }

    private func text(_ id: String, _ code: String, _ texts: Texts) -> String {
        if self[id].isEmpty { return texts(ConsoleText.errorMissing) }
        if code.hasSuffix("_taken") { return texts(ConsoleText.errorTaken) }
        return texts(code == "wrong_length" ? ConsoleText.errorTooLong : .errorWrong)
    }

    /// The fields, one below the other.
    func html(_ problems: FormProblems) -> HTML {
        parts {
            for field in fields { control(field, problems[field.id]) }
        }
    }

    private func control(_ item: RecordField, _ problem: String?) -> HTML {
        let value = self[item.id]
        switch item.control {
        case .text:
            return field(
                item.id, label: item.label, hint: item.hint, problem: problem, .value(value),
                .dirAuto)
        case .number:
            return field(
                item.id, label: item.label, hint: item.hint, problem: problem,
                style: "input input-short", .value(value),
                Attribute("inputmode", "numeric"))
        case .day:
            return field(
                item.id, label: item.label, hint: item.hint, problem: problem,
                style: "input input-short", .type("date"), .value(value))
        case .area: return area(item, problem)
        case .choice(let options):
            return Console.choice(
                item.id, label: item.label, options, chosen: value, problem: problem)
        }
    }

    private func area(_ item: RecordField, _ problem: String?) -> HTML {
        let notes = [
            item.hint == nil ? nil : "\(item.id)-hint",
            problem == nil ? nil : "\(item.id)-problem",
        ]
        return div(.class(problem == nil ? "field" : "field field-bad")) {
            label(.for(item.id)) { item.label }
            if let hint = item.hint { p(.class("hint"), .id("\(item.id)-hint")) { hint } }
            if let problem {
                p(.class("problem"), .id("\(item.id)-problem")) {
                    Icon.warn.html
                    problem
                }
            }
            textarea(
                .class("input"), .id(item.id), .name(item.id),
                .describedBy(notes.compactMap { $0 }.joined(separator: " ").nilIfEmpty),
                Attribute("aria-invalid", problem == nil ? nil : "true")
            ) { self[item.id] }
        }
    }
}

/// The words on a page with a form about one record.
struct RecordPage: Sendable {
    let title: String
    /// Whether the record is not there yet.
    var isNew = true
    let errorTitle: String
    let buttonText: String
    let action: LocalPath
    let back: LocalPath
    var crumbs: [(path: LocalPath, name: HTML)] = []
    /// What it is for, below the title.
    var intro = ""

    func view(
        _ form: RecordForm, _ problems: FormProblems, _ visit: Visit,
        more: HTML = .nothing
    ) -> View {
        let texts = visit.texts
        let content = parts {
            form.html(problems)
            more
            div(.class("row")) {
                button(.class("button button-main"), .type("submit")) { buttonText }
                a(.class("button"), .href(back)) { texts(ConsoleText.cancel) }
            }
        }
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                Console.crumbs(texts, crumbs)
                heading(title, below: .text(intro))
            }
            problems.summary(errorTitle)
            if isNew {
                postForm(visit, action, .class("card reading stack")) { content }
            } else {
                editForm(visit, action, version: form.tag, .class("card reading stack")) { content }
            }
        }
    }
}
