/// Takes a CSV file in pieces and returns its records: the state machine under `CSVReader`.
///
/// Feed it bytes, ask for records until it has none, feed it again, and call `finish()` after the last piece.
/// Blank lines are skipped. Lines end with a line feed, with an optional carriage return before it.
package struct CSVParser: Sendable {
    let options: CSVOptions
    var chunk: [UInt8] = []
    var position = 0
    var state = State.beforeRecord
    /// Both are equal once the separator is known.
    var separators: (UInt8, UInt8)
    var record = CSVRecord()
    var line = 1
    var column = 1
    private var started = false
    private var ended = false
    private var expectedCount: Int?
    private var failure: CSVError?
    /// All bytes of the record combined by "or": ASCII needs no validation.
    var seenBits: UInt8 = 0

    enum State: Sendable {
        case beforeRecord
        case beforeField
        case plain
        case plainBackslash
        case quoted
        case quotedBackslash
        case afterQuote
        case afterQuoteAndSpace
        case carriageReturn
    }

    package init(options: CSVOptions = CSVOptions()) {
        self.options = options
        separators =
            switch options.separator {
            case .detected: (UInt8(ascii: ","), UInt8(ascii: ";"))
            case .comma: (UInt8(ascii: ","), UInt8(ascii: ","))
            case .semicolon: (UInt8(ascii: ";"), UInt8(ascii: ";"))
            case .tab: (UInt8(ascii: "\t"), UInt8(ascii: "\t"))
            }
        line = options.firstLine
    }

    /// Takes the next piece of the file, of any length.
    package mutating func feed(_ bytes: [UInt8]) {
        if position == chunk.count {
            chunk = bytes
        } else {
            chunk.removeSubrange(..<position)
            chunk += bytes
        }
        position = 0
    }

    /// Marks the end of the input.
    package mutating func finish() { ended = true }

    /// The next record; `nil` if more bytes are needed, or if there are no more records after `finish()`.
    ///
    /// After an error confined to its record, the next call continues; any other error stays.
    package mutating func next() throws(CSVError) -> CSVRecord? {
        if let failure { throw failure }
        do throws(CSVError) {
            guard skipByteOrderMark() else { return nil }
            if try scan() { return try takeRecord() }
            guard ended else { return nil }
            return try endOfFile() ? try takeRecord() : nil
        } catch {
            if !error.isConfinedToRecord { failure = error }
            throw error
        }
    }

    /// Returns false while it is not known yet whether there is one.
    private mutating func skipByteOrderMark() -> Bool {
        if started { return true }
        guard chunk.count >= 3 || ended else { return false }
        if chunk.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        started = true
        return true
    }

    /// Ends the record at the end of the file; returns false if there is none.
    private mutating func endOfFile() throws(CSVError) -> Bool {
        switch state {
        case .beforeRecord: return false
        case .beforeField: try beginField()
        case .quoted, .quotedBackslash: throw fieldError(.unterminatedQuote)
        case .plainBackslash: try append(UInt8(ascii: "\\"))
        case .carriageReturn where record.positions.isEmpty: return false
        case .plain, .afterQuote, .afterQuoteAndSpace, .carriageReturn: break
        }
        if state != .carriageReturn { endField() }
        state = .beforeRecord
        return true
    }

    /// Returns the record after the checks that need all of it.
    private mutating func takeRecord() throws(CSVError) -> CSVRecord {
        let taken = record
        record = CSVRecord()
        record.bytes.reserveCapacity(taken.bytes.count + 16)
        record.positions.reserveCapacity(taken.count)
        let expected = expectedCount ?? taken.count
        expectedCount = expected
        let hasOnlyASCII = seenBits < 0x80
        seenBits = 0
        if !hasOnlyASCII, let index = taken.firstInvalid {
            throw CSVError(
                .invalidUTF8, line: taken.line(of: index), column: taken.column(of: index))
        }
        if options.requiresEqualCounts, taken.count != expected {
            throw CSVError(
                .fieldCount, line: taken.line, column: 1,
                text: "The record has \(taken.count) values where the header has \(expected).")
        }
        return taken
    }
}
