import CLinux
import Glibc

/// Has a picture read by a separate process (`ImageReader`), so that an attack on the decoders does not reach this one.
package struct ImageProcess: Sendable {
    /// The program and its arguments, except the side.
    private let path: String
    private let arguments: [String]
    private let millisecondsMax: Int

    /// - Parameters:
    ///   - arguments: what makes the program call `ImageReader.run`; the side follows.
    ///   - millisecondsMax: from the start of the process to its answer.
    package init(
        path: String, arguments: [String], millisecondsMax: Int = ImageLimits.millisecondsMax
    ) {
        self.path = path
        self.arguments = arguments
        self.millisecondsMax = millisecondsMax
    }

    /// `homeroom` itself; for programs built with it, such as tests, the one beside them.
    package static let homeroom: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(
            decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = own.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        return folder + "/homeroom"
    }()

    /// The picture in its own format, with no side longer than that. Blocks for as long as that takes.
    package func small(_ bytes: [UInt8], side: Int) throws -> [UInt8] {
        guard let header = ImageHeader(bytes) else { throw ImageError.unknownFormat }
        try ImageReader.check(width: header.width, height: header.height)
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ImageError.interrupted }
        defer { close(ends[0]) }
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try start(arguments + [String(side)], on: ends[1])
        }
        let conversation = Conversation(socket: ends[0], millisecondsMax: millisecondsMax)
        let answer = conversation.exchange(bytes)
        // A reader that has answered exits at once; one that has not is killed.
        if answer == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard let answer else { throw ImageError.tooCostly }
        try check(status)
        return answer
    }

    private func start(_ arguments: [String], on socket: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The reader resets the signals that the server ignores or blocks.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, &attributes, &words, &environment) == 0 else {
            throw ImageError.interrupted
        }
        return process
    }

    /// Throws the error for an exit status other than success.
    private func check(_ status: Int32) throws {
        let signal = status & 0x7F
        guard signal == 0 else {
            // These signals mean that it was stopped from outside; any others are its own doing.
            throw [SIGTERM, SIGINT, SIGHUP, SIGKILL].contains(signal)
                ? ImageError.interrupted : ImageError.tooCostly
        }
        switch ImageReader.Status(rawValue: (status >> 8) & 0xFF) {
        case .done: return
        case .unknownFormat: throw ImageError.unknownFormat
        case .tooLarge: throw ImageError.tooLarge
        case .broken: throw ImageError.broken
        case .failed, nil: throw ImageError.interrupted
        }
    }
}

/// The exchange of data with a reader.
private struct Conversation {
    let socket: Int32
    let millisecondsMax: Int

    /// Sends everything and receives everything until the other side closes; `nil` if that takes too long.
    func exchange(_ bytes: [UInt8]) -> [UInt8]? {
        let deadline =
            linux_monotonic_nanoseconds() + Int64(millisecondsMax) * 1_000_000
        var rest = bytes[...]
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let left = (deadline - linux_monotonic_nanoseconds()) / 1_000_000
            var polled = pollfd(
                fd: socket, events: Int16(POLLIN) | (rest.isEmpty ? 0 : Int16(POLLOUT)), revents: 0)
            guard left > 0, poll(&polled, 1, Int32(left)) >= 0 || errno == EINTR else { return nil }
            if polled.revents & Int16(POLLOUT) != 0, !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    send(
                        socket, $0.baseAddress, $0.count,
                        Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
                }
                // A reader that has exited takes no more; its status says why.
                rest =
                    sent < 0 && errno != EAGAIN && errno != EINTR
                    ? [] : rest.dropFirst(max(0, sent))
                if rest.isEmpty { shutdown(socket, Int32(SHUT_WR)) }
            }
            guard polled.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { continue }
            let count = recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                answer += piece[..<count]
                // Larger than any small picture: the reader is compromised or broken.
                guard answer.count <= ImageLimits.bytesMax else { return nil }
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                return answer
            }
        }
    }
}
