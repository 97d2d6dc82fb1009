import JSONBytes
import Testing

@Suite struct Reading {
    @Test func `a document keeps its values`() throws {
        let value = try JSONValue(
            parsing: """
                 {"a": [1, -2.50, true, false, null], "b": {"c": "d"}, "": "\\u00e9\\ud83d\\ude00\\/\\n"}
                """)
        #expect(value["a"]?[0]?.int64 == 1)
        #expect(value["a"]?[1]?.number?.literal == "-2.50")
        #expect(value["a"]?[1]?.double == -2.5)
        #expect(value["a"]?[2]?.bool == true)
        #expect(value["a"]?[4]?.isNull == true)
        #expect(value["a"]?[5] == nil)
        #expect(value["b"] == ["c": "d"])
        #expect(value[""]?.text == "é😀/\n")
        #expect(value["absent"] == nil)
        #expect(value.object?.keys == ["a", "b", ""])
    }

    @Test(arguments: [
        ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("-0", 0),
    ])
    func `an integer that fits is exact`(literal: String, value: Int64) throws {
        #expect(try JSONValue(parsing: literal).int64 == value)
    }

    @Test(arguments: ["9223372036854775808", "1.0", "1e3"])
    func `a number with fraction, exponent or too many digits is not an int64`(
        literal: String
    ) throws {
        let value = try JSONValue(parsing: literal)
        #expect(value.int64 == nil)
        #expect(value.double == Double(literal))
    }

    @Test func `the double of a number of ninety-nine digits is the nearest`() throws {
        // Found by fuzzing: Foundation, which the fuzzer compares with, is less precise.
        let literal = "95474" + String(repeating: "4", count: 88) + "475808"
        let number = try JSONValue(parsing: "[\(literal)]")
        #expect(number[0]?.double == 9.547444444444444e+98)
    }

    @Test(arguments: [
        ("", "", 0, JSONError.Reason.ended),
        ("  ", "", 2, .ended),
        ("nul", "", 3, .ended),
        ("nulL", "", 3, .unexpectedByte),
        ("{} x", "", 3, .trailingBytes),
        ("\u{FEFF}{}", "", 0, .unexpectedByte),
        ("[1,]", "/1", 3, .unexpectedByte),
        ("{\"a\":1,}", "", 7, .unexpectedByte),
        ("{\"a\" 1}", "/a", 5, .unexpectedByte),
        ("{'a':1}", "", 1, .unexpectedByte),
        ("[1 2]", "", 3, .unexpectedByte),
        ("{\"a\":[0,{\"b/~\":tru}]}", "/a/1/b~1~0", 18, .unexpectedByte),
        ("{\"a\":1,\"b\":2,\"a\":3}", "/a", 13, .duplicateKey),
        ("{\"a\":1,\"\\u0061\":3}", "/a", 7, .duplicateKey),
        ("[\"\\x\"]", "/0", 3, .unknownEscape),
        ("[\"\\u12G4\"]", "/0", 6, .unknownEscape),
        ("[\"\\ud800\"]", "/0", 2, .loneSurrogate),
        ("[\"\\ud800\\u0041\"]", "/0", 2, .loneSurrogate),
        ("[\"\\ud800\\n\"]", "/0", 2, .loneSurrogate),
        ("[\"\\udc00\"]", "/0", 2, .loneSurrogate),
        ("[\"\\u0000\"]", "/0", 2, .nullCharacter),
        ("[\"a\u{0}\"]", "/0", 3, .controlCharacter),
        ("[\"a\nb\"]", "/0", 3, .controlCharacter),
        ("[01]", "/0", 2, .malformedNumber),
        ("[-]", "/0", 2, .malformedNumber),
        ("[1.]", "/0", 3, .malformedNumber),
        ("[.5]", "/0", 1, .unexpectedByte),
        ("[+1]", "/0", 1, .unexpectedByte),
        ("[1e]", "/0", 3, .malformedNumber),
        ("[0x10]", "", 2, .unexpectedByte),
        ("[NaN]", "/0", 1, .unexpectedByte),
        ("[1e309]", "/0", 1, .numberOutOfRange),
        ("[-1e400]", "/0", 1, .numberOutOfRange),
        ("[1e-99999999999999999999]", "/0", 1, .numberOutOfRange),
    ])
    func `mistakes are named with their position`(
        document: String, pointer: String, offset: Int, reason: JSONError.Reason
    ) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: document) }
        #expect(error?.pointer == pointer)
        #expect(error?.offset == offset)
        #expect(error?.reason == reason)
    }

    @Test(
        arguments: [
            ([0x80], 2), ([0x61, 0xC0, 0xAF], 3), ([0xED, 0xA0, 0x80], 2),
            ([0xC3, 0xA9, 0xF5, 0x80], 4), ([0xE2, 0x82], 2), ([0x5C, 0x6E, 0xC3, 0xA9, 0xFF], 6),
        ] as [([UInt8], Int)])
    func `invalid UTF-8 is refused where it begins`(text: [UInt8], offset: Int) {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: Array("[\"".utf8) + text + Array("\"]".utf8))
        }
        #expect(error?.reason == .invalidUTF8)
        #expect(error?.offset == offset)
        #expect(error?.pointer == "/0")
    }

    @Test func `nesting is limited`() throws {
        let limits = JSONLimits(depth: 3)
        #expect(try JSONValue(parsing: "[[{}]]", limits: limits)[0]?[0] == [:])
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: "[[[[]]]]", limits: limits)
        }
        #expect(error?.reason == .tooDeep)
        let bomb = String(repeating: "[", count: 1_000_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: bomb) }
    }

    @Test func `a long number is refused, since nothing could store it`() {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: "0." + String(repeating: "1", count: 127))
        }
        #expect(error?.reason == .numberOutOfRange)
    }

    @Test func `two spellings of one character are two keys`() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\": 1, \"e\u{301}\": 2}")
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    @Test func `a duplicate among many keys is found`() {
        let members = (0..<100_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(throws: Never.self) { try JSONValue(parsing: "{" + members + "}") }
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: "{" + members + ",\"k7\":0}")
        }
        #expect(error?.reason == .duplicateKey)
        #expect(error?.pointer == "/k7")
    }

    @Test func `a slice counts from its own beginning`() {
        let bytes = Array("xx[1,]".utf8)
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes[2...]) }
        #expect(error?.offset == 3)
    }
}
