import JSONBytes

/// A filter as the standard writes it (RFC 7644 section 3.4.2.2): `userName sw "a" and not (active eq false)`.
indirect enum Filter: Sendable {
    enum Comparator: String, CaseIterable, Sendable {
        case equal = "eq"
        case notEqual = "ne"
        case contains = "co"
        case startsWith = "sw"
        case endsWith = "ew"
        case greater = "gt"
        case atLeast = "ge"
        case less = "lt"
        case atMost = "le"
    }

    /// An attribute path without a filter, and where it stands.
    struct Path: Sendable {
        let text: String
        /// In bytes, from 0.
        let position: Int
    }

    case comparison(Path, Comparator, JSONValue)
    case present(Path)
    case all([Filter])
    case any([Filter])
    case not(Filter)
    /// One value of an attribute with several satisfies all of a filter: `emails[type eq "work"]`.
    case values(Path, Filter)

    static let mostComparisons = 200
    static let mostLevels = 20

    /// The filter as text that is read as the same.
    var written: String {
        switch self {
        case .comparison(let path, let comparator, let value):
            "\(path.text) \(comparator.rawValue) \(value)"
        case .present(let path): "\(path.text) pr"
        case .all(let filters): filters.map(\.writtenAlone).joined(separator: " and ")
        case .any(let filters): filters.map(\.writtenAlone).joined(separator: " or ")
        case .not(let filter): "not (\(filter.written))"
        case .values(let path, let filter): "\(path.text)[\(filter.written)]"
        }
    }

    /// In parentheses where it would be read differently without.
    private var writtenAlone: String {
        switch self {
        case .all, .any: "(\(written))"
        default: written
        }
    }
}

/// What is wrong with the text of a filter or a path.
struct FilterMistake: Error, Equatable {
    /// The position of the mistake in bytes, from 0.
    let position: Int
    /// What should be there.
    let expected: String
}
