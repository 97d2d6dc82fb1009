/// A JSON number that keeps its original literal, so that nothing is rounded on the way.
package struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
    /// As written; always valid by RFC 8259 section 6.
    package let literal: String

    package init(_ value: Int64) {
        literal = String(value)
    }

    /// `nil` for infinity and not-a-number.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        literal = value.description
    }

    /// For the reader, which has checked the literal.
    init(checked literal: String) {
        self.literal = literal
    }

    /// The exact value of a literal without fraction and exponent; `nil` if it has one or the value does not fit.
    package var int64: Int64? { Int64(literal) }

    /// The nearest double, always finite.
    package var double: Double { Double(literal) ?? 0 }

    /// The literal.
    package var text: String { literal }

    package var description: String { literal }
}
