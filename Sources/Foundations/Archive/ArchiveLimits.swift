/// Limits on the archives that are unpacked.
package struct ArchiveLimits: Sendable {
    /// The maximum number of files.
    package var entries = 1000
    /// The maximum unpacked size of all files together, in bytes.
    package var totalSize = 4 * 1024 * 1024 * 1024
    /// How many times its packed size a file may unpack to; honest CSV stays below 30.
    package var ratio = 200
    /// The ratio is not checked up to this many unpacked bytes.
    package var sizeFreeOfRatio = 1024 * 1024
    /// Whether files may lie in folders.
    package var allowsFolders = false

    package init() {}

    /// Whether the unpacked size is suspiciously large for the packed size.
    func suspects(_ size: Int, from compressedSize: Int) -> Bool {
        size > sizeFreeOfRatio && size / ratio > compressedSize
    }
}
