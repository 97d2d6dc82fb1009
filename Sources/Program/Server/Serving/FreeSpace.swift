import Glibc

/// The free disk space where the data is stored.
struct FreeSpace: Equatable {
    /// What this account may still write, and the size of the file system, in bytes.
    let free: Int
    let total: Int

    /// The thresholds for a warning and an error of the doctor, in bytes: PostgreSQL stops if it cannot write, and
    /// needs some space to start again.
    static let warning = 2 << 30
    static let error = 256 << 20

    /// Reads the file system of a folder, or of its nearest existing parent; `nil` if the system does not say.
    init?(at folder: String) {
        var path = folder
        while access(path, F_OK) != 0, let slash = path.lastIndex(of: "/"), path != "/" {
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        free = Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        total = Int(clamping: UInt64(status.f_blocks) &* UInt64(status.f_frsize))
    }

    init(free: Int, total: Int) {
        self.free = free
        self.total = total
    }

    /// Whether too little is left; a small disk may be nine tenths full.
    var isLow: Bool { free < min(FreeSpace.warning, max(FreeSpace.error, total / 10)) }
    var isFull: Bool { free < FreeSpace.error }

    /// In words, for a person.
    func sentence(for folder: String) -> String {
        "Only \(free >> 20) MiB of \(total >> 20) MiB are free in \(folder)."
    }
}
