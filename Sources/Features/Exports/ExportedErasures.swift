import Archive
import CSV
import Files
import Glibc
import JSONBytes
import School
import Values

/// The people who were erased, from the `deletions` of exported folders.
package struct ExportedErasures {
    /// One person of one organization.
    package struct Erasure: Hashable, Sendable {
        package let organizationID: OrganizationID
        package let personID: PersonID

        package init(organizationID: OrganizationID, personID: PersonID) {
            self.organizationID = organizationID
            self.personID = personID
        }
    }

    /// How many folders were read.
    package private(set) var folders = 0
    /// Each erasure once, in the order in which they were found.
    package private(set) var erasures: [Erasure] = []
    private var known: Set<Erasure> = []

    package init() {}

    /// Reads every export in `path` and two levels below: its JSON lines, or its CSV if it has no JSON. Skips folders
    /// of runs in progress. Throws if there is no export, and at the first line that is not a deletion.
    package mutating func read(_ path: String) throws {
        let before = folders
        try look(at: path, depth: 0)
        guard folders > before else { throw ExportError.noDeletions(path: path) }
    }

    private mutating func look(at path: String, depth: Int) throws {
        let lines = "\(path)/\(DataSet.deletions.name).ndjson.gz"
        let table = "\(path)/\(DataSet.deletions.name).csv.gz"
        if Folder.kind(of: lines) != nil {
            folders += 1
            return try readLines(lines)
        }
        if Folder.kind(of: table) != nil {
            folders += 1
            return try readTable(table)
        }
        guard depth < 2 else { return }
        for name in Folder.names(in: path)
        where !name.hasPrefix(".") && Folder.exists("\(path)/\(name)") {
            try look(at: "\(path)/\(name)", depth: depth + 1)
        }
    }

    private mutating func readLines(_ path: String) throws {
        var line: [UInt8] = []
        var number = 0
        try Self.unpack(path) { piece in
            for byte in piece {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                number += 1
                let row = try? JSONValue(parsing: line)
                try take(
                    row?["kind"]?.text, row?["organization_id"]?.text, row?["subject_id"]?.text,
                    path, number)
                line.removeAll(keepingCapacity: true)
            }
        }
        guard line.isEmpty else {
            throw ExportError.unreadableLine(path: path, line: number + 1, text: "it has no end")
        }
    }

    private mutating func readTable(_ path: String) throws {
        var bytes: [UInt8] = []
        try Self.unpack(path) { bytes += $0 }
        do {
            let records = try CSVReader.records(of: bytes, options: .rfc4180)
            let header = records.first?.fields ?? []
            let columns = ["kind", "organization_id", "subject_id"].compactMap {
                header.firstIndex(of: $0)
            }
            guard columns.count == 3 else {
                throw ExportError.unreadableLine(
                    path: path, line: 1,
                    text: "the header should name kind, organization_id and subject_id")
            }
            for record in records.dropFirst() {
                let words = columns.map { record[$0] }
                try take(words[0], words[1], words[2], path, record.line)
            }
        } catch let error as CSVError {
            throw ExportError.unreadableLine(path: path, line: error.line, text: "\(error)")
        }
    }

    /// Takes a row about a person and skips all others.
    private mutating func take(
        _ kind: String?, _ organization: String?, _ subject: String?, _ path: String, _ line: Int
    ) throws {
        guard let kind, let organization = organization.flatMap({ UUID($0) }),
            let subject = subject.flatMap({ UUID($0) })
        else {
            throw ExportError.unreadableLine(
                path: path, line: line, text: "it needs kind, organization_id and subject_id")
        }
        guard kind == "person" else { return }
        let erasure = Erasure(
            organizationID: OrganizationID(organization), personID: PersonID(subject))
        if known.insert(erasure).inserted { erasures.append(erasure) }
    }

    private static func unpack(_ path: String, _ body: ([UInt8]) throws -> Void) throws {
        let file = try File.reading(path)
        do {
            let reader = GzipReader(limit: .max, source: { try file.next() })
            while let piece = try reader.next() { try body(piece) }
        } catch is ArchiveError {
            throw ExportError.noGzipFile(path: path)
        }
    }
}
