import Values

@testable import CSV

/// CSV: what is written reads back the same, however the file arrives, and within the limits.
enum CSVProperties {
    /// A record, or the error in place of one.
    private enum Reading: Equatable {
        case record([String], lines: [Int], columns: [Int])
        case error(CSVError)
    }

    static func check(_ input: UnsafeRawBufferPointer) {
        for options in dialects { checkReading(input, options) }
        checkWriting(input)
    }

    /// Both dialects, with limits that an input can reach.
    private static let dialects: [CSVOptions] = {
        var apple = CSVOptions()
        apple.fieldLength = 40
        apple.recordLength = 100
        apple.fieldCount = 12
        var oneRoster = CSVOptions.rfc4180
        oneRoster.fieldLength = 60
        oneRoster.recordLength = 100
        oneRoster.requiresEqualCounts = false
        return [apple, oneRoster]
    }()

    private static func checkReading(_ input: UnsafeRawBufferPointer, _ options: CSVOptions) {
        var dice = SplitMix64(input)
        let whole = read([Array(input)], options)
        require(
            read(dice.pieces(of: input).map(Array.init), options) == whole,
            "a file in pieces has the same records and errors")
        if input.count < 150 {
            require(
                read(input.map { [$0] }, options) == whole,
                "a file that arrives byte by byte has the same records and errors")
        }
        for case .record(let fields, _, _) in whole {
            require(fields.count <= options.fieldCount, "a record keeps to the limit on values")
            require(
                fields.allSatisfy { $0.utf8.count <= options.fieldLength },
                "a value keeps to the limit on length")
            let length = fields.reduce(0) { $0 + $1.utf8.count }
            require(length <= options.recordLength, "a record keeps to the limit on length")
        }
        let errors = whole.count { if case .error = $0 { true } else { false } }
        let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
        require(whole.count <= lines + 1 && errors <= lines + 1, "a record takes a line")
    }

    private static func read(_ pieces: [[UInt8]], _ options: CSVOptions) -> [Reading] {
        var parser = CSVParser(options: options)
        var readings: [Reading] = []
        for piece in pieces {
            parser.feed(piece)
            guard take(from: &parser, into: &readings) else { return readings }
            let most = options.recordLength + piece.count + 1
            require(parser.record.bytes.count <= most, "no more than one record is kept")
            require(parser.chunk.count - parser.position < 3, "what was read is not kept")
        }
        parser.finish()
        _ = take(from: &parser, into: &readings)
        return readings
    }

    /// Takes what is available; false where the file cannot be read further.
    private static func take(from parser: inout CSVParser, into readings: inout [Reading]) -> Bool {
        while true {
            do throws(CSVError) {
                guard let record = try parser.next() else { return true }
                let indices = 0..<record.count
                readings.append(
                    .record(
                        record.fields, lines: indices.map(record.line),
                        columns: indices.map(record.column)))
            } catch {
                readings.append(.error(error))
                if !error.isConfinedToRecord { return false }
            }
        }
    }

    /// Lines of the input are records, and its separators divide their values.
    private static func checkWriting(_ input: UnsafeRawBufferPointer) {
        guard !input.contains(0) else { return }
        let records = input.split(separator: 0x1E).map { record in
            record.split(separator: 0x1F, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        var options = CSVOptions()
        options.requiresEqualCounts = false
        checkWriting(records, .apple, options)
        options.separator = .semicolon
        var semicolons = CSVWriter.Style.apple
        semicolons.separator = UInt8(ascii: ";")
        checkWriting(records, semicolons, options)
        options = .rfc4180
        options.requiresEqualCounts = false
        checkWriting(records, .plain, options)
    }

    private static func checkWriting(
        _ records: [[String]], _ style: CSVWriter.Style, _ options: CSVOptions
    ) {
        var writer = CSVWriter(style: style)
        for record in records { writer.record(record) }
        let again = try? CSVReader.records(of: writer.bytes, options: options)
        require(
            again?.map(\.fields) == records.map { $0.isEmpty ? [""] : $0 },
            "records read back as they were written")
    }
}
