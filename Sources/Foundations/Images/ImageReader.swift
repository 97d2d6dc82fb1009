import CLinux
import Glibc

/// The process that reads one picture: untrusted bytes in, a small picture of the same format out. Its decoders
/// are written in C, so it holds nothing of value and has few rights.
package enum ImageReader {
    /// The exit status of a reader.
    enum Status: Int32 {
        case done = 0
        case unknownFormat = 65
        case tooLarge = 66
        case broken = 67
        case failed = 70

        init(_ error: any Error) {
            self =
                switch error as? ImageError {
                case .unknownFormat: .unknownFormat
                case .tooLarge: .tooLarge
                case .broken: .broken
                default: .failed
                }
        }
    }

    /// Reads a picture from standard input and writes it, reduced to that side, to standard output; returns the
    /// exit code. It must be the first call in its own process.
    package static func run(side: Int) -> Int32 {
        guard giveUpRights() else { return Status.failed.rawValue }
        do {
            let picture = try small(readInput(), side: side)
            return writeOutput(picture) ? Status.done.rawValue : Status.failed.rawValue
        } catch {
            return Status(error).rawValue
        }
    }

    /// The picture in its own format, without anything else that the bytes contained.
    static func small(_ bytes: [UInt8], side: Int) throws -> [UInt8] {
        guard let header = ImageHeader(bytes) else { throw ImageError.unknownFormat }
        try check(width: header.width, height: header.height)
        return switch header.format {
        case .png: try PNG.encoded(PNG.decoded(bytes).reduced(toSide: side))
        case .jpeg: try JPEG.encoded(JPEG.decoded(bytes).reduced(toSide: side))
        }
    }

    static func check(width: Int, height: Int) throws {
        guard width > 0, height > 0 else { throw ImageError.broken }
        guard max(width, height) <= ImageLimits.sideMax else { throw ImageError.tooLarge }
    }

    /// Restricts the process from here on: no files or sockets but the two, no privileges and no way to gain
    /// any, no other processes, little memory and time, no traces on disk, and only the system calls that
    /// decoding needs.
    ///
    /// For a process with a single thread. Returns false if one of the restrictions is not available; nothing
    /// may be read then.
    package static func giveUpRights() -> Bool {
        setsid()
        close_range(3, UInt32.max, 0)
        if geteuid() == 0 {
            guard setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0 else {
                return false
            }
        }
        // Other processes of the account may not inspect it, nor may it inspect them.
        guard linux_forbid_looking() == 0, linux_forbid_rights() == 0 else { return false }
        return limit(RLIMIT_AS, usedBytes() + ImageLimits.memoryBytesMax)
            && limit(RLIMIT_CPU, ImageLimits.cpuSecondsMax) && limit(RLIMIT_FSIZE, 0)
            && limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, 0) && limit(__RLIMIT_NPROC, 0)
            && SystemCallFilter.begin()
    }

    private static func limit(_ resource: __rlimit_resource, _ most: Int) -> Bool {
        var limit = rlimit(rlim_cur: rlim_t(most), rlim_max: rlim_t(most))
        return setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }

    /// The address space already in use: the first number of `statm`, in pages.
    private static func usedBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var pages = 0
        return withUnsafeMutablePointer(to: &pages) { pointer in
            withVaList([pointer]) { vfscanf(file, "%ld", $0) } == 1
        } ? pages * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    private static func readInput() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw ImageError.interrupted
            }
            bytes += piece[..<count]
            guard bytes.count <= ImageLimits.bytesMax else { throw ImageError.tooLarge }
        }
    }

    private static func writeOutput(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}
