import CLinux
import EventLoop
import Glibc
import Metrics

/// A socket that waits for connections.
package enum ListeningSocket {
    /// Binds and listens, on IPv6 too where the address is `::`; port 0 takes any free one.
    ///
    /// Apart from the server, so that a privileged port can be bound before privileges are given up.
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
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &place.sin_addr) == 1 else {
            errno = EADDRNOTAVAIL
            return -1
        }
        return withUnsafePointer(to: place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindSix(_ descriptor: Int32, _ address: String, _ port: UInt16) -> Int32 {
        var place = sockaddr_in6()
        place.sin6_family = sa_family_t(AF_INET6)
        place.sin6_port = port.bigEndian
        guard inet_pton(AF_INET6, address, &place.sin6_addr) == 1 else {
            errno = EADDRNOTAVAIL
            return -1
        }
        return withUnsafePointer(to: place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    /// Sets what every connection inherits from the socket that accepts it: small pieces are sent at once; the
    /// kernel holds no more than 128 KiB that are not on their way, so that a slow client is seen to take
    /// something every few seconds (else it would be told only when a third of 4 MiB has gone); and it lets go
    /// of a peer that has confirmed nothing for 30 s, also after the connection was closed here.
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

/// Accepts connections on one loop and deals them out to all. Confined to its loop.
final class Acceptor: @unchecked Sendable {
    private let loop: Loop
    private let descriptor: Int32
    private let shards: [Shard]
    private let count: ConnectionCount
    /// Connections taken from the kernel.
    let taken = Counter()
    /// Those of them that were closed at once, since their address had too many.
    let refused = Counter()
    /// How often the kernel was left to keep what waits: at the limit, or for want of descriptors.
    let pauses = Counter()
    private var registration: Registration?
    private var next = 0
    private var isStopping = false

    init(loop: Loop, descriptor: Int32, shards: [Shard], count: ConnectionCount) {
        self.loop = loop
        self.descriptor = descriptor
        self.shards = shards
        self.count = count
    }

    func start() throws(LoopError) {
        ListeningSocket.prepare(descriptor)
        registration = try loop.register(descriptor, .read) { [self] _ in accept(atMost: 64) }
    }

    /// Takes what waits already, whose clients may have sent their requests, and no more.
    func stop() {
        guard let registration else { return }
        isStopping = true
        accept(atMost: 4096)
        registration.cancel()
        self.registration = nil
        close(descriptor)
    }

    /// Takes some of what waits; the registration is level triggered and tells of the rest.
    private func accept(atMost limit: Int) {
        for turn in 0..<limit {
            guard count.hasRoom || isStopping else {
                // Only the first turn knows that somebody waits.
                if turn == 0 { pauseUntilRoom() }
                return
            }
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    accept4(
                        descriptor, $0, &length,
                        Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
                }
            }
            guard accepted >= 0 else {
                if errno == ECONNABORTED || errno == EINTR { continue }
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                    pauseBriefly()
                }
                return
            }
            deal(accepted, to: NetworkAddress(address))
        }
    }

    private func deal(_ accepted: Int32, to peer: NetworkAddress) {
        taken.add()
        guard count.add(peer) else {
            refused.add()
            close(accepted)
            return
        }
        guard shards[0].handshakes?.begin(peer) ?? true else {
            refused.add()
            count.remove(peer)
            close(accepted)
            return
        }
        let shard = shards[next]
        next = (next + 1) % shards.count
        shard.loop.execute { shard.adopt(accepted, peer: peer) }
    }

    private func pauseUntilRoom() {
        pauses.add()
        registration?.change([])
        count.tellWhenRoom { [self] in
            loop.execute { [self] in registration?.change(.read) }
        }
        makeRoom()
    }

    /// The process is out of descriptors or memory; trying again at once would spin.
    private func pauseBriefly() {
        pauses.add()
        registration?.change([])
        loop.schedule(afterMilliseconds: 100) { [self] in registration?.change(.read) }
        makeRoom()
    }

    private func makeRoom() {
        for shard in shards { shard.loop.execute { shard.makeRoom() } }
    }
}
