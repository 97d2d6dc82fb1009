/// SQL whose text was written by a programmer, with values that are bound, never pasted.
///
/// Literal pieces are `StaticString`, so no text that exists only at run time can become SQL:
///
///     "select name from school.person where person_id = \(personID)"
///
/// `\(value)` becomes a numbered parameter, `\(fragment: other)` splices another statement and renumbers
/// its parameters, `\(optional: other)` does so unless it is `nil`.
package struct Statement: Sendable, ExpressibleByStringInterpolation {
    /// A literal by its address and length, or a parameter (address 0) by its type.
    struct Piece: Equatable, Sendable {
        let address: UInt
        let extent: UInt32
    }

    private(set) var pieces: [Piece]
    package private(set) var values: [PostgresValue]
    /// Computed from the pieces; equal statements have equal fingerprints, different ones almost never.
    let fingerprint: UInt64

    package init(stringLiteral value: StaticString) {
        var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.init(stringInterpolation: interpolation)
    }

    package init(stringInterpolation: StringInterpolation) {
        pieces = stringInterpolation.pieces
        values = stringInterpolation.values
        fingerprint = stringInterpolation.fingerprint
    }

    /// Whether both have the same text and parameter types, so that one prepared statement serves both.
    func hasSameText(as other: Statement) -> Bool {
        fingerprint == other.fingerprint && pieces == other.pieces
    }

    /// The text with `$1`, `$2`, … in place of the values.
    package var text: String {
        String(decoding: makeText().dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The text with `$1`, `$2`, … and a final NUL.
    func makeText() -> [CChar] {
        var text: [CChar] = []
        var parameter = 0
        for piece in pieces {
            if piece.address == 0 {
                parameter += 1
                text.append(contentsOf: "$\(parameter)".utf8.map { CChar(bitPattern: $0) })
            } else {
                text.append(contentsOf: piece.characters)
            }
        }
        text.append(0)
        return text
    }

    /// Collects the pieces of a statement.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var pieces: [Piece] = []
        fileprivate(set) var values: [PostgresValue] = []
        fileprivate var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

        package init(literalCapacity: Int, interpolationCount: Int) {
            // Reserves capacity for the pieces of one fragment as well.
            pieces.reserveCapacity(interpolationCount * 2 + 5)
            values.reserveCapacity(interpolationCount + 2)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            guard literal.utf8CodeUnitCount > 0 else { return }
            append(
                Piece(
                    address: UInt(bitPattern: literal.utf8Start),
                    extent: UInt32(literal.utf8CodeUnitCount)))
        }

        package mutating func appendInterpolation(_ value: some PostgresEncodable) {
            append(value.postgresValue)
        }

        /// Binds a value, or a null of its type.
        package mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
            append(value.postgresValue)
        }

        package mutating func appendInterpolation(_ value: PostgresValue) {
            append(value)
        }

        /// Binds bytes as `bytea`.
        package mutating func appendInterpolation(_ value: [UInt8]) {
            append(.bytea(value))
        }

        /// Binds bytes as `bytea`.
        package mutating func appendInterpolation(_ value: [UInt8]?) {
            append(value.map { .bytea($0) } ?? .null(.bytea))
        }

        /// Splices another statement in here.
        package mutating func appendInterpolation(fragment: Statement) {
            for piece in fragment.pieces { append(piece) }
            values.append(contentsOf: fragment.values)
        }

        /// Splices another statement in here, or nothing.
        package mutating func appendInterpolation(optional fragment: Statement?) {
            if let fragment { appendInterpolation(fragment: fragment) }
        }

        private mutating func append(_ value: PostgresValue) {
            append(Piece(address: 0, extent: value.type.oid))
            values.append(value)
        }

        private mutating func append(_ piece: Piece) {
            pieces.append(piece)
            let mixed = fingerprint ^ UInt64(piece.address) ^ UInt64(piece.extent) << 48
            fingerprint = (mixed &* 0x9E37_79B9_7F4A_7C15) ^ (mixed >> 29)
        }
    }
}

extension Sequence<Statement> {
    /// The statements joined by a separator, as one fragment.
    package func joined(by separator: Statement) -> Statement {
        var interpolation = Statement.StringInterpolation(
            literalCapacity: 0, interpolationCount: underestimatedCount * 2)
        var isFirst = true
        for statement in self {
            if !isFirst { interpolation.appendInterpolation(fragment: separator) }
            interpolation.appendInterpolation(fragment: statement)
            isFirst = false
        }
        return Statement(stringInterpolation: interpolation)
    }
}

extension Statement.Piece {
    /// The bytes of a literal; empty for a parameter.
    var characters: UnsafeBufferPointer<CChar> {
        UnsafeBufferPointer(start: UnsafePointer(bitPattern: address), count: Int(extent))
    }
}
