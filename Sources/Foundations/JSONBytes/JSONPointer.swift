/// A location in a JSON document (RFC 6901): kept as steps, and spelled out only where it is reported.
package struct JSONPointer: Sendable, CustomStringConvertible {
    /// One step down, into an object or an array.
    package enum Step: Sendable {
        case key(String)
        /// Counted from 0.
        case index(Int)

        /// A slash and the segment, escaped as section 3 says.
        var segment: String {
            switch self {
            case .index(let index): "/\(index)"
            case .key(let key): "/\(Step.escape(key))"
            }
        }

        private static func escape(_ key: String) -> String {
            guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") })
            else { return key }
            var escaped = ""
            for scalar in key.unicodeScalars {
                switch scalar {
                case "~": escaped += "~0"
                case "/": escaped += "~1"
                default: escaped.unicodeScalars.append(scalar)
                }
            }
            return escaped
        }
    }

    private var steps: [Step] = []

    /// The whole document.
    package init() {}

    package mutating func enter(_ step: Step) { steps.append(step) }

    /// Removes the last step.
    package mutating func leave() { steps.removeLast() }

    /// As in RFC 6901 section 5; empty for the whole document.
    package var description: String { steps.map(\.segment).joined() }
}
