import Files
import Glibc
import Postgres
import School
import Values

/// The folder for the files of ordered exports: `SPOOL/exports/ORGANIZATION/EXPORT`.
struct ExportSpool: Sendable {
    private let root: String

    /// - Parameter spool: the folder for data that is too large for memory.
    init(_ spool: String) {
        root = "\(spool)/exports"
    }

    func folder(of id: ExportID, in organizationID: OrganizationID) -> ExportFolder {
        ExportFolder(root, organizationID: organizationID, name: id.uuid.description)
    }

    /// Removes the files of exports that the database reports as expired; others are left alone.
    func removeExpired(_ connection: BlockingConnection) throws {
        var folders: [UUID: String] = [:]
        for organization in Folder.names(in: root) {
            for name in Folder.names(in: "\(root)/\(organization)") {
                if let id = UUID(name) { folders[id] = "\(root)/\(organization)/\(name)" }
            }
        }
        for row in try connection.query(.expireExports(Array(folders.keys))) {
            if let folder = folders[try row.uuid("export_id")] { try Folder.remove(folder) }
        }
    }
}
