import Glibc

/// Why an organization was not exported, or a folder not looked at.
package enum ExportError: Error, Sendable, CustomStringConvertible {
    /// A file or folder could not be read or written.
    case file(action: String, path: String, number: Int32)
    /// Another run has the organization.
    case running
    /// Both formats of a data set should hold the same rows and do not.
    case differentCounts(dataSet: String)
    /// There is nothing that looks like an export.
    case nothingToVerify(path: String)

    package var description: String {
        switch self {
        case .file(let action, let path, let number):
            "Cannot \(action) \(path): \(String(cString: strerror(number)))."
        case .running: "Another run exports this organization right now."
        case .differentCounts(let name): "The two formats of \(name) hold different rows."
        case .nothingToVerify(let path): "There is no exported folder in \(path)."
        }
    }
}
