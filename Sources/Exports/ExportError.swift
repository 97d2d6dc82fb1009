import Glibc

/// Why an organization was not exported, or a folder not looked at.
package enum ExportError: Error, Sendable, CustomStringConvertible {
    /// A file or folder could not be read or written.
    case file(action: String, path: String, number: Int32)
    /// Another run has the organization.
    case running
    /// PostgreSQL gave a row that does not begin as it was asked to.
    case unreadableRow
    /// There is nothing that looks like an export.
    case nothingToVerify(path: String)

    package var description: String {
        switch self {
        case .file(let action, let path, let number):
            "Cannot \(action) \(path): \(String(cString: strerror(number)))."
        case .running: "Another run exports this organization right now."
        case .unreadableRow: "PostgreSQL gave a row that does not begin with its JSON."
        case .nothingToVerify(let path): "There is no exported folder in \(path)."
        }
    }
}
