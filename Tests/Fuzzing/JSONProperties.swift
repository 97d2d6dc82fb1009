import Foundation
import JSONBytes

/// JSON: what follows the grammar is accepted except for the rules of the house, means what Foundation takes it for,
/// and is written so that it reads back the same.
enum JSONProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        checkReading(input)
        checkTexts(input)
        checkNumbers(input)
    }

    private static func checkReading(_ input: UnsafeRawBufferPointer) {
        let reading = Result { () throws(JSONError) in try JSONValue(parsing: input) }
        let isGood = JSONByTheLetter.accepts(input)
        switch reading {
        case .success(let value):
            require(isGood, "what RFC 8259 refuses is refused")
            let reference = try? JSONSerialization.jsonObject(
                with: Data(input), options: .fragmentsAllowed)
            guard let reference else {
                return require(false, "what is read, Foundation reads too")
            }
            require(same(value, reference), "what is read, Foundation reads the same")
            let again = try? JSONValue(parsing: value.bytes)
            require(again == value, "what is written reads back the same")
        case .failure(let error):
            require((0...input.count).contains(error.offset), "an error is within the document")
            require(
                !isGood || isHouseRule(error.reason),
                "what RFC 8259 allows is refused only by a rule of the house: \(error)")
        }
    }

    /// What RFC 8259 leaves to the reader, and this one refuses.
    private static func isHouseRule(_ reason: JSONError.Reason) -> Bool {
        switch reason {
        case .tooDeep, .duplicateKey, .nullCharacter, .loneSurrogate, .numberOutOfRange: true
        default: false
        }
    }

    private static func same(_ value: JSONValue, _ reference: Any) -> Bool {
        switch value {
        case .null: return reference is NSNull
        case .bool(let value): return reference as? Bool == value
        case .number(let number):
            guard let other = (reference as? NSNumber)?.doubleValue else { return false }
            // Ours is nearest to the literal; Foundation multiplies powers of ten, each of them rounded.
            return number.double == strtod(number.literal, nil)
                && abs(other - number.double) <= abs(number.double) * 1e-12
        case .text(let text):
            // Foundation loses U+FEFF after an escape.
            return (reference as? String).map { same($0, text) } ?? false
        case .array(let elements):
            guard let others = reference as? [Any], others.count == elements.count else {
                return false
            }
            return zip(elements, others).allSatisfy { same($0, $1) }
        case .object(let object):
            // Foundation's keys are equal where Swift's strings are, so two of ours may be one of its.
            guard let others = reference as? [String: Any] else { return false }
            return others.count <= object.count
                && (others.count < object.count
                    || object.members.allSatisfy { member in
                        guard !member.key.unicodeScalars.contains("\u{FEFF}") else { return true }
                        return others[member.key].map { same(member.value, $0) } ?? false
                    })
        }
    }

    private static func same(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.lazy.filter { $0 != "\u{FEFF}" }
            .elementsEqual(right.unicodeScalars.lazy.filter { $0 != "\u{FEFF}" })
    }

    /// A text of any bytes is written as valid JSON.
    private static func checkTexts(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key(text)
        writer.text(text)
        writer.endObject()
        require(
            String(validating: writer.bytes, as: UTF8.self) != nil, "what is written is UTF-8")
        let written = JSONObject([(text, .text(text))])
        if text.utf8.contains(0) {
            let reason = failure(of: writer.bytes)
            require(reason == .nullCharacter, "U+0000 is written as an escape, which is not read")
        } else {
            let again = try? JSONValue(parsing: writer.bytes)
            require(again == .object(written), "a text reads back as it was written")
        }
        // Unvalidated bytes may give bad text, but nothing worse.
        writer.text(utf8: input)
    }

    private static func failure(of bytes: [UInt8]) -> JSONError.Reason? {
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes)
            return nil
        } catch {
            return error.reason
        }
    }

    private static func checkNumbers(_ input: UnsafeRawBufferPointer) {
        guard input.count >= 8 else { return }
        let bits = input.loadUnaligned(as: UInt64.self)
        var writer = JSONWriter()
        writer.beginArray()
        writer.double(Double(bitPattern: bits))
        writer.int(Int64(bitPattern: bits))
        writer.endArray()
        let again = try? JSONValue(parsing: writer.bytes)
        let double = Double(bitPattern: bits)
        require(
            double.isFinite ? again?[0]?.double == double : again?[0]?.isNull == true,
            "a double reads back as it was written")
        require(
            again?[1]?.int64 == Int64(bitPattern: bits), "a number reads back as it was written")
    }
}
