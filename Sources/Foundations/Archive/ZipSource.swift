import CLibzip
import Files
import Glibc

/// The bytes of an archive, wherever they are stored. One thread at a time reads any of them, possibly more than once.
package protocol ArchiveBytes: AnyObject {
    /// The number of bytes.
    var size: Int { get }

    /// Bytes from an offset on: at least one if the offset is before the end, and none after the end.
    func bytes(from offset: Int, atMost count: Int) throws -> ArraySlice<UInt8>
}

/// The bytes of an archive in a file.
final class ArchiveFile: ArchiveBytes {
    let size: Int
    private let file: File

    init(path: String) throws(FileError) {
        file = try File.reading(path)
        guard try file.isRegular() else { throw FileError("read", path, EINVAL) }
        size = try file.size()
    }

    func bytes(from offset: Int, atMost count: Int) throws -> ArraySlice<UInt8> {
        try file.bytes(in: min(offset, size)..<min(offset + count, size))[...]
    }
}

/// Lets libzip read an archive that is not a separate file.
final class ZipSource {
    private let bytes: any ArchiveBytes
    private var offset = 0
    private var error = zip_error_t()

    private init(_ bytes: any ArchiveBytes) {
        self.bytes = bytes
        zip_error_init(&error)
    }

    /// Opens the archive, which keeps the bytes until it is discarded.
    static func open(_ bytes: any ArchiveBytes) throws(ArchiveError) -> OpaquePointer {
        // libzip would treat a source without bytes as an archive without files.
        guard bytes.size > 0 else { throw ArchiveError(.notAnArchive) }
        var error = zip_error_t()
        zip_error_init(&error)
        let owner = Unmanaged.passRetained(ZipSource(bytes))
        guard let source = zip_source_function_create(answerLibzip, owner.toOpaque(), &error) else {
            owner.release()
            throw ArchiveError(ArchiveError.Code(libzip: zip_error_code_zip(&error)))
        }
        guard let archive = zip_open_from_source(source, Int32(ZIP_RDONLY), &error) else {
            zip_source_free(source)
            throw ArchiveError(ArchiveError.Code(libzip: zip_error_code_zip(&error)))
        }
        return archive
    }

    /// Answers libzip's requests to a seekable source.
    fileprivate func answer(
        _ command: zip_source_cmd_t, _ data: UnsafeMutableRawBufferPointer
    ) -> Int64 {
        switch command {
        case ZIP_SOURCE_SUPPORTS: return ZipSource.commands
        case ZIP_SOURCE_OPEN:
            offset = 0
            return 0
        case ZIP_SOURCE_CLOSE: return 0
        case ZIP_SOURCE_READ: return read(into: data)
        case ZIP_SOURCE_SEEK:
            let target = zip_source_seek_compute_offset(
                UInt64(offset), UInt64(bytes.size), data.baseAddress!, UInt64(data.count), &error)
            guard target >= 0 else { return -1 }
            offset = Int(target)
            return 0
        case ZIP_SOURCE_TELL: return Int64(offset)
        case ZIP_SOURCE_STAT:
            var status = zip_stat_t()
            zip_stat_init(&status)
            status.valid = UInt64(ZIP_STAT_SIZE)
            status.size = UInt64(bytes.size)
            withUnsafeBytes(of: status) { data.copyMemory(from: $0) }
            return Int64(MemoryLayout<zip_stat_t>.size)
        case ZIP_SOURCE_ERROR:
            return zip_error_to_data(&error, data.baseAddress, UInt64(data.count))
        default:
            zip_error_set(&error, Int32(ZIP_ER_OPNOTSUPP), 0)
            return -1
        }
    }

    private func read(into data: UnsafeMutableRawBufferPointer) -> Int64 {
        do {
            let read = try bytes.bytes(from: offset, atMost: data.count)
            data.copyBytes(from: read)
            offset += read.count
            return Int64(read.count)
        } catch {
            zip_error_set(&self.error, Int32(ZIP_ER_READ), 0)
            return -1
        }
    }

    private static let commands = [
        ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
        ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS,
    ].reduce(Int64(0)) { $0 | 1 << Int64($1.rawValue) }
}

/// Called by libzip.
private func answerLibzip(
    _ owner: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?, _ length: UInt64,
    _ command: zip_source_cmd_t
) -> Int64 {
    let owner = Unmanaged<ZipSource>.fromOpaque(owner!)
    if command == ZIP_SOURCE_FREE {
        owner.release()
        return 0
    }
    let data = UnsafeMutableRawBufferPointer(start: data, count: Int(length))
    return owner.takeUnretainedValue().answer(command, data)
}
