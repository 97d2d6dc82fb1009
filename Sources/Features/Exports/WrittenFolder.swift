import Files
import JSONBytes
import Values

/// A finished folder of an organization's nightly exports, as its manifest says.
struct WrittenFolder {
    /// `DATE`, or `DATE.2` and so on.
    let name: String
    let day: Day
    /// Which one of that day it is, from 1.
    let number: Int
    let snapshotAt: Timestamp
    /// The moment from which it holds changes; `nil` if it holds everything.
    let since: Timestamp?
    /// `nil` if nothing was sealed yet.
    let auditHead: AuditHead?

    /// `nil` if the name is not a date, or the manifest is missing or unreadable.
    private init?(_ name: String, in parent: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let day = Day(parts[0]), parts.count < 3,
            let number = parts.count == 1 ? 1 : Int(parts[1]),
            let bytes = try? File.contents(
                of: "\(parent)/\(name)/\(ExportManifest.name)", limit: ExportManifest.bytesMax),
            let manifest = try? JSONValue(parsing: bytes),
            let snapshotAt = manifest["snapshotAt"]?.text.flatMap({ Timestamp($0) })
        else { return nil }
        self.name = name
        self.day = day
        self.number = number
        self.snapshotAt = snapshotAt
        since = manifest["since"]?.text.flatMap { Timestamp($0) }
        auditHead = AuditHead(manifest["auditHead"])
    }

    /// Those of an organization in the order in which a receiver loads them. That is not always the order of their
    /// snapshots: a clock may have been set back.
    static func all(in parent: String) -> [WrittenFolder] {
        Folder.names(in: parent).filter { !$0.hasPrefix(".") }
            .compactMap { WrittenFolder($0, in: parent) }
            .sorted { ($0.day, $0.number) < ($1.day, $1.number) }
    }
}
