/// What a `Range` field asks of a body (RFC 9110 section 14.2).
package enum RangeRequest: Sendable, Equatable {
    /// The whole body: the field is ignored because it is malformed, of another unit, or of several ranges.
    case everything
    /// These bytes, at least one, cut off at the end of the body.
    case part(Range<Int>)
    /// No byte of the body is in the range.
    case unsatisfiable

    /// - Parameters:
    ///   - fields: the values of all `Range` fields.
    ///   - length: of the whole body, in bytes.
    package init(_ fields: [String], of length: Int) {
        guard fields.count == 1, let equals = fields[0].firstIndex(of: "="),
            fields[0][..<equals].lowercased() == "bytes"
        else {
            self = .everything
            return
        }
        let specs = fields[0][fields[0].index(after: equals)...].split(separator: ",")
            .map { Array($0.utf8.filter { !Characters.isBlank($0) }) }.filter { !$0.isEmpty }
        guard specs.count == 1, let range = RangeRequest.range(specs[0], of: length) else {
            self = .everything
            return
        }
        self = range.isEmpty ? .unsatisfiable : .part(range)
    }

    /// The value of `Content-Range` for a part (RFC 9110 section 14.4).
    package static func contentRange(of part: Range<Int>, in length: Int) -> String {
        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
    }

    /// The value of `Content-Range` if the range could not be satisfied.
    package static func contentRange(unsatisfiedIn length: Int) -> String {
        "bytes */\(length)"
    }

    /// The range of `first-`, `first-last` or `-count`; `nil` for anything else.
    private static func range(_ spec: [UInt8], of length: Int) -> Range<Int>? {
        guard let dash = spec.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (before, after) = (spec[..<dash], spec[(dash + 1)...])
        if before.isEmpty {
            guard let count = number(after) else { return nil }
            return max(0, length - count)..<length
        }
        guard let first = number(before) else { return nil }
        guard !after.isEmpty else { return min(first, length)..<length }
        guard let last = number(after), last >= first else { return nil }
        return min(first, length)..<min(max(last, last &+ 1), length)
    }

    /// Digits as a number; a number too large for an integer becomes the largest one.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(Characters.isDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}
