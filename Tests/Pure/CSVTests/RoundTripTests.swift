import CSV
import RandomKit
import Testing
import Values

@Suite struct CSVRoundTrip {
    @Test(arguments: seeds(0..<300))
    func `written values read back the same, however the bytes are cut`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let width = Int.random(in: 1...5, using: &dice)
        let records = (0..<Int.random(in: 1...6, using: &dice)).map { _ in
            (0..<width).map { _ in dice.value() }
        }
        var semicolons = CSVWriter.Style.apple
        semicolons.separator = UInt8(ascii: ";")
        var detected = CSVOptions()
        detected.separator = width > 1 ? .detected : .semicolon
        for (style, options) in [
            (.plain, .rfc4180), (CSVWriter.Style.apple, CSVOptions()), (semicolons, detected),
        ] {
            var writer = CSVWriter(style: style)
            for record in records { writer.record(record) }
            #expect(
                try CSVReader.records(of: writer.bytes, options: options).map(\.fields) == records)
            #expect(try readInPieces(dice.pieces(of: writer.bytes), options) == records)
        }
    }

    @Test(arguments: seeds(0..<300))
    func `broken bytes give the same result, however they are cut`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var writer = CSVWriter()
        for _ in 0..<4 { writer.record([dice.value(), dice.value()]) }
        var bytes = writer.bytes
        for _ in 0..<Int.random(in: 1...8, using: &dice) {
            let junk: [UInt8] = [
                0, 0x0A, 0x0D, 0x22, 0x2C, 0x5C, 0x80, 0xC3, 0xFF, 0xEF, 0xBB, 0xBF,
            ]
            bytes[Int.random(in: bytes.indices, using: &dice)] = junk.randomElement(using: &dice)!
        }
        let whole = Result { try CSVReader.records(of: bytes).map(\.fields) }
        let cut = Result { try readInPieces(dice.pieces(of: bytes), CSVOptions()) }
        switch (whole, cut) {
        case (.success(let one), .success(let two)): #expect(one == two)
        case (.failure(let one), .failure(let two)):
            #expect(one as? CSVError == two as? CSVError)
            #expect(one is CSVError)
        default: Issue.record("\(whole) became \(cut)")
        }
    }

    private func readInPieces(_ pieces: [[UInt8]], _ options: CSVOptions) throws -> [[String]] {
        var rest = pieces[...]
        var reader = CSVReader(options: options) { rest.popFirst() }
        var records: [[String]] = []
        while let record = try reader.next() { records.append(record.fields) }
        return records
    }
}

@Suite struct WritingCSV {
    @Test func `values are quoted only where necessary`() {
        var writer = CSVWriter()
        writer.record(["a b", "c,d", "e\"f", "g\nh", "", "é"])
        #expect(writer.content == "a b,\"c,d\",\"e\"\"f\",\"g\nh\",,é\n")
    }

    @Test func `Apple's templates quote spaces and escape with a backslash`() {
        var writer = CSVWriter(style: .apple)
        writer.record(["a b", "c,d", "e\"f", "g\nh", "i\\j", "k\\ l"])
        #expect(
            writer.content == #""a b","c,d","e\"f","g"# + "\\\n" + #"h",i\j,"k\\ l""# + "\n")
    }

    @Test(arguments: ["=1+1", "+1", "-1", "@a", "\tx", "\r=1", "\n=1"])
    func `a spreadsheet never gets a formula`(value: String) throws {
        var writer = CSVWriter(style: .spreadsheet)
        writer.field(value)
        writer.field("x" + value)
        writer.field(-1)
        writer.endRecord()
        #expect(Array(writer.bytes.prefix(3)) == [0xEF, 0xBB, 0xBF])
        #expect(Array(writer.bytes.suffix(2)) == [0x0D, 0x0A])
        #expect(
            try CSVReader.records(of: writer.bytes, options: .rfc4180)[0].fields
                == ["'" + value, "x" + value, "-1"])
    }

    @Test func `a record of one empty value is not a blank line`() throws {
        var writer = CSVWriter()
        writer.record([""])
        #expect(writer.content == "\"\"\n")
        #expect(try CSVReader.records(of: writer.bytes).map(\.fields) == [[""]])
    }

    @Test func `a long file can be read in pieces`() {
        var writer = CSVWriter()
        writer.field("a")
        var all = writer.take()
        writer.field("b")
        writer.endRecord()
        all += writer.take()
        #expect(String(decoding: all, as: UTF8.self) == "a,b\n")
    }
}

extension CSVWriter {
    var content: String { String(decoding: bytes, as: UTF8.self) }
}
