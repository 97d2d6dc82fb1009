import Glibc

/// A failed system call.
struct SocketError: Error {
    let call: String
    let number: Int32
}

func listenOnUnix(_ path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    unlink(path)
    let status = withUnixAddress(path) { bind(descriptor, $0, $1) }
    guard descriptor >= 0, status == 0, listen(descriptor, 128) == 0 else {
        throw SocketError(call: "listen", number: errno)
    }
    return descriptor
}

/// A descriptor, or -1.
func connectToUnix(_ path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return -1 }
    let status = withUnixAddress(path) { connect(descriptor, $0, $1) }
    guard status == 0 else {
        close(descriptor)
        return -1
    }
    return descriptor
}

/// Listens on any free port of an IPv4 or IPv6 address.
func listenOnTCP(_ address: String) throws -> (Int32, UInt16) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, "0", &hints, &found) == 0, let found else {
        throw SocketError(call: "getaddrinfo", number: errno)
    }
    defer { freeaddrinfo(found) }
    let entry = found.pointee
    let descriptor = socket(entry.ai_family, entry.ai_socktype, 0)
    guard descriptor >= 0, bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0,
        listen(descriptor, 128) == 0
    else { throw SocketError(call: "listen", number: errno) }
    var bound = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    // The port is at the same offset in both families.
    withUnsafeMutablePointer(to: &bound) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = getsockname(descriptor, $0, &length)
        }
    }
    return (descriptor, UInt16(bigEndian: bound.sin6_port))
}

private func withUnixAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
