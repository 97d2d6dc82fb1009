import CLibzip
import Glibc

/// Writes a ZIP file whose bytes depend only on its content: every file is dated 1980-01-01.
///
/// The contents stay in memory until the end: `close()` moves the finished archive to its path atomically. Calls block.
package final class ZipWriter {
    private var archive: OpaquePointer?

    /// Begins an archive that replaces whatever is at the path.
    package init(path: String) throws(ArchiveError) {
        var number: Int32 = 0
        archive = zip_open(path, Int32(ZIP_CREATE) | Int32(ZIP_TRUNCATE), &number)
        guard archive != nil else { throw ArchiveError(.notWritable) }
    }

    /// Without `close()` nothing is written.
    deinit {
        if let archive { zip_discard(archive) }
    }

    /// Adds a file; each name can be added once.
    package func add(_ name: String, _ content: [UInt8]) throws(ArchiveError) {
        guard let archive else { throw ArchiveError(.notWritable, entry: name) }
        // libzip reads the content when the archive is closed, and then frees it.
        guard let copy = malloc(max(content.count, 1)) else {
            throw ArchiveError(.notWritable, entry: name)
        }
        content.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { memcpy(copy, start, bytes.count) }
        }
        guard let source = zip_source_buffer(archive, copy, UInt64(content.count), 1) else {
            free(copy)
            throw ArchiveError(.notWritable, entry: name)
        }
        let index = zip_file_add(archive, name, source, UInt32(ZIP_FL_ENC_UTF_8))
        guard index >= 0 else {
            let isDuplicate = zip_error_code_zip(zip_get_error(archive)) == ZIP_ER_EXISTS
            zip_source_free(source)
            throw ArchiveError(isDuplicate ? .duplicateName : .notWritable, entry: name)
        }
        // Day, month and years since 1980 in 5, 4 and 7 bits: 1 January.
        let firstDay: UInt16 = 1 << 5 | 1
        guard zip_file_set_dostime(archive, UInt64(index), 0, firstDay, 0) == 0,
            zip_set_file_compression(archive, UInt64(index), ZIP_CM_DEFLATE, 6) == 0
        else { throw ArchiveError(.notWritable, entry: name) }
    }

    /// Writes the archive.
    package func close() throws(ArchiveError) {
        guard let archive else { throw ArchiveError(.notWritable) }
        guard zip_close(archive) == 0 else { throw ArchiveError(.notWritable) }
        self.archive = nil
    }
}
