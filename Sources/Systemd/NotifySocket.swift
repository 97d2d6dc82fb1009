import CLinux
import Glibc

/// Where a service tells its service manager how it is: the protocol of sd_notify(3), lines of `NAME=value` in
/// one datagram.
///
/// By hand, since it is forty lines and libsystemd would be a dependency. What cannot be sent is not missed:
/// a service must not fail because nobody listens.
package struct NotifySocket: Sendable {
    /// The name of a socket; one that begins with `@` has no file (unix(7), abstract sockets).
    private let path: String

    /// `nil` for what is neither an absolute path nor an abstract name, or too long for an address.
    package init?(path: String) {
        guard path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count > 1,
            path.utf8.count < Self.pathLimit
        else { return nil }
        self.path = path
    }

    /// Sends the lines as one datagram, without waiting.
    package func send(_ lines: String...) {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        if path.hasPrefix("@") { address.sun_path.0 = 0 }
        // An abstract name is as long as the address says, so nothing may follow it.
        let length = MemoryLayout<sa_family_t>.size + path.utf8.count
        let text = Array(lines.joined(separator: "\n").utf8)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    descriptor, text, text.count,
                    Int32(MSG_NOSIGNAL | MSG_DONTWAIT),
                    $0, socklen_t(length))
            }
        }
    }

    private static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
}
