import Files
import School
import Values

/// Where the files of an organization and a date go: `DIR/ORGANIZATION/DATE`, or `DATE.2` and so on where that
/// exists and is not enough; those of an export that was ordered under its id.
///
/// They are written aside, in a hidden folder beside it that whoever comes next removes.
struct ExportFolder {
    private static let suffix = ".partial"

    private let parent: String
    private let name: String
    var path: String { "\(parent)/\(name)" }
    /// Where the files are written.
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

    /// Removes the folder with what is in it; one that is not there is as good.
    func remove() throws(FileError) {
        if exists { try Folder.remove(path) }
    }

    /// Removes what runs left that died. Only for who holds the organization's lock.
    func clean() throws(FileError) {
        for name in Folder.names(in: parent)
        where name.hasPrefix(".") && name.hasSuffix(ExportFolder.suffix) {
            try Folder.remove("\(parent)/\(name)")
        }
    }

    /// Makes the folder aside.
    func begin() throws(FileError) {
        try Folder.make(parent, mode: 0o750, isDurable: true)
        try Folder.make(aside, mode: 0o750, isDurable: true)
    }

    /// Makes the folder appear, whole.
    func appear() throws(FileError) {
        try Folder.sync(aside)
        try Folder.rename(aside, to: path)
        try Folder.sync(parent)
    }

    /// Removes what was written aside.
    func giveUp() {
        try? Folder.remove(aside)
    }
}
