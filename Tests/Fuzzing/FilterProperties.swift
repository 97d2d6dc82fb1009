@testable import OneRoster

/// Filters of OneRoster: whatever is read can be written, and is read as the same again.
enum FilterProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        guard let filter = try? Filter(parsing: text) else { return }
        let comparisons = filter.alternatives.joined()
        require(
            (1...Filter.mostComparisons).contains(comparisons.count), "comparisons are limited")
        for comparison in comparisons {
            require(
                comparison.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F },
                "values have no control characters")
        }
        require((try? Filter(parsing: written(filter))) == filter, "a filter is read as written")
    }

    private static func written(_ filter: Filter) -> String {
        filter.alternatives.map { $0.map(written).joined(separator: " AND ") }
            .joined(separator: " OR ")
    }

    /// By scalars: a quote after a character that is prepended to the next one is no `Character` of its own.
    private static func written(_ comparison: Filter.Comparison) -> String {
        var value = ""
        for scalar in comparison.value.unicodeScalars {
            if scalar == "'" { value.unicodeScalars.append(scalar) }
            value.unicodeScalars.append(scalar)
        }
        return comparison.field + comparison.comparator.rawValue + "'\(value)'"
    }
}
