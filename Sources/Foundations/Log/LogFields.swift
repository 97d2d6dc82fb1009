import Values

/// One value of a log line. There is deliberately no case for a person; callers must not use `text` for one.
package enum LogValue: Sendable, Equatable {
    case int(Int64)
    /// At most 2,000 bytes are written; control characters are escaped.
    case text(String)
    case uuid(UUID)
    case bool(Bool)
    /// A duration; its key ends in `_ms`.
    case milliseconds(Double)

    package static func int(_ value: some BinaryInteger) -> LogValue {
        .int(Int64(clamping: value))
    }
}

extension LogValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// The fields by which a log line can be filtered, in the given order: `["status": 200, "path": .text(path)]`.
///
/// Keys are literals in snake case with the unit last (`duration_ms`, `length_bytes`); the same thing has the
/// same key everywhere.
package struct LogFields: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var members: [(key: StaticString, value: LogValue)]

    package init(dictionaryLiteral members: (StaticString, LogValue)...) {
        self.members = members.map { (key: $0.0, value: $0.1) }
    }

    /// Adds a field at the end.
    package mutating func append(_ key: StaticString, _ value: LogValue) {
        members.append((key: key, value: value))
    }
}
