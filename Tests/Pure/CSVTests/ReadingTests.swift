import CSV
import Testing

/// All values of a file.
func fields(_ text: String, _ options: CSVOptions = CSVOptions()) throws -> [[String]] {
    try CSVReader.records(of: Array(text.utf8), options: options).map(\.fields)
}

/// The error at the end of a file.
func mistake(_ bytes: [UInt8], _ options: CSVOptions = CSVOptions()) -> CSVError? {
    #expect(throws: CSVError.self) { try CSVReader.records(of: bytes, options: options) }
}

@Suite struct ReadingCSV {
    @Test(arguments: [
        "a,b\nc,d\n", "a,b\nc,d", "a;b\nc;d\n", "a,b\r\nc,d\r\n", "\u{FEFF}a,b\nc,d",
        "\n\na,b\r\n\r\nc,d\n\n",
        "\"a\",\"b\"\n\"c\",d", "\"a\";b\nc;d\r",
    ])
    func `the usual ways to write a file read the same`(text: String) throws {
        #expect(try fields(text) == [["a", "b"], ["c", "d"]])
    }

    @Test(arguments: ["", "\n", "\r\n\n", "\u{FEFF}", "\u{FEFF}\n"])
    func `a file without records is empty`(text: String) throws {
        #expect(try fields(text) == [])
    }

    @Test(arguments: [
        (#""a ""b"" c""#, #"a "b" c"#), (#""a \"b\" c""#, #"a "b" c"#), (#""a\\""#, #"a\"#),
        (#""a\b""#, #"a\b"#), ("\"a\\\nb\"", "a\nb"), ("\"a\\\r\nb\"", "a\r\nb"),
        ("\"a\nb\"", "a\nb"),
        ("\"a\r\nb\"", "a\r\nb"), ("\"\"", ""), ("\"a,b\"", "a,b"), (#"a\b"#, #"a\b"#),
        (#"a\"#, #"a\"#),
        (#"5\" pipe"#, #"5" pipe"#), (#"a\\"#, #"a\\"#), (" a ", " a "), (#""\\\"""#, #"\""#),
    ])
    func `values are unescaped`(written: String, meant: String) throws {
        #expect(try fields("x,y\n" + written + ",2\n")[1] == [meant, "2"])
        #expect(try fields("x,y\n1," + written + "\n")[1] == ["1", meant])
        #expect(try fields("x,y\r\n1," + written + "\r\n")[1] == ["1", meant])
    }

    @Test func `a backslash is an ordinary character in RFC 4180`() throws {
        #expect(try fields(#""C:\",a\"#, .rfc4180) == [[#"C:\"#, #"a\"#]])
        #expect(try fields("a;b", .rfc4180) == [["a;b"]])
    }

    @Test func `the separator is found in the header and then stays the same`() throws {
        #expect(try fields("a;b\n1,5;2\n") == [["a", "b"], ["1,5", "2"]])
        #expect(try fields("\"a;b\",c\n1;5,2\n") == [["a;b", "c"], ["1;5", "2"]])
        #expect(try fields("one\ntwo\n") == [["one"], ["two"]])
    }

    @Test func `positions are counted in lines and characters`() throws {
        let records = try CSVReader.records(of: Array("\u{FEFF}a,b,c\n\né😀,\"x\ny\",z\n1,2,3".utf8))
        #expect(records.map(\.line) == [1, 3, 5])
        #expect((0..<3).map { records[0].column(of: $0) } == [1, 3, 5])
        #expect((0..<3).map { records[1].line(of: $0) } == [3, 3, 4])
        #expect((0..<3).map { records[1].column(of: $0) } == [1, 4, 4])
        #expect(Array(records[1].utf8(1)) == Array("x\ny".utf8))
    }
}

@Suite struct BrokenCSV {
    @Test(arguments: [
        ("a,b\n1,\"x", 2, 3, CSVError.Code.unterminatedQuote),
        ("a,b\n1,\"x\n\n\n", 2, 3, .unterminatedQuote),
        ("a,b\n1,\"x\\\"\n", 2, 3, .unterminatedQuote),
        ("a,b\n1,x\"y\n", 2, 4, .strayQuote),
        ("a,b\n1, \"y\"\n", 2, 4, .strayQuote),
        ("a,b\n\"x\"y,1\n", 2, 4, .textAfterQuote),
        ("a,b\n\"x\" ,1\n", 2, 4, .textAfterQuote),
        ("a,b\r1,2\r", 1, 5, .bareCarriageReturn),
        ("a,b\n1,x\u{0}\n", 2, 4, .nullCharacter),
        ("a,b\n1,\"x\u{0}\"\n", 2, 5, .nullCharacter),
        ("a,b\n1\n", 2, 1, .fieldCount),
        ("a,b\n1,2,\n", 2, 1, .fieldCount),
    ])
    func `a mistake is named with its position`(
        text: String, line: Int, column: Int, code: CSVError.Code
    ) {
        let error = mistake(Array(text.utf8))
        #expect(error?.code == code)
        #expect(error?.line == line)
        #expect(error?.column == column)
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0x61, 0xE2, 0x82],
        ] as [[UInt8]])
    func `invalid UTF-8 is refused where its value begins`(value: [UInt8]) {
        let error = mistake(Array("a,b\n1,".utf8) + value + Array("\n".utf8))
        #expect(error?.code == .invalidUTF8)
        #expect(error?.line == 2)
        #expect(error?.column == 3)
    }

    @Test func `two invalid values never make a valid one`() {
        let bytes = Array("a,b\n\"".utf8) + [0xC3] + Array("\",\"".utf8) + [0xA9] + Array("\"".utf8)
        #expect(mistake(bytes)?.code == .invalidUTF8)
    }

    @Test func `a record with a mistake of its own does not end the reading`() throws {
        let bytes = Array("a,b\n1\n3,4\n5,".utf8) + [0xFF] + Array("\n7,8\n".utf8)
        var reader = CSVReader(bytes)
        var log: [String] = []
        while true {
            do {
                guard let record = try reader.next() else { break }
                log.append(record.fields.joined(separator: ","))
            } catch let error as CSVError {
                log.append("\(error.line) \(error.code)")
            }
        }
        #expect(log == ["a,b", "2 fieldCount", "3,4", "4 invalidUTF8", "7,8"])
    }

    @Test func `a mistake that confuses everything after it is repeated`() {
        var reader = CSVReader(Array("a,b\n1,x\"y\n3,4\n".utf8))
        #expect(throws: Never.self) { try reader.next() }
        for _ in 0..<3 {
            #expect(throws: CSVError.self) { try reader.next() }
        }
    }

    @Test func `a failing source is not mistaken for the end of the file`() {
        struct Lost: Error {}
        var pieces: [[UInt8]] = [Array("a,b\n1,".utf8)]
        var reader = CSVReader {
            if pieces.isEmpty { throw Lost() }
            return pieces.removeFirst()
        }
        #expect(throws: Never.self) { try reader.next() }
        #expect(throws: Lost.self) { try reader.next() }
    }

    @Test func `values, records and counts have limits`() throws {
        var options = CSVOptions()
        options.fieldLength = 10
        options.recordLength = 25
        options.fieldCount = 4
        #expect(try fields("0123456789,b", options).count == 1)
        #expect(mistake(Array("01234567890,b".utf8), options)?.code == .fieldTooLong)
        #expect(mistake(Array("\"0123456789\n".utf8), options)?.code == .fieldTooLong)
        #expect(
            mistake(Array("123456789,123456789,123456789".utf8), options)?.code == .recordTooLong)
        #expect(mistake(Array("a,b,c,d,e".utf8), options)?.code == .tooManyFields)
    }

    @Test func `the limit reached first is reported, however the file is cut`() throws {
        var options = CSVOptions()
        options.fieldLength = 10
        options.recordLength = 25
        let bytes = Array("123456789,123456789,123456789012345".utf8)
        let whole = try #require(mistake(bytes, options))
        #expect(whole.code == .recordTooLong)
        var rest = bytes[...]
        var reader = CSVReader(options: options) { rest.popFirst().map { [$0] } }
        #expect(throws: whole) { try reader.next() }
    }

    @Test func `an endless value stops at its limit`() {
        var pulled = 0
        var reader = CSVReader {
            pulled += 1
            return [UInt8](repeating: UInt8(ascii: "x"), count: 1024)
        }
        #expect(throws: CSVError.self) { try reader.next() }
        #expect(pulled < 100)
    }
}
