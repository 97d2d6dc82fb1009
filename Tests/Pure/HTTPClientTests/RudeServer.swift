import EventLoop
import Glibc
import HTTPClient
import Synchronization
import Testing

/// A server on this machine that answers every connection with the same bytes, whatever it is asked.
final class RudeServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let received = Mutex("")
    /// Opened when answers may go out, and again by each of them.
    private let gate = Semaphore()

    /// - Parameters:
    ///   - answer: the bytes, sent again and again if `repeats`.
    ///   - holds: whether nothing is answered until `release`.
    init(_ answer: String, repeats: Int = 1, holds: Bool = false) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isListening)
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
        startThread {
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                startThread { self.serve(connection, Array(answer.utf8), repeats) }
            }
        }
        if !holds { release() }
    }

    deinit { stop() }

    /// Answers from now on, also what was asked before.
    func release() { gate.signal() }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// What the last client sent.
    var request: String { received.withLock { $0 } }

    private func serve(_ connection: Int32, _ answer: [UInt8], _ repeats: Int) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(connection, &buffer, buffer.count, 0)
        received.withLock { $0 = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) }
        gate.wait()
        gate.signal()
        for _ in 0..<repeats {
            guard send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) > 0 else {
                break
            }
        }
        close(connection)
    }

    func address(_ path: String = "/", host: String = "127.0.0.1", scheme: String = "http") throws
        -> WebAddress
    {
        try #require(WebAddress("\(scheme)://\(host):\(port)\(path)"))
    }
}
