import Foundation

/// Waits on a port of this machine for the browser to bring the answer of a sign-in (RFC 8252 section 7.3).
///
/// It reads one line of a request and writes one page; that is all the HTTP it knows.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let socket: Int32

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Self.failure("socket") }
        self.socket = socket
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 && listen(socket, 8) == 0
                    && getsockname(socket, pointer, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        // A class that is whole is closed by deinit, also if its init throws.
        guard bound else {
            throw Self.failure("listen")
        }
    }

    deinit { close(socket) }

    /// The parameters that the browser brings. Requests without the state are answered, and waited past: any page on the
    /// machine can make them.
    func answer(withState state: String, seconds: Double) async throws -> [String: String] {
        let isCancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await Blocking.run {
                let end = Date().addingTimeInterval(seconds)
                while Date() < end, !isCancelled.isSet {
                    guard let connection = self.accept() else { continue }
                    defer { close(connection) }
                    let answer = Self.parameters(Self.readLine(connection))
                    let isOurs = answer?["state"] == state
                    Self.write(isOurs ? answer?["code"] != nil : nil, to: connection)
                    if isOurs, let answer { return answer }
                }
                throw UplinkError.signInFailed(
                    isCancelled.isSet ? "The sign-in was cancelled." : "Nobody signed in in time.")
            }
        } onCancel: {
            isCancelled.set()
        }
    }

    /// Looks every 100 ms whether to go on.
    private func accept() -> Int32? {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 100) > 0 else { return nil }
        let connection = Glibc.accept(socket, nil, nil)
        guard connection >= 0, fcntl(connection, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                connection, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        return connection
    }

    private static func readLine(_ connection: Int32) -> String {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 2048)
        let end = Date().addingTimeInterval(2)
        while !line.contains(UInt8(ascii: "\n")), line.count < 8192, Date() < end {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            line += buffer.prefix(count)
        }
        return String(decoding: line.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    /// The parameters in a line such as `GET /callback?code=1&state=2 HTTP/1.1`; `nil` for other requests.
    static func parameters(_ line: String) -> [String: String]? {
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "GET", words[1].hasPrefix("/callback?"),
            let parts = URLComponents(string: String(words[1]))
        else { return nil }
        let items = (parts.queryItems ?? []).compactMap { item in
            item.value.map { (item.name, $0.replacing("+", with: " ")) }
        }
        // Twice the same name is a trick, not an answer.
        return Set(items.map(\.0)).count == items.count
            ? Dictionary(uniqueKeysWithValues: items) : nil
    }

    /// - Parameter isAllowed: `nil` for a request that is not the answer.
    private static func write(_ isAllowed: Bool?, to connection: Int32) {
        let text =
            switch isAllowed {
            case true?: "You are signed in. You can close this window and go back to the app."
            case false?: "You are not signed in. You can close this window and go back to the app."
            case nil: "There is nothing here."
            }
        let body = "<!doctype html><html lang=\"en\"><title>Sign-in</title><p>\(text)</p></html>"
        let head =
            "HTTP/1.1 \(isAllowed == nil ? "404 Not Found" : "200 OK")\r\nConnection: close\r\n"
            + "Content-Type: text/html; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
            + "Content-Security-Policy: default-src 'none'\r\n\r\n"
        let bytes = Array((head + body).utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func failure(_ call: String) -> UplinkError {
        let reason = String(cString: strerror(errno))
        return .signInFailed("No port could be opened for the browser: \(call): \(reason)")
    }
}
