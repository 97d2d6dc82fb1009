import CLibzip

/// Unpacks one file of an archive, piece by piece. Used by one thread at a time, like its reader.
package final class ZipEntryStream: @unchecked Sendable {
    private let reader: ZipReader
    private let entry: ZipReader.Entry
    private let chunkSize: Int
    private let file: OpaquePointer
    private var produced = 0
    private var hasEnded = false

    init(of reader: ZipReader, _ entry: ZipReader.Entry, chunkSize: Int) throws(ArchiveError) {
        guard let file = zip_fopen_index(reader.archive, entry.index, 0) else {
            let number = zip_error_code_zip(zip_get_error(reader.archive))
            throw ArchiveError(ArchiveError.Code(libzip: number), entry: entry.name)
        }
        self.reader = reader
        self.entry = entry
        self.chunkSize = chunkSize
        self.file = file
    }

    deinit { zip_fclose(file) }

    /// The next bytes; `nil` after the last ones, once size and checksum have been verified.
    ///
    /// Bytes returned before an error are not to be trusted.
    package func next() throws(ArchiveError) -> [UInt8]? {
        if hasEnded { return nil }
        var count: Int64 = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: chunkSize) { buffer, filled in
            count = zip_fread(file, buffer.baseAddress, UInt64(chunkSize))
            filled = Int(max(count, 0))
        }
        guard count >= 0 else {
            let number = zip_error_code_zip(zip_file_get_error(file))
            throw ArchiveError(ArchiveError.Code(libzip: number), entry: entry.name)
        }
        produced += chunk.count
        guard produced <= entry.size, !chunk.isEmpty || produced == entry.size else {
            throw ArchiveError(.wrongSize, entry: entry.name)
        }
        guard !reader.limits.suspects(produced, from: entry.compressedSize) else {
            throw ArchiveError(.compressedTooMuch, entry: entry.name)
        }
        hasEnded = chunk.isEmpty
        return hasEnded ? nil : chunk
    }
}
