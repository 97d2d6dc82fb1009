import Archive
import Glibc

/// ZIP archives: nothing comes out beyond the limits, whatever the directory says.
enum ArchiveProperties {
    private static let limits: ArchiveLimits = {
        var limits = ArchiveLimits()
        limits.entries = 8
        limits.totalSize = 100_000
        limits.sizeFreeOfRatio = 5000
        return limits
    }()

    /// A file without a name that is rewritten for each input.
    private static let file = tmpfile().map { fileno($0) } ?? -1
    private static let path = "/proc/self/fd/\(file)"

    static func check(_ input: UnsafeRawBufferPointer) {
        require(ftruncate(file, off_t(input.count)) == 0, "the file can be truncated")
        require(pwrite(file, input.baseAddress, input.count, 0) == input.count, "it can be written")
        guard let archive = try? ZipReader(path: path, limits: limits) else { return }
        require(archive.entries.count <= limits.entries, "an archive keeps to the limit on files")
        var total = 0
        for entry in archive.entries {
            require(
                !entry.name.hasPrefix("/") && !entry.name.contains("\\") && entry.name != "..",
                "a name leads nowhere outside")
            guard let content = try? archive.read(entry) else { continue }
            require(content.count == entry.size, "a file is as long as announced")
            total += content.count
        }
        require(total <= limits.totalSize, "an archive keeps to the limit on bytes")
    }
}
