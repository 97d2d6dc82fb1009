@testable import Pages

/// A form of a page as a browser sends it: read from the page's text, changed, and sent.
struct SentForm {
    private(set) var items: [(String, String)] = []
    /// What all boxes and choices of that name hold, ticked or not.
    private(set) var offered: [(String, String)] = []

    /// - Parameter action: of the form; `nil` if the page has none with that action.
    init?(_ page: String, action: String) {
        guard let start = page.firstRange(of: " action=\"\(action)\"")
        else { return nil }
        let rest = page[start.upperBound...]
        let form = rest[..<(rest.firstRange(of: "</form>")?.lowerBound ?? rest.endIndex)]
        var list: String?
        var isChosen = false
        var left = form[...]
        while let open = left.firstIndex(of: "<") {
            left = left[left.index(after: open)...]
            let end = left.firstIndex(of: ">") ?? left.endIndex
            let tag = Self.attributes(left[..<end])
            left = left[end...].dropFirst()
            let name = tag.values["name"] ?? ""
            let value = tag.values["value"] ?? ""
            switch tag.element {
            case "input" where ["checkbox", "radio"].contains(tag.values["type"]):
                offered.append((name, value))
                if tag.flags.contains("checked") { items.append((name, value)) }
            case "input" where !name.isEmpty: items.append((name, value))
            case "textarea":
                let text = left.prefix { $0 != "<" }
                items.append((name, Self.plain(text.hasPrefix("\n") ? text.dropFirst() : text)))
            case "select": (list, isChosen) = (name, false)
            case "option":
                guard let list else { break }
                offered.append((list, value))
                let isSelected = tag.flags.contains("selected")
                if isSelected, isChosen { items.removeLast() }
                if isSelected || !isChosen { items.append((list, value)) }
                isChosen = true
            case "/select": list = nil
            default: break
            }
        }
    }

    subscript(name: String) -> String? { items.first { $0.0 == name }?.1 }

    /// The same with another value, or none, for a field.
    func with(_ name: String, _ value: String?) -> SentForm {
        var copy = self
        let place = items.firstIndex { $0.0 == name } ?? items.endIndex
        copy.items.removeAll { $0.0 == name }
        if let value { copy.items.insert((name, value), at: min(place, copy.items.count)) }
        return copy
    }

    /// The same with a box ticked or not.
    func ticking(_ name: String, _ value: String, _ isTicked: Bool) -> SentForm {
        var copy = self
        copy.items.removeAll { $0 == (name, value) }
        if isTicked { copy.items.append((name, value)) }
        return copy
    }

    private static func attributes(
        _ text: Substring
    ) -> (element: String, values: [String: String], flags: Set<String>) {
        let element = text.prefix { $0 != " " }
        var values: [String: String] = [:]
        var flags: Set<String> = []
        var rest = text.dropFirst(element.count)
        while true {
            rest = rest.drop { $0 == " " }
            let name = rest.prefix { $0 != "=" && $0 != " " }
            guard !name.isEmpty else { break }
            rest = rest.dropFirst(name.count)
            if rest.hasPrefix("=\"") {
                rest = rest.dropFirst(2)
                let value = rest.prefix { $0 != "\"" }
                values[String(name)] = plain(value)
                rest = rest.dropFirst(value.count + 1)
            } else {
                flags.insert(String(name))
            }
        }
        return (String(element), values, flags)
    }

    private static func plain(_ text: Substring) -> String {
        String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
            .replacing("&amp;", with: "&")
    }
}

extension Browser {
    /// Sends a form that has its token among its items.
    func send(_ form: SentForm, to target: String) async throws -> Shown {
        try await post(target, form.items, token: .some(nil))
    }
}
