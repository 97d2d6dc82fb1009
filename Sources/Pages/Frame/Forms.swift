/// A form that changes something. It always carries the token against forgery.
func postForm(
    _ visit: Visit, _ action: LocalPath, _ attributes: Attribute...,
    @HTMLBuilder content: () -> [HTML]
) -> HTML {
    let own = [Attribute("method", "post"), Attribute("action", action.text)]
    let content = content()
    return Tag("form")(all: own + attributes) {
        HTML.parts(content)
        // After the fields, because the style sheet sets the first thing in a card apart from the others.
        input(.type("hidden"), .name(FormKey.field), .value(visit.token(for: content)))
    }
}

/// The same for a form that changes something that is there, which somebody else may change meanwhile: it says what it
/// was filled with (`Turn+merging.swift`).
///
/// - Parameter version: the entity tag of what it was filled with; empty where there is none.
func editForm(
    _ visit: Visit, _ action: LocalPath, version: String, _ attributes: Attribute...,
    @HTMLBuilder content: () -> [HTML]
) -> HTML {
    let own = [Attribute("method", "post"), Attribute("action", action.text)]
    let content = content() + [input(.type("hidden"), .name("version"), .value(version))]
    let filled = visit.filled ?? FormContent(of: content).filled
    return Tag("form")(all: own + attributes) {
        HTML.parts(content)
        input(
            .type("hidden"), .name(FormKey.field),
            .value(visit.token(for: content, filled: filled, at: visit.filledAt)))
    }
}

/// A form with a file. The token comes first, so that nothing is received of a file that is not wanted.
func uploadForm(
    _ visit: Visit, _ action: LocalPath, @HTMLBuilder content: () -> [HTML]
) -> HTML {
    let content = content()
    return Tag("form")(
        Attribute("method", "post"), Attribute("action", action.text),
        Attribute("enctype", "multipart/form-data"), Attribute("data-upload")
    ) {
        input(.type("hidden"), .name(FormKey.field), .value(visit.token(for: content)))
        HTML.parts(content)
    }
}

/// A form that only asks: its fields become the query.
func getForm(
    _ action: LocalPath, _ attributes: Attribute..., @HTMLBuilder content: () -> [HTML]
) -> HTML {
    let own = [Attribute("method", "get"), Attribute("action", action.text)]
    return Tag("form")(all: own + attributes, content: content)
}

/// What is wrong with the fields of a form, in words for the person who filled it in.
struct FormProblems: Sendable {
    /// The id of the field, and the sentence.
    private(set) var items: [(field: String, text: String)] = []

    static let none = FormProblems()

    var isEmpty: Bool { items.isEmpty }

    mutating func add(_ field: String, _ text: String) { items.append((field, text)) }

    subscript(field: String) -> String? { items.first { $0.field == field }?.text }

    /// The box above the form, which takes the focus; its links lead to the fields.
    func summary(_ title: String) -> HTML {
        guard !isEmpty else { return .nothing }
        return div(
            .class("errors"), .role("alert"), .tabindex(-1), .autofocus,
            .labelledBy("errors-title")
        ) {
            h2(.id("errors-title")) { title }
            ul(.class("plain")) {
                for item in items { li { a(.href(part: item.field)) { item.text } } }
            }
        }
    }
}

/// A labelled field with its hint and what is wrong with it.
///
/// - Parameters:
///   - id: also the name under which its value is sent.
///   - style: the classes of the control.
///   - attributes: of the control beside `id`, `name` and what describes it.
func field(
    _ id: String, label text: String, hint: String? = nil, problem: String? = nil,
    style: String = "input", _ attributes: Attribute...
) -> HTML {
    let notes = [hint == nil ? nil : "\(id)-hint", problem == nil ? nil : "\(id)-problem"]
    let own: [Attribute] = [
        .class(style), .id(id), .name(id),
        .describedBy(notes.compactMap { $0 }.joined(separator: " ").nilIfEmpty),
        Attribute("aria-invalid", problem == nil ? nil : "true"),
    ]
    return div(.class(problem == nil ? "field" : "field field-bad")) {
        label(.for(id)) { text }
        if let hint { p(.class("hint"), .id("\(id)-hint")) { hint } }
        if let problem {
            p(.class("problem"), .id("\(id)-problem")) {
                Icon.warn.html
                problem
            }
        }
        input(all: own + attributes)
    }
}

extension String {
    var nilIfEmpty: String? { isEmpty ? nil : self }
}
