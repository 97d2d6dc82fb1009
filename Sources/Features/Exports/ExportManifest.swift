import Crypto
import JSONBytes
import School
import Values

/// What a folder contains, since when, and how to verify that it is complete.
struct ExportManifest {
    static let name = "manifest.json"
    /// Longer ones are not read.
    static let bytesMax = 1 << 20
    /// Increases when columns or files change.
    static let schemaVersion: Int64 = 3
    /// The versions of folders that can be verified.
    static let readableVersions: ClosedRange<Int64> = 2...3

    let organizationID: OrganizationID
    let day: Day
    let takenAt: Timestamp
    /// The folder contains changes from this moment on; `nil` means everything.
    let since: Timestamp?
    /// The last seal of the organization's audit trail; `nil` if nothing is sealed yet.
    var auditHead: AuditHead?
    /// Every other file, with its number of rows if it has rows.
    var files: [(file: OutputFile.Summary, rows: Int?)] = []
    /// The manifest's own file, once it is written.
    var own: OutputFile.Summary?

    /// In all data sets together; each is written as two files.
    var rows: Int { files.compactMap(\.rows).reduce(0, +) / 2 }

    /// All files of the folder, including the manifest.
    var allFiles: JSONValue {
        .array(
            (files + (own.map { [(file: $0, rows: nil)] } ?? [])).map(Self.entry))
    }

    var bytes: [UInt8] {
        let document: JSONValue = [
            "schemaVersion": .number(JSONNumber(ExportManifest.schemaVersion)),
            "organizationId": .text(organizationID.uuid.description),
            "date": .text(day.description),
            "snapshotAt": .text(takenAt.description),
            "since": since.map { .text($0.description) } ?? .null,
            "isFull": .bool(since == nil),
            "auditHead": auditHead.map { $0.json(of: organizationID) } ?? .null,
            "files": .array(files.map(Self.entry)),
        ]
        return document.bytes + [UInt8(ascii: "\n")]
    }

    private static func entry(_ file: OutputFile.Summary, _ rows: Int?) -> JSONValue {
        [
            "name": .text(file.name),
            "rows": rows.map { .number(JSONNumber(Int64($0))) } ?? .null,
            "bytes": .number(JSONNumber(Int64(file.bytes))),
            "sha256": .text(file.digest.description),
        ]
    }
}
