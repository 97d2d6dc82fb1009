import HTTPWire

/// What the fields of a form hold, read from the form as it is shown: what a browser sends if nobody touches it.
///
/// Two versions of one form are compared by it (`FormMerge`), whatever the form is about.
struct FormContent: Sendable {
    struct Control: Sendable {
        enum Kind: Sendable { case text, area, day, secret, box, choice, hidden }

        let name: String
        let kind: Kind
        let label: String
        /// What says one thing together has the same group.
        let group: String
        /// The field without which this one says nothing, such as the role of a location.
        let with: String?
        /// The words for each value of a choice or a box.
        fileprivate(set) var options: [(value: String, words: String)] = []
        fileprivate(set) var values: [String] = []

        /// Whether what was sent under its name belongs to it: of boxes with one name, each is a control of its own.
        func holds(_ item: QueryItem) -> Bool {
            item.name == name && (kind != .box || options.contains { $0.value == item.value })
        }
    }

    /// What a form was filled with.
    struct Filled: Sendable, Equatable {
        let name: String
        let value: String
        let group: String
    }

    private(set) var controls: [Control] = []
    /// What groups are called that say so.
    private(set) var titles: [String: String] = [:]
    /// What it means that nothing in the group is chosen, where that means something.
    private(set) var emptyWords: [String: String] = [:]

    /// Fields that people change: neither hidden nor secret.
    var changeable: [Control] { controls.filter { $0.kind != .hidden && $0.kind != .secret } }

    var filled: [Filled] {
        changeable.flatMap { control in
            control.values.map { Filled(name: control.name, value: $0, group: control.group) }
        }
    }

    /// Where a control stands.
    private struct Place {
        var label: String?
        var legend: String?
        var group: String?
        var with: String?
    }

    /// Reads the content of a form.
    init(of content: [HTML]) {
        var labels: [String: String] = [:]
        for part in content { part.collectLabels(into: &labels) }
        for part in content { read(part, labels, Place()) }
    }

    private mutating func read(_ part: HTML, _ labels: [String: String], _ place: Place) {
        switch part {
        case .parts(let parts): for part in parts { read(part, labels, place) }
        case .element(let element):
            var inner = place
            if element.isNamed("label") { inner.label = part.plainText }
            if element.isNamed("fieldset") { inner.legend = part.legendText }
            if let group = element[Attribute.togetherName] {
                inner.group = group
                titles[group] = element[Attribute.meaningName] ?? inner.legend
                emptyWords[group] = element[Attribute.emptyName]
            }
            if let with = element[Attribute.withName] { inner.with = with }
            take(element, labels, inner)
            guard !element.isNamed("textarea"), !element.isNamed("select") else { return }
            for part in element.content ?? [] { read(part, labels, inner) }
        case .nothing, .text, .markup, .once: break
        }
    }

    private mutating func take(
        _ element: HTML.Element, _ labels: [String: String], _ place: Place
    ) {
        guard let name = element["name"], !name.isEmpty, name != FormKey.field,
            let kind = Control.Kind(element)
        else { return }
        let value = element["value"] ?? ""
        let words = element["id"].flatMap { labels[$0] } ?? element["aria-label"] ?? place.label
        let isRadio = element["type"] == "radio"
        if isRadio, let known = controls.firstIndex(where: { $0.name == name }) {
            controls[known].add(value, words ?? value, isChosen: element.has("checked"))
            return
        }
        var control = Control(
            name: name, kind: kind, label: (isRadio ? place.legend : words) ?? place.legend ?? "",
            group: place.group ?? (kind == .box ? "\(name)=\(value)" : name), with: place.with)
        switch kind {
        case .box: control.add(value, words ?? value, isChosen: element.has("checked"))
        case .choice where isRadio:
            control.add(value, words ?? value, isChosen: element.has("checked"))
        case .choice: control.addOptions(of: element)
        case .area: control.values = [HTML.element(element).areaText]
        case .text, .day, .hidden: control.values = [value]
        case .secret: break
        }
        controls.append(control)
    }
}

extension FormContent.Control.Kind {
    /// `nil` for what sends nothing of a record, such as a button.
    fileprivate init?(_ element: HTML.Element) {
        if element.isNamed("textarea") {
            self = .area
        } else if element.isNamed("select") {
            self = .choice
        } else if element.isNamed("input") {
            switch element["type"] ?? "text" {
            case "checkbox": self = .box
            case "radio": self = .choice
            case "hidden": self = .hidden
            case "date": self = .day
            case "password", "file": self = .secret
            case "submit", "button", "image", "reset": return nil
            default: self = .text
            }
        } else {
            return nil
        }
    }
}

extension FormContent.Control {
    fileprivate mutating func add(_ value: String, _ words: String, isChosen: Bool) {
        options.append((value, words))
        if isChosen { values = [value] }
    }

    /// Those of a list: where nothing is chosen, browsers send the first.
    fileprivate mutating func addOptions(of list: HTML.Element) {
        for item in HTML.parts(list.content ?? []).elements(named: "option") {
            let words = HTML.element(item).plainText
            add(item["value"] ?? words, words, isChosen: item.has("selected"))
        }
        if values.isEmpty, let first = options.first { values = [first.value] }
    }
}

extension HTML {
    /// What stands in a text field. The first line end after the tag is not part of the text.
    fileprivate var areaText: String {
        guard case .element(let element) = self else { return "" }
        let text = HTML.parts(element.content ?? []).textAsWritten
        return text.hasPrefix("\n") ? String(text.dropFirst()) : text
    }

    private var textAsWritten: String {
        switch self {
        case .text(let text): text
        case .parts(let parts): parts.map(\.textAsWritten).joined()
        case .nothing, .markup, .once, .element: ""
        }
    }

    fileprivate var legendText: String? {
        elements(named: "legend").first.map { HTML.element($0).plainText }
    }

    /// The elements of that name in it, in order.
    func elements(named name: String) -> [HTML.Element] {
        switch self {
        case .parts(let parts): parts.flatMap { $0.elements(named: name) }
        case .element(let element):
            element.isNamed(name)
                ? [element] : (element.content ?? []).flatMap { $0.elements(named: name) }
        case .nothing, .text, .markup, .once: []
        }
    }
}

extension Attribute {
    static let togetherName = "data-together"
    static let meaningName = "data-meaning"
    static let emptyName = "data-empty"
    static let withName = "data-with"

    /// What stands in the element says one thing: it is changed and kept as a whole.
    static func together(_ group: String) -> Attribute { Attribute("data-together", group) }
    /// What it says, in words.
    static func meaning(_ words: String) -> Attribute { Attribute("data-meaning", words) }
    /// What it says where nothing in it is chosen.
    static func empty(_ words: String) -> Attribute { Attribute("data-empty", words) }
    /// What stands in the element says nothing while that field is empty.
    static func with(_ field: String) -> Attribute { Attribute("data-with", field) }
}
