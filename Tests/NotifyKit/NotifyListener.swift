import CLinux
import Glibc

/// The other end of a notify socket: receives what a service reports.
package final class NotifyListener: @unchecked Sendable {
    /// The value of NOTIFY_SOCKET.
    package let path: String
    private let descriptor: Int32

    /// - Parameter isAbstract: whether the socket has no file.
    package init(isAbstract: Bool) {
        let name = "homeroom-notify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        path = isAbstract ? "@\(name)" : "/tmp/\(name)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        if isAbstract { address.sun_path.0 = 0 }
        let length = MemoryLayout<sa_family_t>.size + path.utf8.count
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(length))
            }
        }
        precondition(status == 0, "no socket to listen on")
        // As systemd's own: a service started by root that drops its privileges still reports.
        if !isAbstract { chmod(path, 0o777) }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next message; `nil` if none arrives in that time.
    package func next(milliseconds: Int = 20_000) -> String? {
        var patience = timeval(
            tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Skips what has arrived so far.
    package func forget() {
        while next(milliseconds: 1) != nil {}
    }
}
