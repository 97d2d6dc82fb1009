/// The header fields of a request as received; names match in any case.
///
/// Holds the bytes of the head once, and positions in it, so that an unused field costs nothing.
package struct HeaderFields: Sendable {
    struct Entry {
        var name: Range<Int>
        var value: Range<Int>
    }

    let bytes: [UInt8]
    let entries: [Entry]

    init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Fields that did not come over a connection.
    package init(_ fields: [(name: String, value: String)] = []) {
        var bytes: [UInt8] = []
        var entries: [Entry] = []
        for field in fields {
            let start = bytes.count
            bytes.append(contentsOf: field.name.utf8)
            let middle = bytes.count
            bytes.append(contentsOf: field.value.utf8)
            entries.append(Entry(name: start..<middle, value: middle..<bytes.count))
        }
        self.init(bytes: bytes, entries: entries)
    }

    package var count: Int { entries.count }

    /// The value of the first field of that name; bytes that are not UTF-8 are replaced.
    package subscript(name: String) -> String? {
        for entry in entries where matches(entry, name) { return text(entry.value) }
        return nil
    }

    /// The values of all fields of that name, in order.
    package func all(_ name: String) -> [String] {
        entries.filter { matches($0, name) }.map { text($0.value) }
    }

    /// The elements of a comma-separated list over all fields of that name, trimmed, without empty ones.
    package func list(_ name: String) -> [String] {
        all(name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { element in
                let start = element.drop(while: Characters.isBlank)
                let end = start.lastIndex { !Characters.isBlank($0) }
                return end.map { String(Substring(start[...$0])) } ?? ""
            }.filter { !$0.isEmpty }
        }
    }

    /// Names and values in order.
    package var fields: [(name: String, value: String)] {
        entries.map { (text($0.name), text($0.value)) }
    }

    private func matches(_ entry: Entry, _ name: String) -> Bool {
        guard entry.name.count == name.utf8.count else { return false }
        var name = name
        return name.withUTF8 { name in
            for (own, byte) in zip(bytes[entry.name], name) where own != byte {
                guard Characters.lowercased(own) == Characters.lowercased(byte) else {
                    return false
                }
            }
            return true
        }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}
