import Glibc

/// A client of a running service on this machine, each time on a connection of its own.
struct LiveClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let head: String
        let body: String
    }

    let port: UInt16

    /// The answer; `nil` if the connection was refused or cut, or nothing arrived for twenty seconds.
    func get(
        _ target: String, token: String? = nil, method: String = "GET",
        fields more: [(name: String, value: String)] = []
    ) -> Answer? {
        guard let descriptor = connected() else { return nil }
        defer { close(descriptor) }
        let fields =
            (token.map { "Authorization: Bearer \($0)\r\n" } ?? "")
            + more.map { "\($0.name): \($0.value)\r\n" }.joined()
        let request = Array(
            "\(method) \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return nil
        }
        return receive(descriptor)
    }

    private func connected() -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private func receive(_ descriptor: Int32) -> Answer? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<end.lowerBound])
        guard let status = Int(head.dropFirst(9).prefix(3)) else { return nil }
        return Answer(status: status, head: head, body: String(text[end.upperBound...]))
    }
}
