private let comma = UInt8(ascii: ",")
private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
private let space = UInt8(ascii: " ")
private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")

extension CSVParser {
    /// Reads on to the end of the record; returns false if the chunk ends first.
    mutating func scan() throws(CSVError) -> Bool {
        let chunk = self.chunk
        while position < chunk.count {
            let byte = chunk[position]
            switch state {
            case .beforeRecord:
                switch byte {
                case lineFeed: nextLine()
                case carriageReturn: move(to: .carriageReturn)
                default: state = .beforeField
                }
            case .beforeField:
                if options.isLenient, byte == space {
                    move(to: .beforeField)
                    continue
                }
                try beginField()
                state = .plain
                if byte == quote { move(to: .quoted) }
            case .plain:
                try copyPlain(chunk)
                if position < chunk.count, try endPlain(chunk[position]) { return true }
            case .plainBackslash:
                state = .plain
                try append(byte == quote ? quote : backslash)
                if byte == quote { move(to: .plain) }
            case .quoted:
                try copyQuoted(chunk)
                if position < chunk.count { try endQuoted(chunk[position]) }
            case .quotedBackslash: try escaped(byte)
            case .afterQuote: if try afterQuote(byte) { return true }
            case .afterQuoteAndSpace: if try afterQuoteAndSpace(byte) { return true }
            case .carriageReturn:
                if byte == lineFeed {
                    nextLine()
                } else {
                    guard options.isLenient else { throw errorHere(.bareCarriageReturn) }
                    line += 1
                    column = 1
                }
                state = .beforeRecord
                if !record.positions.isEmpty { return true }
            }
        }
        return false
    }

    /// Copies everything up to a byte with a meaning outside quotation marks.
    private mutating func copyPlain(_ chunk: [UInt8]) throws(CSVError) {
        let start = position
        var end = start
        while end < chunk.count {
            let byte = chunk[end]
            if byte == separators.0 || byte == separators.1 || byte == lineFeed
                || byte == carriageReturn || byte == quote || byte == backslash || byte == 0
            {
                break
            }
            count(byte)
            end += 1
        }
        try append(chunk[start..<end])
        position = end
    }

    /// Returns true at the end of the record.
    private mutating func endPlain(_ byte: UInt8) throws(CSVError) -> Bool {
        switch byte {
        case quote:
            guard options.isLenient else { throw errorHere(.strayQuote) }
            record.isMended = true
            try append(quote)
            move(to: .plain)
            return false
        case 0:
            try flaw(.nullCharacter)
            move(to: .plain)
            return false
        case backslash:
            if options.backslashEscapes {
                move(to: .plainBackslash)
            } else {
                try append(backslash)
                move(to: .plain)
            }
            return false
        default: return endFieldAndPass(byte)
        }
    }

    /// Ends the value at a separator or line end and skips that; returns true at the end of the record.
    private mutating func endFieldAndPass(_ byte: UInt8) -> Bool {
        endField()
        switch byte {
        case lineFeed:
            nextLine()
            state = .beforeRecord
            return true
        case carriageReturn: move(to: .carriageReturn)
        default:
            separators = (byte, byte)
            move(to: .beforeField)
        }
        return false
    }

    /// Copies everything up to a byte with a meaning inside quotation marks.
    private mutating func copyQuoted(_ chunk: [UInt8]) throws(CSVError) {
        let start = position
        var end = start
        while end < chunk.count {
            let byte = chunk[end]
            if byte == quote || byte == backslash || byte == 0 { break }
            if byte == lineFeed {
                line += 1
                column = 1
            } else {
                count(byte)
            }
            end += 1
        }
        try append(chunk[start..<end])
        position = end
    }

    private mutating func endQuoted(_ byte: UInt8) throws(CSVError) {
        switch byte {
        case quote: move(to: .afterQuote)
        case 0:
            try flaw(.nullCharacter)
            move(to: .quoted)
        default:
            if options.backslashEscapes { return move(to: .quotedBackslash) }
            try append(backslash)
            move(to: .quoted)
        }
    }

    /// Reads what follows a backslash between quotation marks; a backslash is literal unless a quotation mark,
    /// a line break or a backslash follows.
    private mutating func escaped(_ byte: UInt8) throws(CSVError) {
        state = .quoted
        switch byte {
        case quote, backslash, carriageReturn:
            try append(byte)
            move(to: .quoted)
        case lineFeed:
            try append(byte)
            nextLine()
        default: try append(backslash)
        }
    }

    /// Reads what follows a quotation mark that may close the value; returns true at the end of the record.
    private mutating func afterQuote(_ byte: UInt8) throws(CSVError) -> Bool {
        switch byte {
        case quote:
            try append(byte)
            move(to: .quoted)
            return false
        case lineFeed, carriageReturn, separators.0, separators.1: return endFieldAndPass(byte)
        case space where options.isLenient:
            move(to: .afterQuoteAndSpace)
            return false
        default:
            try flaw(.textAfterQuote)
            state = .plain
            return false
        }
    }

    /// Reads what follows a space behind the closing quotation mark; returns true at the end of the record.
    private mutating func afterQuoteAndSpace(_ byte: UInt8) throws(CSVError) -> Bool {
        switch byte {
        case lineFeed, carriageReturn, separators.0, separators.1: return endFieldAndPass(byte)
        case space: move(to: .afterQuoteAndSpace)
        default:
            try flaw(.textAfterQuote)
            state = .plain
        }
        return false
    }

    /// Throws an error, or notes it of the record, which is then read on to the end of its line.
    private mutating func flaw(_ code: CSVError.Code) throws(CSVError) {
        guard options.isLenient else { throw errorHere(code) }
        if record.flaw == nil { record.flaw = errorHere(code) }
    }

    mutating func beginField() throws(CSVError) {
        guard record.count < options.fieldCount else { throw errorHere(.tooManyFields) }
        record.positions.append(CSVRecord.Position(end: 0, line: line, column: column))
    }

    mutating func endField() {
        record.positions[record.positions.count - 1].end = record.bytes.count
        record.bytes.append(comma)
    }

    mutating func append(_ byte: UInt8) throws(CSVError) {
        record.bytes.append(byte)
        try checkLength()
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(CSVError) {
        record.bytes.append(contentsOf: bytes)
        try checkLength()
    }

    /// Throws the error for the limit that was exceeded first, however many bytes came at once.
    private func checkLength() throws(CSVError) {
        let fieldExcess = record.openLength - options.fieldLength
        let recordExcess = record.bytes.count - options.recordLength
        guard fieldExcess > 0 || recordExcess > 0 else { return }
        if fieldExcess >= recordExcess { throw fieldError(.fieldTooLong) }
        throw CSVError(.recordTooLong, line: record.line, column: 1)
    }

    /// An error at the start of the value being read.
    func fieldError(_ code: CSVError.Code) -> CSVError {
        guard let field = record.positions.last else { return errorHere(code) }
        return CSVError(code, line: field.line, column: field.column)
    }

    private func errorHere(_ code: CSVError.Code) -> CSVError {
        CSVError(code, line: line, column: column)
    }

    private mutating func count(_ byte: UInt8) {
        seenBits |= byte
        if byte & 0xC0 != 0x80 { column += 1 }
    }

    private mutating func move(to next: State) {
        position += 1
        column += 1
        state = next
    }

    private mutating func nextLine() {
        position += 1
        line += 1
        column = 1
    }
}
