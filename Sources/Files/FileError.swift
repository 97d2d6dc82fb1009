import Glibc

/// A call of the system with a file or folder that failed.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried, as a verb: "read", "make the folder".
    package let action: String
    package let path: String
    /// What `errno` was.
    package let number: Int32

    package init(_ action: String, _ path: String, _ number: Int32) {
        self.action = action
        self.path = path
        self.number = number
    }

    /// Whether the disk, or the account's share of it, is full.
    package var isForLackOfRoom: Bool { number == ENOSPC || number == EDQUOT }

    package var isForAbsence: Bool { number == ENOENT }

    /// What the system calls it.
    package var reason: String { String(cString: strerror(number)) }

    package var description: String { "Cannot \(action) \(path): \(reason)" }
}

/// Throws what `errno` says where a call failed.
func check(
    _ succeeded: Bool, _ action: String, _ path: String
) throws(FileError) {
    if !succeeded { throw FileError(action, path, errno) }
}

/// Calls again while a signal interrupts the call; the result is negative where it failed.
func uninterrupted(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
