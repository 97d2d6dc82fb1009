import Archive
import Crypto
import Files
import Glibc
import JSONBytes

/// Verifies exported folders against their manifests.
package struct Verification {
    /// Something that differs from the manifest.
    package struct Finding: Sendable, Equatable, CustomStringConvertible {
        /// The path of the file or folder.
        package let path: String
        package let text: String

        package var description: String { "\(path): \(text)" }
    }

    /// How many folders were checked.
    package private(set) var folders = 0
    package private(set) var findings: [Finding] = []

    /// Checks every folder with a manifest in `path` and two levels below; skips folders of runs in progress. Throws
    /// if there is none.
    package static func verify(_ path: String) throws -> Verification {
        var verification = Verification()
        try verification.look(at: path, depth: 0)
        guard verification.folders > 0 else { throw ExportError.nothingToVerify(path: path) }
        return verification
    }

    private mutating func look(at path: String, depth: Int) throws {
        if Folder.kind(of: "\(path)/\(ExportManifest.name)") != nil {
            folders += 1
            return try verify(folder: path)
        }
        let folders = Folder.names(in: path).filter {
            !$0.hasPrefix(".") && Folder.exists("\(path)/\($0)")
        }
        if depth == 2 || folders.isEmpty, depth > 0 {
            self.folders += 1
            return report(path, "holds no \(ExportManifest.name)")
        }
        for name in folders { try look(at: "\(path)/\(name)", depth: depth + 1) }
        followOn(in: path)
    }

    /// Reports where a folder does not continue the one before it. The first one may continue what was removed since.
    private mutating func followOn(in parent: String) {
        let written = WrittenFolder.all(in: parent)
        for (former, next) in zip(written, written.dropFirst()) {
            let path = "\(parent)/\(next.name)"
            if let since = next.since, since > former.snapshotAt {
                report(
                    path,
                    "holds changes since \(since), but \(former.name) ends at \(former.snapshotAt): a folder "
                        + "between them is missing, or went elsewhere. Export with --full.")
            }
        }
    }

    private mutating func verify(folder: String) throws {
        let path = "\(folder)/\(ExportManifest.name)"
        guard let entries = try Verification.entries(path) else {
            return report(path, "is not a manifest of a known schema version")
        }
        for entry in entries { try verify(entry, in: folder) }
        let known = Set(entries.map(\.name) + [ExportManifest.name])
        for name in Folder.names(in: folder) where !known.contains(name) {
            report("\(folder)/\(name)", "is not in the manifest")
        }
        let required = DataSet.all.flatMap { ["\($0.name).csv.gz", "\($0.name).ndjson.gz"] }
        for name in required + [SchemaDocument.name, LoadScript.name] where !known.contains(name) {
            report("\(folder)/\(name)", "is missing in the manifest")
        }
    }

    private mutating func verify(_ entry: Entry, in folder: String) throws {
        let path = "\(folder)/\(entry.name)"
        guard Folder.kind(of: path) == S_IFREG else { return report(path, "is missing") }
        let file = try File.reading(path)
        let digest = RunningSHA256()
        var bytes = 0
        func next() throws -> [UInt8]? {
            guard let piece = try file.next() else { return nil }
            digest.update(piece)
            bytes += piece.count
            return piece
        }
        if let rows = entry.rows {
            do {
                let count = try RecordCount(entry.name).count(GzipReader(limit: .max, source: next))
                if count != rows { report(path, "holds \(count) rows instead of \(rows)") }
            } catch is ArchiveError {
                report(path, "is not a complete gzip file")
            }
        }
        while try next() != nil {}
        if bytes != entry.bytes {
            report(path, "has \(bytes) bytes instead of \(entry.bytes)")
        } else if digest.digest().description != entry.sha256 {
            report(path, "has another SHA-256 than the manifest says")
        }
    }

    private mutating func report(_ path: String, _ text: String) {
        findings.append(Finding(path: path, text: text))
    }
}

extension Verification {
    /// A file as described by the manifest.
    private struct Entry {
        let name: String
        let rows: Int?
        let bytes: Int
        let sha256: String

        init?(_ value: JSONValue) {
            guard let name = value["name"]?.text, let bytes = value["bytes"]?.int64,
                let sha256 = value["sha256"]?.text, !name.isEmpty, !name.contains("/")
            else { return nil }
            self.name = name
            self.bytes = Int(bytes)
            self.sha256 = sha256
            rows = value["rows"]?.int64.map { Int($0) }
        }
    }

    /// The entries of a manifest; `nil` if this version cannot read it.
    private static func entries(_ path: String) throws -> [Entry]? {
        let file = try File.reading(path)
        let bytes = try file.bytes(in: 0..<min(file.size(), ExportManifest.bytesMax))
        guard let manifest = try? JSONValue(parsing: bytes),
            manifest["schemaVersion"]?.int64.map(ExportManifest.readableVersions.contains) == true,
            let files = manifest["files"]?.array
        else { return nil }
        let entries = files.compactMap { Entry($0) }
        return entries.count == files.count ? entries : nil
    }
}

/// Counts the rows of a file of any length.
private struct RecordCount {
    private let isCSV: Bool

    init(_ name: String) {
        isCSV = name.hasSuffix(".csv.gz")
    }

    /// Counts line feeds; in CSV only those outside quotes, without the header's. A doubled quote closes and opens.
    func count(_ reader: GzipReader) throws -> Int {
        var records = isCSV ? -1 : 0
        var isQuoted = false
        while let piece = try reader.next() {
            for byte in piece {
                if byte == UInt8(ascii: "\n"), !isQuoted { records += 1 }
                if isCSV, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            }
        }
        return records
    }
}
