import Values

extension JSONWriter {
    /// Appends the rest of a string, from its first escape on, and the closing quote.
    mutating func appendEscaped(_ value: UnsafeRawBufferPointer, from start: Int) {
        // In pieces, because every byte could need six.
        let pieceLength = 4096
        var position = start
        while position < value.count {
            let end = min(position + pieceLength, value.count)
            let piece = UnsafeRawBufferPointer(rebasing: value[position..<end])
            bytes.append(addingCapacity: 6 * piece.count) { span in
                span.withUnsafeMutableBufferPointer { buffer, written in
                    guard let cursor = buffer.baseAddress else { return }
                    written = JSONText.copyEscaped(piece, to: cursor)
                }
            }
            position = end
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONValue {
    /// The document without white space, members in their order.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        write(into: &writer)
        return writer.bytes
    }

    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .text(let value): writer.text(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(into: &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for member in object.members {
                writer.key(member.key)
                member.value.write(into: &writer)
            }
            writer.endObject()
        }
    }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
