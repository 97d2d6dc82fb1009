import CLinux
import EventLoop
import Glibc
import Metrics

/// Accepts connections on one loop and distributes them over all loops. Confined to its loop.
final class Acceptor: @unchecked Sendable {
    private let loop: Loop
    private let descriptor: Int32
    private let shards: [Shard]
    private let count: ConnectionCount
    /// Connections accepted from the kernel.
    let taken = Counter()
    /// Accepted connections that were closed at once because their address had too many.
    let refused = Counter()
    /// How often accepting paused and left connections in the kernel's queue: at the limit, or for want of descriptors.
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

    /// Accepts the connections already waiting, whose clients may have sent their requests, and then no more.
    func stop() {
        guard let registration else { return }
        isStopping = true
        accept(atMost: 4096)
        registration.cancel()
        self.registration = nil
        close(descriptor)
    }

    /// Accepts some of the waiting connections; the registration is level triggered and reports the rest.
    private func accept(atMost limit: Int) {
        for turn in 0..<limit {
            guard count.hasCapacity || isStopping else {
                // Only the first turn knows that a connection is waiting.
                if turn == 0 { pauseUntilCapacity() }
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
        guard shards[0].handshakes?.begin(peer, now: loop.time.now) ?? true else {
            refused.add()
            count.remove(peer)
            close(accepted)
            return
        }
        let shard = shards[next]
        next = (next + 1) % shards.count
        shard.loop.execute { shard.adopt(accepted, peer: peer) }
    }

    private func pauseUntilCapacity() {
        pauses.add()
        registration?.change([])
        count.callWhenFree { [self] in
            loop.execute { [self] in registration?.change(.read) }
        }
        closeSomeIdle()
    }

    /// The process is out of descriptors or memory; retrying at once would spin.
    private func pauseBriefly() {
        pauses.add()
        registration?.change([])
        loop.schedule(afterMilliseconds: 100) { [self] in registration?.change(.read) }
        closeSomeIdle()
    }

    private func closeSomeIdle() {
        for shard in shards { shard.loop.execute { shard.closeSomeIdle() } }
    }
}
