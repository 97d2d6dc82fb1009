import CLibzip
import Files

/// Lists and unpacks an untrusted ZIP file.
///
/// Opening it checks all names and sizes in the archive's directory; unpacking checks that the content matches
/// them. Anything else in the headers before each file is ignored, since honest programs leave it blank. Calls
/// block and must not overlap: one thread at a time uses it.
package final class ZipReader: @unchecked Sendable {
    /// A file in the archive.
    package struct Entry: Sendable, Equatable {
        package let name: String
        /// In bytes, as the archive announces it.
        package let compressedSize: Int
        /// In bytes, as the archive announces it; unpacking never returns more.
        package let size: Int
        let index: UInt64
    }

    /// The files in the order of the archive; folders are left out.
    package let entries: [Entry]
    let limits: ArchiveLimits
    let archive: OpaquePointer

    /// Opens an archive from a file.
    package convenience init(
        path: String, limits: ArchiveLimits = ArchiveLimits()
    ) throws(ArchiveError) {
        let file: ArchiveFile
        do throws(FileError) {
            file = try ArchiveFile(path: path)
        } catch {
            throw ArchiveError(.notReadable)
        }
        try self.init(file, limits: limits)
    }

    /// Opens an archive; refuses it as a whole if one of its files exceeds a limit.
    package init(
        _ bytes: any ArchiveBytes, limits: ArchiveLimits = ArchiveLimits()
    ) throws(ArchiveError) {
        try ZipDirectory.check(bytes, limits: limits)
        let archive = try ZipSource.open(bytes)
        do throws(ArchiveError) {
            entries = try ZipReader.list(archive, fileSize: bytes.size, limits: limits)
        } catch {
            zip_discard(archive)
            throw error
        }
        self.archive = archive
        self.limits = limits
    }

    deinit { zip_discard(archive) }

    /// The file with exactly this name; `nil` if there is none.
    package subscript(name: String) -> Entry? { entries.first { $0.name == name } }

    /// Starts unpacking a file.
    package func stream(
        _ entry: Entry, chunkSize: Int = 64 * 1024
    ) throws(ArchiveError) -> ZipEntryStream {
        try ZipEntryStream(of: self, entry, chunkSize: chunkSize)
    }

    /// Unpacks a whole file into memory; refuses a file longer than `limit` bytes.
    package func read(_ entry: Entry, limit: Int = 16 * 1024 * 1024) throws(ArchiveError) -> [UInt8]
    {
        guard entry.size <= limit else { throw ArchiveError(.tooLarge, entry: entry.name) }
        let stream = try stream(entry)
        var content: [UInt8] = []
        content.reserveCapacity(entry.size)
        while let chunk = try stream.next() { content += chunk }
        return content
    }

    private static func list(
        _ archive: OpaquePointer, fileSize: Int, limits: ArchiveLimits
    ) throws(ArchiveError) -> [Entry] {
        let count = zip_get_num_entries(archive, 0)
        guard count <= limits.entries else { throw ArchiveError(.tooManyEntries) }
        var entries: [Entry] = []
        var names: Set<String> = []
        var totalSize = 0
        var totalCompressedSize = 0
        for index in 0..<UInt64(max(count, 0)) {
            let entry = try entry(index, of: archive, limits: limits)
            guard names.insert(entry.name).inserted else {
                throw ArchiveError(.duplicateName, entry: entry.name)
            }
            totalSize += entry.size
            guard totalSize <= limits.totalSize else {
                throw ArchiveError(.tooLarge, entry: entry.name)
            }
            // Files that share their packed bytes would multiply the content beyond the ratio.
            totalCompressedSize += entry.compressedSize
            guard totalCompressedSize <= fileSize else {
                throw ArchiveError(.damaged, entry: entry.name)
            }
            if !entry.name.hasSuffix("/") { entries.append(entry) }
        }
        return entries
    }

    private static func entry(
        _ index: UInt64, of archive: OpaquePointer, limits: ArchiveLimits
    ) throws(ArchiveError) -> Entry {
        var status = zip_stat_t()
        let needed = UInt64(
            ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD
                | ZIP_STAT_ENCRYPTION_METHOD)
        guard zip_stat_index(archive, index, 0, &status) == 0, status.valid & needed == needed,
            let name = status.name.flatMap({ String(validatingCString: $0) })
        else { throw ArchiveError(.damaged) }
        if let problem = problem(ofName: name, limits: limits) {
            throw ArchiveError(problem, entry: name)
        }
        guard status.encryption_method == UInt16(ZIP_EM_NONE) else {
            throw ArchiveError(.encrypted, entry: name)
        }
        guard
            status.comp_method == UInt16(ZIP_CM_STORE)
                || status.comp_method == UInt16(ZIP_CM_DEFLATE)
        else { throw ArchiveError(.unsupportedCompression, entry: name) }
        guard let size = Int(exactly: status.size), size <= limits.totalSize,
            let compressedSize = Int(exactly: status.comp_size), compressedSize <= limits.totalSize
        else { throw ArchiveError(.tooLarge, entry: name) }
        guard !limits.suspects(size, from: compressedSize) else {
            throw ArchiveError(.compressedTooMuch, entry: name)
        }
        return Entry(name: name, compressedSize: compressedSize, size: size, index: index)
    }

    /// What is wrong with a name: absolute, leading out of its folder, or with characters that some system
    /// treats as part of a path.
    private static func problem(ofName name: String, limits: ArchiveLimits) -> ArchiveError.Code? {
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
        var steps = name.split(separator: "/", omittingEmptySubsequences: false)
        if steps.count > 1, steps.last == "" { steps.removeLast() }
        let isRelative = steps.allSatisfy { $0 != "" && $0 != "." && $0 != ".." }
        guard isPlain, isRelative, name.utf8.count <= 255 else { return .unsafeName }
        return name.utf8.contains(UInt8(ascii: "/")) && !limits.allowsFolders ? .folder : nil
    }
}
