import API
import JSONBytes
import Postgres

/// Writes one field of the objects of a page. What is the same for all of them is made once: a pull of a district writes
/// millions of fields.
struct FieldWriter {
    private let rows: Rows
    private let value: RosterField.Value
    private let key: [UInt8]
    /// Of the column that it is read from.
    private let name: String
    private let position: Int
    private var reference: ReferenceWriter?

    /// - Parameter root: the URLs that references begin with.
    init(_ field: RosterField, of rows: Rows, root: ReferenceRoot) throws {
        self.rows = rows
        value = field.value
        key = JSONWriter.encodedKey(field.name)
        name = field.column.name.description
        position = try rows.position(of: name)
        reference = field.target.map { ReferenceWriter($0, root: root) }
    }

    /// Writes the field of a row as a member of an object; leaves out a field without a value.
    mutating func write(row: Int, into writer: inout JSONWriter) throws {
        switch value {
        case .text, .word, .day, .timestamp, .reference:
            try writeCell(row: row, into: &writer)
        case .number:
            guard let number = try rows[row].optionalDouble(name) else { return }
            writer.key(encoded: key)
            writer.double(number)
        case .document:
            guard let text = try rows[row].optionalText(name) else { return }
            writer.key(encoded: key)
            try JSONValue(parsing: Array(text.utf8)).write(into: &writer)
        case .texts, .references, .roles:
            writer.key(encoded: key)
            writeList(try rows[row].textArray(name), into: &writer)
        }
    }

    private mutating func writeCell(row: Int, into writer: inout JSONWriter) throws {
        let cell = try rows.cell(row: row, column: position)
        if case .null = cell { return }
        writer.key(encoded: key)
        switch cell {
        case .text(let bytes):
            if reference == nil {
                writer.text(utf8: bytes)
            } else {
                reference?.write(bytes, into: &writer)
            }
        case .timestamp(let moment): writer.timestamp(moment)
        case .day(let day): writer.day(day)
        default: writer.text(try rows[row].text(name))
        }
    }

    private mutating func writeList(_ texts: [String], into writer: inout JSONWriter) {
        writer.beginArray()
        if case .roles = value {
            writeRoles(texts, into: &writer)
        } else if reference != nil {
            for id in texts { reference?.write(id, into: &writer) }
        } else {
            for text in texts { writer.text(text) }
        }
        writer.endArray()
    }

    /// - Parameter facts: name, kind and org of each role in turn.
    private mutating func writeRoles(_ facts: [String], into writer: inout JSONWriter) {
        for first in stride(from: 0, to: facts.count - 2, by: 3) {
            writer.beginObject()
            writer.key("roleType")
            writer.text(facts[first + 1])
            writer.key("role")
            writer.text(facts[first])
            writer.key("org")
            reference?.write(facts[first + 2], into: &writer)
            writer.endObject()
        }
    }
}

extension RosterField {
    /// What its references lead to; `nil` if it has none.
    fileprivate var target: ReferenceTarget? {
        switch value {
        case .reference(_, let target), .references(_, let target): target
        case .roles: .org
        default: nil
        }
    }
}

/// The URLs that references begin with.
struct ReferenceRoot {
    /// By which the client knows this server.
    let server: String
    let edition: Edition

    fileprivate func url(of part: Part) -> String { server + edition.path(of: part) }
}

/// Writes references to objects of one collection.
private struct ReferenceWriter {
    private static let middle = Array("\",\"sourcedId\":".utf8)
    private let head: [UInt8]
    private let tail: [UInt8]
    private var bytes: [UInt8] = []

    init(_ target: ReferenceTarget, root: ReferenceRoot) {
        let url = JSONWriter.encodedText("\(root.url(of: target.part))/\(target.path)/")
        head = Array("{\"href\":".utf8) + url.dropLast()
        tail = Array(",\"type\":".utf8) + JSONWriter.encodedText(target.type) + Array("}".utf8)
    }

    mutating func write(_ id: String, into writer: inout JSONWriter) {
        var id = id
        id.withUTF8 { write(UnsafeRawBufferPointer($0), into: &writer) }
    }

    /// - Parameter id: a sourcedId in UTF-8.
    mutating func write(_ id: UnsafeRawBufferPointer, into writer: inout JSONWriter) {
        bytes.removeAll(keepingCapacity: true)
        bytes += head
        let start = bytes.count
        appendPercentEncoded(id, to: &bytes)
        let isPlain = bytes.count - start == id.count
        bytes += Self.middle
        if isPlain {
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: id)
            bytes.append(UInt8(ascii: "\""))
        } else {
            bytes += JSONWriter.encodedText(String(decoding: id, as: UTF8.self))
        }
        bytes += tail
        writer.raw(bytes)
    }
}
