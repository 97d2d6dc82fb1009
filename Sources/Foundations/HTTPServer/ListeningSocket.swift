import CLinux
import EventLoop
import Glibc

/// A socket that listens for connections.
package enum ListeningSocket {
    /// Binds and listens, for `::` on both IPv6 and IPv4; port 0 takes any free port.
    ///
    /// Separate from the server, so that a privileged port can be bound before privileges are given up.
    package static func bind(address: String, port: UInt16) throws(LoopError) -> Int32 {
        let isSix = address.contains(":")
        let descriptor = socket(
            isSix ? AF_INET6 : AF_INET,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw LoopError(call: "socket", number: errno) }
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let status =
            isSix ? bindSix(descriptor, address, port) : bindFour(descriptor, address, port)
        guard status == 0, listen(descriptor, 4096) == 0 else {
            let error = LoopError(call: "bind \(address):\(port)", number: errno)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func bindFour(_ descriptor: Int32, _ address: String, _ port: UInt16) -> Int32 {
        var socketAddress = sockaddr_in()
        socketAddress.sin_family = sa_family_t(AF_INET)
        socketAddress.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &socketAddress.sin_addr) == 1 else {
            errno = EADDRNOTAVAIL
            return -1
        }
        return withUnsafePointer(to: socketAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindSix(_ descriptor: Int32, _ address: String, _ port: UInt16) -> Int32 {
        var socketAddress = sockaddr_in6()
        socketAddress.sin6_family = sa_family_t(AF_INET6)
        socketAddress.sin6_port = port.bigEndian
        guard inet_pton(AF_INET6, address, &socketAddress.sin6_addr) == 1 else {
            errno = EADDRNOTAVAIL
            return -1
        }
        return withUnsafePointer(to: socketAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    /// Sets the options that every accepted connection inherits. Small pieces are sent at once. The kernel
    /// holds no more than 128 KiB of data not yet sent, so that a slow client is seen to take something every
    /// few seconds; otherwise it would be seen only after a third of 4 MiB. The kernel drops a peer that has
    /// acknowledged nothing for 30 s, also after the connection was closed here.
    static func prepare(_ descriptor: Int32) {
        let options = [
            (TCP_NODELAY, 1), (TCP_NOTSENT_LOWAT, 131_072), (TCP_USER_TIMEOUT, 30_000),
        ]
        for (name, value) in options {
            var value = Int32(value)
            setsockopt(
                descriptor, Int32(IPPROTO_TCP), name, &value,
                socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// The port a socket is bound to.
    package static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(descriptor, $0, &length)
            }
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }
}
