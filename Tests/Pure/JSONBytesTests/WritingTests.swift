import JSONBytes
import RandomKit
import Testing
import Values

@Suite struct Writing {
    @Test func `commas appear only between members and elements`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a" as StaticString)
        writer.beginArray()
        writer.int(1)
        writer.beginObject()
        writer.endObject()
        writer.null()
        writer.endArray()
        writer.key(encoded: JSONWriter.encodedKey("b\""))
        writer.bool(false)
        writer.key("c" as String)
        writer.raw(Array("[2]".utf8))
        writer.endObject()
        #expect(writer.content == #"{"a":[1,{},null],"b\"":false,"c":[2]}"#)
    }

    @Test func `every ASCII character is written as RFC 8259 requires`() throws {
        let short: [UInt8: String] = [
            8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: "\\\"", 92: "\\\\",
        ]
        for byte in 0..<128 as Range<UInt8> {
            for before in 0..<17 {
                let padding = String(repeating: "x", count: before)
                let plain = padding + String(Unicode.Scalar(byte)) + "é\u{2028}"
                var writer = JSONWriter()
                writer.text(plain)
                let hex = String(byte, radix: 16)
                let long = "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                let own = String(Unicode.Scalar(byte))
                let escaped = short[byte] ?? (byte < 0x20 ? long : own)
                #expect(writer.content == "\"" + padding + escaped + "é\u{2028}\"")
            }
        }
    }

    @Test func `text in memory is written like a string`() {
        let text = "a \"long enough\" text with ünïcode \u{1F} and more"
        var one = JSONWriter()
        one.text(text)
        var two = JSONWriter()
        Array(text.utf8).withUnsafeBytes { two.text(utf8: $0) }
        #expect(one.bytes == two.bytes)
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "-0.0"), (1, "1"), (-100, "-100"), (0.1, "0.1"),
        (1e15, "1000000000000000"),
        (1e21, "1e+21"), (.leastNonzeroMagnitude, "5e-324"),
        (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        (.infinity, "null"), (.nan, "null"),
    ])
    func `a double is written as briefly as it reads back`(value: Double, literal: String) {
        var writer = JSONWriter()
        writer.double(value)
        #expect(writer.content == literal)
    }

    @Test(arguments: seeds(0..<100))
    func `any double reads back as the same bits`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let value = Double(bitPattern: dice.next())
        guard value.isFinite else { return }
        var writer = JSONWriter()
        writer.double(value)
        #expect(try JSONValue(parsing: writer.bytes).double?.bitPattern == value.bitPattern)
    }

    @Test(arguments: seeds(0..<200))
    func `fractions are written like their descriptions`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let digits = Int64(bitPattern: dice.next() >> UInt64.random(in: 1..<64, using: &dice))
        for unit in [10, 1e2, 1e3, 1e4, 1e5, 1e8] {
            let share = Double(digits) / unit
            for value in [share, -share, share.nextUp, share.nextDown, Double(digits).nextUp] {
                guard value.magnitude >= 9e15 || value.rounded() != value else { continue }
                var writer = JSONWriter()
                writer.double(value)
                #expect(writer.content == value.description)
            }
        }
    }

    @Test func `values have their usual text`() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.int(Int64.min)
        writer.uuid(UUID(high: 1, low: 2))
        writer.timestamp(Timestamp(milliseconds: 5))
        writer.day(Day(daysSince1970: 0))
        writer.endArray()
        #expect(
            writer.content
                == #"[-9223372036854775808,"00000000-0000-0001-0000-000000000002","#
                + #""1970-01-01T00:00:00.005Z","1970-01-01"]"#)
    }

    @Test(arguments: seeds(0..<200))
    func `identifiers, moments and days are written like their descriptions`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let id = UUID(high: dice.next(), low: dice.next())
        let moment = Timestamp(
            milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &dice))
        let day = Day(daysSince1970: .random(in: -719_162...2_932_896, using: &dice))
        let number = Int64(bitPattern: dice.next() >> UInt64.random(in: 0..<64, using: &dice))
        var writer = JSONWriter()
        writer.beginArray()
        writer.uuid(id)
        writer.timestamp(moment)
        writer.day(day)
        writer.int(number)
        writer.endArray()
        #expect(writer.content == "[\"\(id)\",\"\(moment)\",\"\(day)\",\(number)]")
    }

    @Test(arguments: [4095, 4096, 4097, 10_000])
    func `a long text of escapes is written whole`(length: Int) throws {
        let text = String(repeating: "\u{1}\"é", count: length)
        #expect(try JSONValue(parsing: JSONValue.text(text).bytes).text == text)
    }

    @Test func `a long answer can be read in pieces`() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.int(1)
        var all = writer.take()
        writer.int(2)
        writer.endArray()
        writer.newline()
        writer.beginObject()
        writer.endObject()
        all += writer.take()
        #expect(String(decoding: all, as: UTF8.self) == "[1,2]\n{}")
    }
}

@Suite struct Documents {
    @Test func `literals build documents`() {
        let value: JSONValue = ["a": [1, 2.5, nil, true, "x"], "b": [:], "c": []]
        #expect(value.description == #"{"a":[1,2.5,null,true,"x"],"b":{},"c":[]}"#)
    }

    @Test func `the order of members makes no difference`() {
        #expect(["a": 1, "b": [2]] as JSONValue == ["b": [2], "a": 1])
        #expect(["a": 1, "b": 2] as JSONValue != ["a": 1, "c": 2])
        #expect(["a": 1] as JSONValue != ["a": 1, "b": 2])
    }

    @Test func `members can be set, replaced and removed`() {
        var object = JSONObject()
        object["a"] = 1
        object["b"] = 2
        object["a"] = 3
        object["b"] = nil
        object["absent"] = nil
        #expect(object == JSONObject([("a", 3)]))
    }

    @Test func `a value asked for another type returns nil`() {
        let value: JSONValue = "1"
        #expect(value.int64 == nil && value.double == nil && value.bool == nil)
        #expect(value.array == nil && value.object == nil && value["a"] == nil && value[0] == nil)
    }
}

extension JSONWriter {
    var content: String { String(decoding: bytes, as: UTF8.self) }
}
