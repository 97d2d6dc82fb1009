import CLinux
import Glibc

/// Bytes that the kernel has not taken yet, in order.
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

    /// Copies the first bytes, as many as fit, and returns their number.
    func copy(into space: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        for part in parts {
            let taken = part.prefix(space.count - filled)
            space[filled...].copyBytes(from: taken)
            filled += taken.count
            if filled == space.count { break }
        }
        return filled
    }

    /// Drops the first bytes, which were sent another way.
    mutating func drop(_ length: Int) {
        count -= length
        var rest = length
        while rest > 0 {
            let part = parts[0].dropFirst(rest)
            rest -= parts[0].count - part.count
            if part.isEmpty { parts.removeFirst() } else { parts[0] = part }
        }
    }

    /// Sends what it can; returns the number of bytes sent, or `nil` if the connection is lost.
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
