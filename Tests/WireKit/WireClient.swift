import CLinux
import Glibc

/// A blocking socket to a server on this machine that sends exactly what it is given.
package final class WireClient {
    private var descriptor: Int32
    private var reader = WireAnswerReader()

    package convenience init(port: UInt16) {
        guard let descriptor = WireClient.connecting(to: port) else {
            preconditionFailure("cannot connect")
        }
        self.init(descriptor: descriptor)
    }

    /// Connects if something is listening.
    package convenience init?(ifListening port: UInt16) {
        guard let descriptor = WireClient.connecting(to: port) else { return nil }
        self.init(descriptor: descriptor)
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    private static func connecting(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var atOnce: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &atOnce,
            socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    deinit {
        close()
    }

    /// Leaves: nothing is sent or received any more.
    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Leaves in a way that the other side notices at once.
    package func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Sends everything, or as much as the server reads before it closes.
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

    /// Whether something has arrived that was not received yet.
    package var isAnswered: Bool {
        var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wish, 1, 0) == 1
    }

    /// What comes next.
    package enum Received: Sendable {
        case bytes([UInt8])
        case end
        /// The connection was reset, or nothing arrived for 20 seconds.
        case failure
    }

    package func receive() -> Received {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? .bytes(Array(bytes.prefix(count))) : count == 0 ? .end : .failure
    }

    /// The next answer to a request other than HEAD; `nil` if the connection ends first.
    package func answer() -> WireAnswer? {
        while true {
            if let answer = reader.next(toHead: false, hasEnded: false) { return answer }
            guard case .bytes(let bytes) = receive() else { return nil }
            reader.append(bytes)
        }
    }
}
