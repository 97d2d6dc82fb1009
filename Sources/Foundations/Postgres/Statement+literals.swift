import Values

extension Statement {
    /// The text with the values as quoted, typed literals: COPY takes no parameters.
    func makeTextWithLiterals() -> [CChar] {
        var text: [CChar] = []
        var rest = values[...]
        for piece in pieces {
            if piece.address == 0 {
                guard let value = rest.popFirst() else { break }
                text.append(contentsOf: value.literal.utf8.map { CChar(bitPattern: $0) })
            } else {
                text.append(contentsOf: piece.characters)
            }
        }
        text.append(0)
        return text
    }
}

extension PostgresValue {
    /// The value as SQL, with its type.
    fileprivate var literal: String {
        switch self {
        case .array(let type, let elements):
            "array[\(elements.map(\.literal).joined(separator: ","))]::\(type.name)[]"
        default: "\(text.map(Quoting.literal) ?? "null")::\(type.name)"
        }
    }

    /// The text form of a scalar; `nil` for null.
    private var text: String? {
        switch self {
        case .null, .array: nil
        case .bool(let value): value ? "t" : "f"
        case .int2(let value): String(value)
        case .int4(let value): String(value)
        case .int8(let value): String(value)
        case .float8(let value): value.description
        case .text(let value): value
        case .bytea(let value):
            String(
                decoding: [UInt8(ascii: "\\"), UInt8(ascii: "x")]
                    + value.flatMap { [hexadecimalDigit($0 >> 4), hexadecimalDigit($0 & 15)] },
                as: UTF8.self)
        case .uuid(let value): value.description
        case .timestamptz(let value): value.description
        case .date(let value): value.description
        case .jsonb(let value): String(decoding: value, as: UTF8.self)
        }
    }
}
