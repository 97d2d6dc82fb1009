/// The keys of one screen's texts. The raw value is the key in the section of that name.
package protocol TextKey: RawRepresentable<String>, CaseIterable, Sendable {
    /// The section in the catalogues.
    static var section: String { get }
}

extension TextKey {
    /// The key in the catalogues, such as `work.title`.
    package var key: String { "\(Self.section).\(rawValue)" }
}

/// What a page says, in one language.
package struct Texts: Sendable {
    package let language: Language
    private let catalogue: Catalogue

    package init(_ language: Language) {
        self.language = language
        catalogue = Catalogue.all[language]!
    }

    /// A text without markup, for titles and attributes.
    package func callAsFunction<Key: TextKey>(
        _ key: Key, _ values: [String: String] = [:]
    ) -> String {
        text(Entry(Key.section, key.rawValue), values)
    }

    /// A text about a number, which it calls `n`.
    package func callAsFunction<Key: TextKey>(
        _ key: Key, count: Int, _ values: [String: String] = [:]
    ) -> String {
        text(Entry(Key.section, key.rawValue), count: count, values)
    }

    /// A text with markup in it: emphasis, and values that are elements.
    package func html<Key: TextKey>(
        _ key: Key, count: Int? = nil, _ values: [String: HTML] = [:]
    ) -> HTML {
        html(Entry(Key.section, key.rawValue), count: count, values)
    }

    // Not generic and not inlined: there are a hundred types of keys and thousands of calls, and the optimizer would
    // make its own copy for each.

    /// Which text of the catalogue is meant.
    private struct Entry {
        let section: String
        let name: String

        init(_ section: String, _ name: String) {
            self.section = section
            self.name = name
        }
    }

    @inline(never)
    private func text(_ entry: Entry, _ values: [String: String]) -> String {
        fill(template(entry), values)
    }

    @inline(never)
    private func text(_ entry: Entry, count: Int, _ values: [String: String]) -> String {
        var values = values
        values["n"] = number(count)
        return fill(template(entry, count: count), values)
    }

    @inline(never)
    private func html(_ entry: Entry, count: Int?, _ values: [String: HTML]) -> HTML {
        var values = values
        if let count { values["n"] = .text(number(count)) }
        let template = count.map { self.template(entry, count: $0) } ?? self.template(entry)
        var written: [HTML] = []
        var emphasized: [HTML]?
        var before = ""
        for piece in template.pieces {
            let part: HTML
            switch piece {
            case .text(let text):
                part = .text(text)
                before = text
            case .value(let name):
                if case .text(let value) = values[name] {
                    part = .text(placed(value, name, after: before))
                } else {
                    part = values[name] ?? .nothing
                }
            case .emphasis:
                guard let inner = emphasized else {
                    emphasized = []
                    continue
                }
                part = strong { HTML.parts(inner) }
                emphasized = nil
            }
            if emphasized == nil { written.append(part) } else { emphasized?.append(part) }
        }
        return .parts(written)
    }

    /// The text whose key another page put into a redirect; `nil` for a key that does not name a notice.
    func notice(_ key: String) -> String? {
        let name = key.split(separator: ".").last ?? ""
        guard name.hasPrefix("notice") else { return nil }
        return catalogue.texts[key].map { fill($0, [:]) }
    }

    /// The form of the text for a number; a text that is the same for all numbers has no forms.
    private func template(_ entry: Entry, count: Int) -> Template {
        let form = language.pluralForm(of: count).rawValue
        return catalogue.template(entry.section, "\(entry.name).\(form)") ?? template(entry)
    }

    /// A test compares the keys of the source with those of the catalogues, so none is missing. If one were, its key
    /// would be a worse text, but nobody else's page would suffer.
    private func template(_ entry: Entry) -> Template {
        catalogue.template(entry.section, entry.name)
            ?? Template(pieces: [.text("\(entry.section).\(entry.name)")])
    }

    private func fill(_ template: Template, _ values: [String: String]) -> String {
        if template.pieces.count == 1, case .text(let text) = template.pieces[0] { return text }
        return template.pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let part): text += part
            case .value(let name): text += placed(values[name] ?? "", name, after: text)
            case .emphasis: break
            }
        }
    }

    /// A value as it stands in a sentence: a moment of today has a small letter there, as in `since today, 8:00`, but
    /// neither at the beginning nor after a colon.
    private func placed(_ value: String, _ name: String, after text: String) -> String {
        guard name == "when", text.hasSuffix(" "), !text.hasSuffix(": ") else { return value }
        let today = self(CommonText.today)
        guard value.hasPrefix(today) else { return value }
        return self(CommonText.todayInside) + value.dropFirst(today.count)
    }
}
