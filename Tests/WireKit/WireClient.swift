import CLinux
import Glibc

/// A blocking socket to a server on this machine that sends exactly what it is told.
package final class WireClient {
    private let descriptor: Int32

    package init(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &place.sin_addr)
        let status = withUnsafePointer(to: place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(status == 0, "cannot connect")
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var atOnce: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &atOnce,
            socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sends everything, or as much as the server takes before it closes.
    package func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent <= 0 { return }
            rest = rest.dropFirst(sent)
        }
    }

    package func pause() {
        usleep(10_000)
    }

    package func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// What comes next.
    package enum Received: Sendable {
        case bytes([UInt8])
        case end
        /// The connection was reset, or nothing came for 20 seconds.
        case failure
    }

    package func receive() -> Received {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? .bytes(Array(bytes.prefix(count))) : count == 0 ? .end : .failure
    }
}
