import CEmbedded

/// All texts of one language, read from a file of `Catalogues`.
///
/// A file has sections, each with the texts of a screen:
///
/// ```
/// [work]
/// title = My work
/// tasks.one = {n} task
/// tasks.other = {n} tasks
/// ```
///
/// `{name}` is replaced by a value, and what stands between asterisks is strong.
package struct Catalogue: Sendable {
    /// A file that cannot be read as a catalogue.
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String
    }

    /// By key, such as `work.tasks.one`.
    package let texts: [String: Template]
    /// By section, and by key within it.
    private let sections: [String: [String: Template]]

    package init(_ text: String) throws(Unreadable) {
        var texts: [String: Template] = [:]
        var sections: [String: [String: Template]] = [:]
        var section = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
                continue
            }
            guard let sign = line.firstIndex(of: "="), !section.isEmpty else {
                throw Unreadable(
                    description: "line \(index + 1) is neither [section] nor key = text")
            }
            let name = String(line[..<sign].trimmed)
            let key = "\(section).\(name)"
            guard texts[key] == nil else {
                throw Unreadable(description: "line \(index + 1) repeats \(key)")
            }
            guard let template = Template(String(line[line.index(after: sign)...].trimmed)) else {
                throw Unreadable(
                    description: "line \(index + 1) leaves a brace or an asterisk open")
            }
            texts[key] = template
            sections[section, default: [:]][name] = template
        }
        self.texts = texts
        self.sections = sections
    }

    /// The text of a key in a section; a page asks for thousands.
    func template(_ section: String, _ name: String) -> Template? { sections[section]?[name] }

    /// The catalogues of all languages, which are part of the program; a test reads them all.
    static let all: [Language: Catalogue] = {
        var all: [Language: Catalogue] = [:]
        for language in Language.allCases {
            do throws(Unreadable) {
                all[language] = try Catalogue(source(of: language))
            } catch {
                fatalError("The catalogue \(language.rawValue) cannot be read: \(error)")
            }
        }
        return all
    }()

    /// The file of a language.
    package static func source(of language: Language) -> String {
        let file =
            switch language {
            case .english: en_txt
            case .german: de_txt
            case .japanese: ja_txt
            case .chinese: zh_Hans_txt
            }
        return String(
            decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
    }
}

/// A text with places for values.
package struct Template: Sendable {
    enum Piece: Sendable, Equatable {
        case text(String)
        case value(String)
        /// Where strong text begins or ends.
        case emphasis
    }

    let pieces: [Piece]

    init(pieces: [Piece]) { self.pieces = pieces }

    /// `nil` if a brace or an asterisk is not closed.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let mark = rest.firstIndex(where: { $0 == "{" || $0 == "*" }) {
            if mark > rest.startIndex { pieces.append(.text(String(rest[..<mark]))) }
            if rest[mark] == "*" {
                pieces.append(.emphasis)
                rest = rest[rest.index(after: mark)...]
                continue
            }
            guard let end = rest[mark...].firstIndex(of: "}") else { return nil }
            pieces.append(.value(String(rest[rest.index(after: mark)..<end])))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        guard pieces.count(where: { $0 == .emphasis }).isMultiple(of: 2) else { return nil }
        self.pieces = pieces
    }

    /// The names of the values it takes.
    package var names: Set<String> {
        Set(pieces.compactMap { if case .value(let name) = $0 { name } else { nil } })
    }
}

extension StringProtocol {
    /// Without blanks at both ends.
    var trimmed: SubSequence {
        let start = drop { $0 == " " || $0 == "\t" || $0 == "\r" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" && $0 != "\r" }
        return end.map { start[...$0] } ?? start.prefix(0)
    }
}
