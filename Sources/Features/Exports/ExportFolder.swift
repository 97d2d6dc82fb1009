import Files
import School
import Values

/// The folder for the files of an organization and a date: `DIR/ORGANIZATION/DATE`, or `DATE.2` and so on if that
/// exists and is not enough. Files of an ordered export go under its id.
///
/// They are written to a hidden temporary folder beside it, which the next run removes if it was left behind.
struct ExportFolder {
    private static let suffix = ".partial"

    /// The organization's folder.
    let parent: String
    private let name: String
    var path: String { "\(parent)/\(name)" }
    /// The temporary folder in which the files are written.
    var aside: String { "\(parent)/.\(name)\(ExportFolder.suffix)" }
    let exists: Bool

    init(_ root: String, organizationID: OrganizationID, day: Day, again: Bool) {
        parent = "\(root)/\(organizationID.uuid)"
        var name = day.description
        var number = 1
        while again, Folder.kind(of: "\(parent)/\(name)") != nil {
            number += 1
            name = "\(day).\(number)"
        }
        self.name = name
        exists = Folder.kind(of: "\(parent)/\(name)") != nil
    }

    init(_ root: String, organizationID: OrganizationID, name: String) {
        parent = "\(root)/\(organizationID.uuid)"
        self.name = name
        exists = Folder.kind(of: "\(parent)/\(name)") != nil
    }

    /// Removes the folder with its contents; a missing folder is not an error.
    func remove() throws(FileError) {
        if exists { try Folder.remove(path) }
    }

    /// Removes what killed runs left behind. Only for the holder of the organization's lock.
    func clean() throws(FileError) {
        for name in Folder.names(in: parent)
        where name.hasPrefix(".") && name.hasSuffix(ExportFolder.suffix) {
            try Folder.remove("\(parent)/\(name)")
        }
    }

    /// Creates the temporary folder.
    func begin() throws(FileError) {
        try Folder.make(parent, mode: 0o750, isDurable: true)
        try Folder.make(aside, mode: 0o750, isDurable: true)
    }

    /// Makes the complete folder appear.
    func appear() throws(FileError) {
        try Folder.sync(aside)
        try Folder.rename(aside, to: path)
        try Folder.sync(parent)
    }

    /// Removes the temporary folder.
    func giveUp() {
        try? Folder.remove(aside)
    }
}
