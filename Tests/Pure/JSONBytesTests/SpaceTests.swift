import JSONBytes
import RandomKit
import Testing
import Values

/// What is written into a borrowed buffer must equal what is written value by value.
@Suite struct LentSpace {
    @Test(arguments: seeds(0..<300))
    func `members put into a buffer equal those that would be written`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let members = (0..<12).map { _ in (key: dice.text(), value: Value(of: &dice)) }
        var written = JSONWriter()
        written.beginObject()
        for member in members {
            written.key(member.key)
            member.value.write(into: &written)
        }
        written.endObject()
        var put = JSONWriter()
        put.fill(atLeast: 20_000) { space in
            space.beginObject()
            for member in members {
                var key = JSONWriter.memberKey(member.key)
                let length = key.count
                key += [UInt8](repeating: 0, count: JSONSpace.slack)
                space.cursor += key.withUnsafeBytes {
                    JSONText.copyKey(
                        UnsafeRawBufferPointer(rebasing: $0[..<length]),
                        withComma: space.needsComma, to: space.cursor)
                }
                space.needsComma = true
                member.value.put(into: &space)
            }
            space.endObject()
        }
        #expect(put.content == written.content)
    }

    @Test func `what follows a borrowed buffer has the commas it needs`() {
        var writer = JSONWriter()
        writer.beginArray()
        for _ in 0..<2 {
            writer.fill(atLeast: 10) { space in
                space.beginObject()
                space.endObject()
            }
            writer.fill(atLeast: 0) { _ in }
        }
        writer.int(1)
        writer.endArray()
        #expect(writer.content == "[{},{},1]")
    }

    @Test func `a buffer reports the space it has left`() {
        var writer = JSONWriter()
        writer.fill(atLeast: 100) { space in
            let before = space.left
            #expect(before >= 100)
            space.cursor += JSONText.copy(UUID(high: 1, low: 2), to: space.cursor)
            space.cursor += JSONText.copyNull(to: space.cursor)
            #expect(space.left == before - 42)
        }
    }

    @Test func `every short text is put whole, whatever has to be escaped`() {
        for length in 0..<20 {
            for cursor in 0...length {
                for byte in 0..<128 as Range<UInt8> {
                    var text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    if cursor < length { text[cursor] = byte }
                    var written = JSONWriter()
                    written.text(String(decoding: text, as: UTF8.self))
                    var put = JSONWriter()
                    text.withUnsafeBytes { bytes in
                        put.fill(atLeast: 2 + 6 * length) { space in
                            space.cursor += JSONText.copyText(bytes, to: space.cursor)
                        }
                    }
                    #expect(put.bytes == written.bytes)
                }
            }
        }
    }
}

private enum Value {
    case text(String)
    case uuid(UUID)
    case int(Int64)
    case moment(Timestamp)
    case day(Day)
    case bool(Bool)
    case null

    init(of dice: inout SplitMix64) {
        switch Int.random(in: 0..<8, using: &dice) {
        case 0: self = .uuid(UUID(high: dice.next(), low: dice.next()))
        case 1: self = .int(Int64(bitPattern: dice.next() >> (dice.next() % 64)))
        case 2:
            self = .moment(
                Timestamp(
                    milliseconds: .random(
                        in: -62_135_596_800_000...253_402_300_799_999, using: &dice)))
        // Around neighbouring midnights, before and after 1970.
        case 3, 4:
            self = .moment(Timestamp(milliseconds: (Int64(dice.next() % 5) - 2) * 43_200_000 - 1))
        case 5: self = .day(Day(daysSince1970: .random(in: -719_162...2_932_896, using: &dice)))
        case 6: self = Bool.random(using: &dice) ? .bool(Bool.random(using: &dice)) : .null
        default: self = .text(dice.text())
        }
    }

    func write(into writer: inout JSONWriter) {
        switch self {
        case .text(let value): writer.text(value)
        case .uuid(let value): writer.raw(Array("\"\(value)\"".utf8))
        case .int(let value): writer.raw(Array("\(value)".utf8))
        case .moment(let value): writer.raw(Array("\"\(value)\"".utf8))
        case .day(let value): writer.raw(Array("\"\(value)\"".utf8))
        case .bool(let value): writer.bool(value)
        case .null: writer.null()
        }
    }

    func put(into space: inout JSONSpace) {
        let cursor = space.cursor
        let length =
            switch self {
            case .text(let value):
                Array(value.utf8).withUnsafeBytes { JSONText.copyText($0, to: cursor) }
            case .uuid(let value): JSONText.copy(value, to: cursor)
            case .int(let value): JSONText.copyDecimal(value, to: cursor)
            case .moment(let value): JSONText.copy(value, days: &space.days, to: cursor)
            case .day(let value): JSONText.copy(value, to: cursor)
            case .bool(let value): JSONText.copy(value, to: cursor)
            case .null: JSONText.copyNull(to: cursor)
            }
        space.cursor += length
    }
}
