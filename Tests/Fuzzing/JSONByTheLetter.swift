/// A second reading of the grammar of RFC 8259, rule by rule, which says only whether a text follows it.
struct JSONByTheLetter {
    private var rest: Substring.UTF8View

    /// Whether the bytes are UTF-8 and the text one document; nothing that nests as deep as 1000.
    static func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        var reading = JSONByTheLetter(rest: Substring(text).utf8)
        return reading.element(depth: 0) && reading.rest.isEmpty
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes as many of these characters as there are, and returns how many that was.
    private mutating func takeAll(_ characters: String) -> Int {
        let run = rest.prefix { characters.utf8.contains($0) }.count
        rest.removeFirst(run)
        return run
    }

    /// A value with white space around it (sections 2 and 3).
    private mutating func element(depth: Int) -> Bool {
        _ = takeAll(" \t\r\n")
        guard value(depth: depth) else { return false }
        _ = takeAll(" \t\r\n")
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < 1000 else { return false }
        for word in ["true", "false", "null"] where rest.starts(with: word.utf8) {
            rest.removeFirst(word.utf8.count)
            return true
        }
        if take("[") {
            return list(end: "]") { $0.element(depth: depth + 1) }
        }
        if take("{") {
            return list(end: "}") { reading in
                _ = reading.takeAll(" \t\r\n")
                guard reading.take("\""), reading.text() else { return false }
                _ = reading.takeAll(" \t\r\n")
                return reading.take(":") && reading.element(depth: depth + 1)
            }
        }
        return take("\"") ? text() : number()
    }

    /// What is between brackets, with commas between (sections 4 and 5).
    private mutating func list(
        end: Unicode.Scalar, _ item: (inout JSONByTheLetter) -> Bool
    ) -> Bool {
        _ = takeAll(" \t\r\n")
        if take(end) { return true }
        repeat {
            guard item(&self) else { return false }
            _ = takeAll(" \t\r\n")
        } while take(",")
        return take(end)
    }

    /// Section 6.
    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") {
            guard takeAll("0123456789") > 0 else { return false }
        }
        if take(".") {
            guard takeAll("0123456789") > 0 else { return false }
        }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard takeAll("0123456789") > 0 else { return false }
        }
        return true
    }

    private func isHexadecimal(_ byte: UInt8) -> Bool {
        "0123456789abcdefABCDEF".utf8.contains(byte)
    }

    /// Section 7, after the first quotation mark.
    private mutating func text() -> Bool {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case 0x00...0x1F: return false
            case UInt8(ascii: "\\"):
                guard let letter = rest.popFirst(), "\"\\/bfnrtu".utf8.contains(letter) else {
                    return false
                }
                if letter == UInt8(ascii: "u") {
                    let digits = rest.prefix(4)
                    guard digits.count == 4, digits.allSatisfy(isHexadecimal) else { return false }
                    rest.removeFirst(4)
                }
            default: break
            }
        }
        return false
    }
}
