import CLinux
import Glibc
import WaitKit

/// A blocking client that sends exactly the bytes it is given.
final class TestClient {
    private(set) var descriptor: Int32

    /// Connects.
    convenience init(port: UInt16) {
        guard let client = TestClient.connecting(to: port) else {
            preconditionFailure("cannot connect")
        }
        self.init(descriptor: client)
    }

    /// Connects if something is listening.
    convenience init?(ifListening port: UInt16, receiveBuffer: Int32? = nil) {
        guard let client = TestClient.connecting(to: port, receiveBuffer: receiveBuffer) else {
            return nil
        }
        self.init(descriptor: client)
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        setTimeout(seconds: 20)
    }

    private static func connecting(to port: UInt16, receiveBuffer: Int32? = nil) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            let length = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
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
        return descriptor
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    func setTimeout(seconds: Int) {
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends everything, or as much as the server reads before it closes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent <= 0 { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// Sends until the kernel has accepted nothing for a while; returns how much went out.
    func sendUntilFull(_ bytes: [UInt8]) -> Int {
        var sent = 0
        var waits = 0
        while sent < bytes.count, waits < 10 {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress, $0.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            waits = count > 0 ? 0 : waits + 1
            sent += max(0, count)
            if count <= 0 { usleep(20_000) }
        }
        return sent
    }

    /// The next bytes; empty at the end or after a reset.
    func receive(atMost limit: Int = 65_536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &bytes, limit, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Whether the server has reset the connection; what it sent before may still be readable.
    var isReset: Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) == 1 && state.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// What has arrived, without waiting; `nil` at the end or after a reset.
    func receiveWhatIsThere(atMost limit: Int) -> Int? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &bytes, limit, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN { return 0 }
        return count > 0 ? count : nil
    }

    /// Waits until the server has ended or reset the connection, and drops what it sends before.
    func hearsEnd() -> Bool {
        becomes { receiveWhatIsThere(atMost: 65_536) == nil }
    }

    /// Everything until the server closes.
    func receiveAll() -> String {
        var all: [UInt8] = []
        while case let more = receive(), !more.isEmpty { all += more }
        return String(decoding: all, as: UTF8.self)
    }

    private var buffered: [UInt8] = []

    /// One answer with `Content-Length`, or without a body where the request was HEAD.
    func answer(isBodiless: Bool = false) -> Answer? {
        while true {
            if let answer = Answer(&buffered, isBodiless: isBodiless) { return answer }
            let more = receive()
            if more.isEmpty { return nil }
            buffered += more
        }
    }

    /// Announces that no more will be sent.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Closes in a way that the other side notices at once.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}

/// What a server answered.
struct Answer {
    let status: Int
    let head: String
    let body: String

    /// Takes one answer off the front; `nil` while it is incomplete.
    init?(_ bytes: inout [UInt8], isBodiless: Bool) {
        guard let end = bytes.firstIndex(ofSequence: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        var length = 0
        for line in head.split(separator: "\r\n")
        where line.lowercased().hasPrefix("content-length:") {
            length = Int(line.dropFirst(15).drop { $0 == " " }) ?? 0
        }
        if isBodiless { length = 0 }
        guard bytes.count >= end + 4 + length else { return nil }
        self.head = head
        status = Int(head.dropFirst(9).prefix(3)) ?? 0
        body = String(decoding: bytes[(end + 4)..<(end + 4 + length)], as: UTF8.self)
        bytes.removeFirst(end + 4 + length)
    }
}

extension Array where Element: Equatable {
    fileprivate func firstIndex(ofSequence other: [Element]) -> Int? {
        guard count >= other.count else { return nil }
        return (0...(count - other.count)).first { self[$0...].starts(with: other) }
    }
}
