import API
import JSONBytes
import Postgres

extension RosterField {
    /// Writes the field of a row as a member of an object; leaves out a field without a value.
    ///
    /// - Parameter root: the URLs that references begin with.
    func write(_ row: Row, root: ReferenceRoot, into writer: inout JSONWriter) throws {
        switch value {
        case .text(let column), .word(let column, _):
            guard let text = try row.optionalText(column.name.description) else { return }
            writer.key(name)
            writer.text(text)
        case .texts(let column):
            writer.key(name)
            writer.beginArray()
            for text in try row.textArray(column.name.description) { writer.text(text) }
            writer.endArray()
        case .timestamp(let column):
            writer.key(name)
            writer.timestamp(try row.timestamp(column.name.description))
        case .day(let column):
            guard let day = try row.optionalDay(column.name.description) else { return }
            writer.key(name)
            writer.day(day)
        case .number(let column):
            guard let number = try row.optionalDouble(column.name.description) else { return }
            writer.key(name)
            writer.double(number)
        case .document(let column, _):
            guard let text = try row.optionalText(column.name.description) else { return }
            writer.key(name)
            try JSONValue(parsing: Array(text.utf8)).write(into: &writer)
        case .reference(let column, let target):
            guard let id = try row.optionalText(column.name.description) else { return }
            writer.key(name)
            target.write(id, root: root, into: &writer)
        case .references(let column, let target):
            writer.key(name)
            writer.beginArray()
            for id in try row.textArray(column.name.description) {
                target.write(id, root: root, into: &writer)
            }
            writer.endArray()
        case .roles(let roles, let kinds, let orgs):
            try writeRoles(row, roles, kinds, orgs, root: root, into: &writer)
        }
    }

    private func writeRoles(
        _ row: Row, _ roles: RosterColumn, _ kinds: RosterColumn, _ orgs: RosterColumn,
        root: ReferenceRoot, into writer: inout JSONWriter
    ) throws {
        let words = try row.textArray(roles.name.description)
        let kinds = try row.textArray(kinds.name.description)
        let orgs = try row.textArray(orgs.name.description)
        writer.key(name)
        writer.beginArray()
        for (role, (kind, org)) in zip(words, zip(kinds, orgs)) {
            writer.beginObject()
            writer.key("roleType")
            writer.text(kind)
            writer.key("role")
            writer.text(role)
            writer.key("org")
            ReferenceTarget.org.write(org, root: root, into: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    /// The field in the API document. None is always there: `fields` leaves out what it does not name.
    var documented: Field {
        let shape: Shape =
            switch value {
            case .text: .text(0...4000)
            case .word(_, let words): .word(words)
            case .texts: .array(.text(0...4000), count: 0...1000)
            case .timestamp: .timestamp
            case .day: .day
            case .number: .number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
            case .document(_, let isList):
                isList ? .array(.map(.anything), count: 0...10_000) : .map(.anything)
            case .reference(_, let target): target.shape
            case .references(_, let target): .array(target.shape, count: 0...100_000)
            case .roles:
                .array(
                    .fields(
                        "OneRosterRole",
                        [
                            .required("roleType", .word(["primary", "secondary"])),
                            .required("role", .text(1...100)),
                            .required("org", ReferenceTarget.org.shape),
                        ]), count: 0...10_000)
            }
        return .optional(name, shape)
    }
}

/// The URLs that references begin with.
struct ReferenceRoot {
    /// By which the client knows this server.
    let server: String
    let edition: Edition

    fileprivate func url(of part: Part) -> String { server + edition.path(of: part) }
}

extension ReferenceTarget {
    func write(_ id: String, root: ReferenceRoot, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("href")
        writer.text("\(root.url(of: part))/\(path)/\(percentEncode(id))")
        writer.key("sourcedId")
        writer.text(id)
        writer.key("type")
        writer.text(type)
        writer.endObject()
    }

    var shape: Shape {
        .fields(
            "OneRosterReference",
            [
                .required("href", .text(1...8000)), .required("sourcedId", .text(1...1000)),
                .required("type", .text(1...100), "The standard’s word for what it is."),
            ])
    }
}
