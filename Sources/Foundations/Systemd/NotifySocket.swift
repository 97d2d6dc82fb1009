import CLinux
import Glibc

/// The socket over which a service reports its state to its service manager: the protocol of sd_notify(3),
/// lines of `NAME=value` in one datagram.
///
/// Implemented here because it is forty lines and libsystemd would be a dependency. Failures to send are
/// ignored: a service must not fail because nothing is listening.
package struct NotifySocket: Sendable {
    /// The name of a socket; one that begins with `@` is abstract and has no file (unix(7)).
    private let path: String

    /// `nil` if the path is neither absolute nor an abstract name, or is too long for an address.
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
        // The length of the address determines an abstract name, so nothing may follow it.
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
