/// What an archive may ask of whoever unpacks it.
package struct ArchiveLimits: Sendable {
    /// The most files.
    package var entries = 1000
    /// The most bytes of all files together, unpacked.
    package var totalSize = 4 * 1024 * 1024 * 1024
    /// How many times its packed size a file may unpack to; honest CSV stays below 30.
    package var ratio = 200
    /// Up to how many unpacked bytes the ratio does not matter.
    package var sizeFreeOfRatio = 1024 * 1024
    /// Whether files may lie in folders.
    package var allowsFolders = false

    package init() {}

    /// Whether so many packed bytes must not become so many unpacked ones.
    func suspects(_ size: Int, from compressedSize: Int) -> Bool {
        size > sizeFreeOfRatio && size / ratio > compressedSize
    }
}
