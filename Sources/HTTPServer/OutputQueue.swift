import CLinux
import Glibc

/// Bytes that the kernel would not take yet, in order.
struct OutputQueue {
    private var parts: [ArraySlice<UInt8>] = []
    /// How many bytes wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ part: ArraySlice<UInt8>) {
        guard !part.isEmpty else { return }
        parts.append(part)
        count += part.count
    }

    /// Sends what it can; returns how many bytes went, or `nil` if the connection is lost.
    mutating func send(to descriptor: Int32) -> Int? {
        var sent = 0
        while let part = parts.first {
            let status = part.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if status < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN ? sent : nil
            }
            sent += status
            count -= status
            if status < part.count {
                parts[0] = part.dropFirst(status)
            } else {
                parts.removeFirst()
            }
        }
        return sent
    }
}
