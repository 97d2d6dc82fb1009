/// The links of a page (RFC 8288), as far as paging needs them.
struct RosterLinks {
    /// Where `rel="next"` leads, as written; `nil` if there is no such link.
    private(set) var next: String?
    /// Whether any link is about paging, so that a missing `next` means the last page.
    private(set) var isPaging = false

    /// - Parameter field: all values of `Link`; `nil` if there is none. What cannot be read is no link.
    init(_ field: String?) {
        guard let field else { return }
        var rest = Substring(field)
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") else { return }
            let target = rest[..<end]
            rest = rest[rest.index(after: end)...]
            let parameters = Self.parameters(&rest)
            for relation in Self.relations(parameters) {
                isPaging = isPaging || ["next", "prev", "first", "last"].contains(relation)
                if relation == "next", next == nil { next = String(target) }
            }
        }
    }

    /// What follows a target, up to the comma before the next link.
    private static func parameters(_ rest: inout Substring) -> Substring {
        let end = firstIndex(of: ",", in: rest) ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    /// The words of the first `rel`: others do not count.
    private static func relations(_ parameters: Substring) -> [String] {
        var rest = parameters
        while !rest.isEmpty {
            let end = firstIndex(of: ";", in: rest) ?? rest.endIndex
            let parts = rest[..<end].split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "rel" {
                return parts[1].filter { $0 != "\"" }.lowercased().split(separator: " ")
                    .map(String.init)
            }
            rest = rest[end...].dropFirst()
        }
        return []
    }

    /// Where a character is first that is in no quotation marks.
    private static func firstIndex(of wanted: Character, in text: Substring) -> String.Index? {
        var isQuoted = false
        return text.firstIndex { character in
            if character == "\"" { isQuoted.toggle() }
            return character == wanted && !isQuoted
        }
    }
}
