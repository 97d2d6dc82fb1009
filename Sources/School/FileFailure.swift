import Glibc

/// A call of the system with a file that failed.
package protocol FileFailure: Error {
    /// What `errno` was.
    var number: Int32 { get }
}

extension FileFailure {
    /// Whether the disk, or the account's share of it, is full.
    package var isForLackOfRoom: Bool { number == ENOSPC || number == EDQUOT }
}
