@testable import SCIM

/// Filters and paths of SCIM: whatever is read can be written, and is read as the same again.
enum ScimProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        var parser = FilterParser(text)
        if let change = try? parser.change(), let filter = change.filter {
            require(readsAsWritten(filter), "the filter of a path is read as written")
        }
        guard let filter = try? Filter(parsing: text) else { return }
        require(readsAsWritten(filter), "a filter is read as written")
        require(comparisons(in: filter) <= Filter.mostComparisons, "comparisons are limited")
    }

    private static func readsAsWritten(_ filter: Filter) -> Bool {
        let written = filter.written
        return (try? Filter(parsing: written))?.written == written
    }

    private static func comparisons(in filter: Filter) -> Int {
        switch filter {
        case .comparison, .present: 1
        case .all(let filters), .any(let filters): filters.reduce(0) { $0 + comparisons(in: $1) }
        case .not(let filter), .values(_, let filter): comparisons(in: filter)
        }
    }
}
