/// Lets through the chosen members of a JSON document while its bytes pass, in pieces of any length.
///
/// Elements of arrays are chosen alike, and a value that is neither an object nor an array passes whole. The document
/// must be valid; white space between its parts is dropped except within what passes whole.
package struct JSONSieve: Sendable {
    /// One level of the choice: the names as they stand in the document, and where each leads.
    private typealias Node = [(name: [UInt8], next: Next)]

    private enum Next: Sendable {
        case node(Int)
        case whole
        case dropped
    }

    private struct Frame {
        let isArray: Bool
        let node: Int
        /// Whether no member has passed yet.
        var isEmpty = true
    }

    private enum State {
        /// Before a value, whose place `next` names.
        case value
        /// In an object or array of which parts are chosen, between its parts.
        case between
        case key
        case colon
        /// In an object or array that passes or is dropped whole.
        case nested
        case text
        case literal
        case ended
    }

    private var nodes: [Node] = []
    private var frames: [Frame] = []
    private var state = State.value
    private var next = Next.whole
    private var depth = 0
    private var isEscaped = false
    private var key: [UInt8] = []
    private var output: [UInt8] = []

    package init(_ choice: JSONChoice) {
        next = add(choice)
    }

    private mutating func add(_ choice: JSONChoice) -> Next {
        guard !choice.isWhole else { return .whole }
        let index = nodes.count
        nodes.append([])
        for (name, below) in choice.members {
            let next = add(below)
            nodes[index].append((Array(name.utf8), next))
        }
        return .node(index)
    }

    /// What passes of the next bytes.
    package mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        output.removeAll(keepingCapacity: true)
        output.reserveCapacity(bytes.count)
        for byte in bytes { take(byte) }
        return output
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .value: beginValue(byte)
        case .between: part(byte)
        case .key: keyByte(byte)
        case .colon:
            if byte == UInt8(ascii: ":") { state = .value }
        case .nested: nested(byte)
        case .text: textByte(byte)
        case .literal:
            if Self.endsLiteral(byte) {
                endValue()
                take(byte)
            } else {
                pass(byte)
            }
        case .ended: break
        }
    }

    private mutating func pass(_ byte: UInt8) {
        if case .dropped = next { return }
        output.append(byte)
    }

    private mutating func beginValue(_ byte: UInt8) {
        guard !Self.isBlank(byte) else { return }
        pass(byte)
        switch byte {
        case UInt8(ascii: "\""): state = .text
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if case .node(let node) = next {
                frames.append(Frame(isArray: byte == UInt8(ascii: "["), node: node))
                state = .between
            } else {
                depth = 1
                state = .nested
            }
        default: state = .literal
        }
    }

    private mutating func part(_ byte: UInt8) {
        guard !Self.isBlank(byte), let frame = frames.last else { return }
        switch byte {
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            output.append(byte)
            frames.removeLast()
            endValue()
        case UInt8(ascii: ",") where frame.isArray:
            output.append(byte)
            next = .node(frame.node)
            state = .value
        case UInt8(ascii: ","): break
        default:
            if frame.isArray {
                next = .node(frame.node)
                beginValue(byte)
            } else {
                key.removeAll(keepingCapacity: true)
                state = .key
            }
        }
    }

    private mutating func keyByte(_ byte: UInt8) {
        guard isEscaped || byte != UInt8(ascii: "\"") else {
            beginMember()
            return
        }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        key.append(byte)
    }

    /// A key with an escape is not a chosen name, since those have no escapes.
    private mutating func beginMember() {
        state = .colon
        let top = frames.count - 1
        guard let chosen = nodes[frames[top].node].first(where: { $0.name == key }) else {
            next = .dropped
            return
        }
        if !frames[top].isEmpty { output.append(UInt8(ascii: ",")) }
        frames[top].isEmpty = false
        output.append(UInt8(ascii: "\""))
        output += key
        output.append(UInt8(ascii: "\""))
        output.append(UInt8(ascii: ":"))
        next = chosen.next
    }

    private mutating func nested(_ byte: UInt8) {
        pass(byte)
        switch byte {
        case UInt8(ascii: "\""): state = .text
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { endValue() }
        default: break
        }
    }

    private mutating func textByte(_ byte: UInt8) {
        pass(byte)
        if !isEscaped, byte == UInt8(ascii: "\"") {
            if depth > 0 { state = .nested } else { endValue() }
        } else {
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
    }

    private mutating func endValue() {
        state = frames.isEmpty ? .ended : .between
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func endsLiteral(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            || isBlank(byte)
    }
}
