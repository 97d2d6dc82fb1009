/// SQL for administration, where names have to be part of the text: `create database \(identifier: name)`.
///
/// Literal pieces are `StaticString`; identifiers and literals are quoted. Only a `BlockingConnection` runs it.
package struct Command: Sendable, ExpressibleByStringInterpolation {
    let text: String

    package init(stringLiteral value: StaticString) {
        text = value.description
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Collects the pieces of a command.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 20)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            text += literal.description
        }

        /// Quotes the name of a table, role, database and so on.
        package mutating func appendInterpolation(identifier: String) {
            text += Quoting.identifier(identifier)
        }

        /// Quotes a text value, for commands that take no parameters.
        package mutating func appendInterpolation(literal: String) {
            text += Quoting.literal(literal)
        }
    }
}

/// PostgreSQL's quoting for UTF-8, independent of a connection's settings.
enum Quoting {
    static func identifier(_ name: String) -> String {
        var text = "\""
        for scalar in name.unicodeScalars where scalar != "\0" {
            if scalar == "\"" { text += "\"" }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }

    static func literal(_ value: String) -> String {
        let hasBackslash = value.utf8.contains(UInt8(ascii: "\\"))
        var text = hasBackslash ? " E'" : "'"
        for scalar in value.unicodeScalars where scalar != "\0" {
            if scalar == "'" || scalar == "\\" { text.unicodeScalars.append(scalar) }
            text.unicodeScalars.append(scalar)
        }
        return text + "'"
    }
}
