import CSV
import Testing

/// Files as spreadsheets and scripts write them.
@Suite struct LenientReading {
    private func read(_ pieces: [[UInt8]]) throws -> (records: [CSVRecord], opening: CSVOpening) {
        var rest = pieces[...]
        let opening = try CSVOpening { rest.popFirst() }
        var options = CSVOptions.rfc4180
        options.separator = opening.separator
        options.isLenient = true
        options.requiresEqualCounts = false
        options.firstLine = opening.skippedLines + 1
        var reader = CSVReader(options: options) { try opening.next() }
        var records: [CSVRecord] = []
        while let record = try reader.next() { records.append(record) }
        return (records, opening)
    }

    private func fields(_ text: String) throws -> [[String]] {
        try read([Array(text.utf8)]).records.map(\.fields)
    }

    @Test func `spaces beside quotation marks, and marks within a value, are text`() throws {
        #expect(try fields("a, \"b\" ,  c\n") == [["a", "b", "c"]])
        let mended = try read([Array("a,Ben \"B\" x\nc,d\n".utf8)]).records
        #expect(mended.map(\.fields) == [["a", "Ben \"B\" x"], ["c", "d"]])
        #expect(mended.map(\.isMended) == [true, false])
    }

    @Test func `a record that cannot be trusted says why, and the next one is read`() throws {
        let records = try read([Array("a,\"b\"c,d\ne,f\0,g\nh,i,j\n".utf8)]).records
        #expect(records.map { $0.flaw?.code } == [.textAfterQuote, .nullCharacter, nil])
        #expect(records.map(\.line) == [1, 2, 3])
        #expect(records[2].fields == ["h", "i", "j"])
        #expect(throws: CSVError.self) { try fields("a,\"b\n") }
    }

    @Test func `lines may end with a carriage return alone`() throws {
        let records = try read([Array("a,b\rc,d\r\ne,f".utf8)]).records
        #expect(records.map(\.fields) == [["a", "b"], ["c", "d"], ["e", "f"]])
        #expect(records.map(\.line) == [1, 2, 3])
    }

    @Test func `what stands in front of the header is taken off, and lines keep their numbers`()
        throws
    {
        let (records, opening) = try read([Array("\u{FEFF}\u{FEFF}sep=;\r\n#TYPE x\na;b\n".utf8)])
        #expect(records.map(\.fields) == [["a", "b"]])
        #expect(records[0].line == 3)
        #expect(opening.notes == [.repeatedMark, .separatorLine, .typeLine])
        let tabs = try read([Array("a\tb,c\n".utf8)])
        #expect(tabs.opening.separator == .detected, "a comma decides")
        let plain = try read([Array("a\tb\n1,5\t2\n".utf8)])
        #expect(plain.records.map(\.fields) == [["a", "b"], ["1,5", "2"]])
        #expect(try read([]).records.isEmpty)
    }

    @Test(arguments: [true, false], [1, 2, 3, 5, 1000])
    func `UTF-16 is read, however it is cut into pieces`(isBigEndian: Bool, size: Int) throws {
        let units = Array("name,é🎒\nx,y\n".utf16)
        let bytes =
            (isBigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE])
            + units.flatMap { unit -> [UInt8] in
                let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isBigEndian ? pair : pair.reversed()
            }
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            Array(bytes[$0..<min($0 + size, bytes.count)])
        }
        let (records, opening) = try read(pieces)
        #expect(records.map(\.fields) == [["name", "é🎒"], ["x", "y"]])
        #expect(opening.notes == [.utf16])
    }
}
