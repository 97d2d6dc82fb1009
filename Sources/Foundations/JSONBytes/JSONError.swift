/// Limits on the JSON documents that are read.
package struct JSONLimits: Sendable {
    /// How deep arrays and objects may nest; never more than 256.
    package var depth: Int
    /// The longest number literal, in bytes.
    package var numberLength: Int

    package init(depth: Int = 32, numberLength: Int = 128) {
        self.depth = min(depth, 256)
        self.numberLength = numberLength
    }
}

/// Why bytes are not a JSON document that this service accepts, and where.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// The value at which reading stopped, as an RFC 6901 pointer; empty for the whole document.
    package internal(set) var pointer: String
    /// The byte at which reading stopped, counted from 0.
    package let offset: Int
    package let reason: Reason

    package var description: String {
        "\(reason.sentence) (at \"\(pointer)\", byte \(offset))"
    }

    /// The same error as seen from the enclosing value.
    func inside(_ step: String) -> JSONError {
        var error = self
        error.pointer = JSONPointer.Step.key(step).segment + pointer
        return error
    }

    /// The kind of error, for programs.
    package enum Reason: String, Sendable {
        case ended
        case unexpectedByte
        case trailingBytes
        case tooDeep
        case duplicateKey
        case invalidUTF8
        case controlCharacter
        case unknownEscape
        case loneSurrogate
        case nullCharacter
        case malformedNumber
        case numberOutOfRange

        /// One sentence for people.
        package var sentence: String {
            switch self {
            case .ended: "The document ends too early."
            case .unexpectedByte: "This byte is not allowed here."
            case .trailingBytes: "Something follows the end of the document."
            case .tooDeep: "Arrays and objects nest too deeply."
            case .duplicateKey: "The object names this key twice."
            case .invalidUTF8: "The text is not valid UTF-8."
            case .controlCharacter: "A control character must be escaped."
            case .unknownEscape: "JSON has no such escape."
            case .loneSurrogate: "Half of a surrogate pair is missing."
            case .nullCharacter: "The character U+0000 cannot be stored."
            case .malformedNumber: "This is not a number of JSON."
            case .numberOutOfRange: "The number is too long, too large or too small."
            }
        }
    }
}
