import Glibc

/// A system call on a file or folder that failed.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried, as a verb: "read", "make the folder".
    package let action: String
    package let path: String
    /// The value of `errno`.
    package let number: Int32

    package init(_ action: String, _ path: String, _ number: Int32) {
        self.action = action
        self.path = path
        self.number = number
    }

    /// Whether the disk is full, or the account's quota is used up.
    package var isForLackOfSpace: Bool { number == ENOSPC || number == EDQUOT }

    package var isForAbsence: Bool { number == ENOENT }

    /// The system's description of the error.
    package var reason: String { String(cString: strerror(number)) }

    package var description: String { "Cannot \(action) \(path): \(reason)" }
}

/// Throws the error in `errno` if a call failed.
func check(
    _ succeeded: Bool, _ action: String, _ path: String
) throws(FileError) {
    if !succeeded { throw FileError(action, path, errno) }
}

/// Repeats the call while signals interrupt it; the result is negative if it failed.
func uninterrupted(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
