import CLibzip
import Glibc

/// Writes a ZIP file whose bytes depend on nothing but its content: every file is dated 1980-01-01.
///
/// The contents stay in memory until the end: `close()` puts the finished archive in its place at once,
/// `finish()` answers one that was begun without a place. Calls block.
package final class ZipWriter {
    private var archive: OpaquePointer?
    /// Where libzip puts an archive that has no place on disk.
    private var memory: OpaquePointer?

    /// Begins an archive that replaces whatever is at the path.
    package init(path: String) throws(ArchiveError) {
        var number: Int32 = 0
        archive = zip_open(path, Int32(ZIP_CREATE) | Int32(ZIP_TRUNCATE), &number)
        guard archive != nil else { throw ArchiveError(.notWritable) }
    }

    /// Begins an archive in memory, for what should not lie on a disk.
    package init() throws(ArchiveError) {
        memory = zip_source_buffer_create(nil, 0, 0, nil)
        guard let memory else { throw ArchiveError(.notWritable) }
        // The archive gives its hold on the source up when it is closed; this one reads it then.
        zip_source_keep(memory)
        archive = zip_open_from_source(memory, Int32(ZIP_TRUNCATE), nil)
        guard archive != nil else {
            zip_source_free(memory)
            zip_source_free(memory)
            self.memory = nil
            throw ArchiveError(.notWritable)
        }
    }

    /// Without `close()` nothing is written.
    deinit {
        if let archive { zip_discard(archive) }
        if let memory { zip_source_free(memory) }
    }

    /// Adds a file; a name can be added once.
    package func add(_ name: String, _ content: [UInt8]) throws(ArchiveError) {
        guard let archive else { throw ArchiveError(.notWritable, entry: name) }
        // libzip reads the content when the archive is closed and frees it then.
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
        // Days, months and years since 1980 in 5, 4 and 7 bits: the first of January.
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

    /// Ends an archive that was begun in memory and answers its bytes.
    package func finish() throws(ArchiveError) -> [UInt8] {
        guard let memory else { throw ArchiveError(.notWritable) }
        try close()
        var facts = zip_stat_t()
        guard zip_source_open(memory) == 0 else { throw ArchiveError(.notWritable) }
        defer { zip_source_close(memory) }
        guard zip_source_stat(memory, &facts) == 0 else { throw ArchiveError(.notWritable) }
        let size = Int(facts.size)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, Int(zip_source_read(memory, buffer.baseAddress, UInt64(size))))
        }
        guard bytes.count == size else { throw ArchiveError(.notWritable) }
        return bytes
    }
}
