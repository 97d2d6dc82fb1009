/// An attribute of an element; its value is escaped when it is written.
package struct Attribute: Sendable {
    private enum Value: Sendable {
        case absent
        /// Present without a value, such as `required`.
        case on
        case text(String)
    }

    private let name: StaticString
    private let value: Value

    // Not inlined: pages make thousands of attributes, and copies of these would take long to compile.

    /// An attribute with a value; left out if the value is `nil`.
    @inline(never)
    package init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value.map(Value.text) ?? .absent
    }

    /// An attribute with a value from the source.
    @inline(never)
    private init(_ name: StaticString, word: StaticString) {
        self.name = name
        value = .text("\(word)")
    }

    /// An attribute without a value, such as `required`, if it applies.
    @inline(never)
    package init(_ name: StaticString, if applies: Bool = true) {
        self.name = name
        value = applies ? .on : .absent
    }

    /// Its value; `nil` if it has none or its name is another.
    func value(named name: String) -> String? {
        guard case .text(let text) = value, "\(self.name)" == name else { return nil }
        return text
    }

    /// Whether it has that name, is there, and has no value.
    func isOn(_ name: String) -> Bool {
        guard case .on = value else { return false }
        return "\(self.name)" == name
    }

    func write(to bytes: inout [UInt8]) {
        if case .absent = value { return }
        bytes.append(UInt8(ascii: " "))
        Escaping.appendRaw(name, to: &bytes)
        guard case .text(let text) = value else { return }
        bytes.append(contentsOf: "=\"".utf8)
        Escaping.append(text, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }
}

extension Attribute {
    package static func `class`(_ names: String) -> Attribute { Attribute("class", names) }
    package static func id(_ id: String) -> Attribute { Attribute("id", id) }
    package static func name(_ name: String) -> Attribute { Attribute("name", name) }
    package static func value(_ value: String?) -> Attribute { Attribute("value", value) }
    package static func type(_ type: StaticString) -> Attribute { Attribute("type", word: type) }
    package static func `for`(_ id: String) -> Attribute { Attribute("for", id) }
    package static func lang(_ language: String) -> Attribute { Attribute("lang", language) }
    package static func role(_ role: StaticString) -> Attribute { Attribute("role", word: role) }
    package static func rel(_ relation: StaticString) -> Attribute {
        Attribute("rel", word: relation)
    }
    package static func scope(_ scope: StaticString) -> Attribute {
        Attribute("scope", word: scope)
    }
    package static func autocomplete(_ kind: StaticString) -> Attribute {
        Attribute("autocomplete", word: kind)
    }

    /// Text that someone wrote, in any script: its own direction.
    package static var dirAuto: Attribute { Attribute("dir", "auto") }
    /// For decoration: readers skip it.
    package static var hidden: Attribute { Attribute("aria-hidden", "true") }
    package static var required: Attribute { Attribute("required") }
    package static var autofocus: Attribute { Attribute("autofocus") }
    package static func checked(_ isChecked: Bool) -> Attribute {
        Attribute("checked", if: isChecked)
    }
    package static func selected(_ isSelected: Bool) -> Attribute {
        Attribute("selected", if: isSelected)
    }
    package static func tabindex(_ index: Int) -> Attribute { Attribute("tabindex", "\(index)") }

    /// What readers say for the element.
    package static func label(_ text: String) -> Attribute { Attribute("aria-label", text) }
    package static func labelledBy(_ id: String) -> Attribute { Attribute("aria-labelledby", id) }
    package static func describedBy(_ ids: String?) -> Attribute {
        Attribute("aria-describedby", ids)
    }
    /// Marks the link to where one is: `page` or `true`.
    package static func current(_ isCurrent: Bool, _ kind: StaticString = "page") -> Attribute {
        isCurrent ? Attribute("aria-current", word: kind) : Attribute("aria-current", nil)
    }

    /// A link within this server.
    package static func href(_ path: LocalPath) -> Attribute { Attribute("href", path.text) }
    /// A link to a part of the same page.
    package static func href(part id: String) -> Attribute { Attribute("href", "#" + id) }
    /// A link that someone wrote, such as a teacher: only `http` and `https`, because `javascript:` would run here.
    package static func href(elsewhere url: String) -> Attribute {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        return Attribute("href", scheme == "http" || scheme == "https" ? url : nil)
    }
}
