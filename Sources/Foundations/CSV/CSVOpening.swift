/// What spreadsheets and scripts write in front of a CSV file's header, taken off: marks of the encoding, a line that
/// names the separator (`sep=;`), a line that names a type (`#TYPE …`). A file in UTF-16 with its mark becomes UTF-8.
///
/// It is read like the source that it wraps.
package final class CSVOpening {
    /// What was taken off, or changed.
    package enum Note: Sendable {
        case utf16, repeatedMark, separatorLine, typeLine, semicolons, tabs
    }

    package private(set) var notes: [Note] = []
    /// What separates values, as far as the file says so itself.
    package private(set) var separator: CSVOptions.Separator = .detected
    /// How many lines were taken off.
    package private(set) var skippedLines = 0

    private let source: () throws -> [UInt8]?
    private var decoder: UTF16Decoder?
    private var head: [UInt8] = []
    private var hasEnded = false

    /// How much of a file is looked at for its first line, in bytes.
    private static let headLength = 65_536
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Reads as much as it needs to know what comes before the header.
    package init(source: @escaping () throws -> [UInt8]?) throws {
        self.source = source
        try fill { $0.count >= 2 }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            var decoder = UTF16Decoder(isBigEndian: head[0] == 0xFE)
            head = decoder.decode(Array(head.dropFirst(2)))
            self.decoder = decoder
            notes.append(.utf16)
        }
        try takeMarks()
        while try takeLine() { try takeMarks() }
        try findSeparator()
    }

    /// The next piece; `nil` after the last one.
    package func next() throws -> [UInt8]? {
        guard head.isEmpty else {
            defer { head = [] }
            return head
        }
        return try piece()
    }

    private func piece() throws -> [UInt8]? {
        guard !hasEnded, let bytes = try source() else {
            hasEnded = true
            return nil
        }
        return decoder?.decode(bytes) ?? bytes
    }

    /// Reads on until the beginning of the file is enough, or all that there is.
    private func fill(until isEnough: ([UInt8]) -> Bool) throws {
        while head.count < Self.headLength, !isEnough(head), let more = try piece() {
            head += more
        }
    }

    private func takeMarks() throws {
        var count = 0
        while true {
            try fill { $0.count >= Self.mark.count }
            guard head.starts(with: Self.mark) else { break }
            head.removeFirst(Self.mark.count)
            count += 1
        }
        if count > 1 { notes.append(.repeatedMark) }
    }

    /// Takes a line off that is not the header; false if there is none.
    private func takeLine() throws -> Bool {
        try fill { $0.contains { $0 == Self.lineFeed || $0 == Self.carriageReturn } }
        let line = head.prefix { $0 != Self.lineFeed && $0 != Self.carriageReturn }
        let text = String(decoding: line.prefix(8), as: UTF8.self).lowercased()
        if text.hasPrefix("sep="), line.count <= 5 {
            separator = Self.separator(of: line.last)
            notes.append(.separatorLine)
        } else if text.hasPrefix("#type") {
            notes.append(.typeLine)
        } else {
            return false
        }
        head.removeFirst(line.count)
        try fill { $0.count >= 2 }
        if head.first == Self.carriageReturn { head.removeFirst() }
        if head.first == Self.lineFeed { head.removeFirst() }
        skippedLines += 1
        return true
    }

    private static func separator(of byte: UInt8?) -> CSVOptions.Separator {
        switch byte {
        case UInt8(ascii: ","): .comma
        case UInt8(ascii: ";"): .semicolon
        case UInt8(ascii: "\t"): .tab
        default: .detected
        }
    }

    /// What stands in a header without commas separates the values.
    private func findSeparator() throws {
        guard separator == .detected else { return }
        try fill { $0.contains { $0 == Self.lineFeed || $0 == Self.carriageReturn } }
        let line = head.prefix { $0 != Self.lineFeed && $0 != Self.carriageReturn }
        guard !line.contains(UInt8(ascii: ",")) else { return }
        if line.contains(UInt8(ascii: ";")) {
            separator = .semicolon
            notes.append(.semicolons)
        } else if line.contains(UInt8(ascii: "\t")) {
            separator = .tab
            notes.append(.tabs)
        }
    }
}
