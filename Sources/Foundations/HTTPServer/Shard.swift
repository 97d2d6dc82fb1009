import CLinux
import EventLoop
import Glibc
import HTTPWire
import Metrics
import Synchronization
import Values

/// The connections of one loop and the state they share. Confined to its loop.
final class Shard: @unchecked Sendable {
    let loop: Loop
    let settings: HTTPServerSettings
    let handler: HTTPServer.Handler
    let count: ConnectionCount
    /// Counts TLS handshakes; `nil` without TLS.
    let handshakes: HandshakeLimit?
    /// The buffer for every receive, so that waiting connections hold no memory for it.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// The buffer for every head, so that heads need no memory of their own.
    var head: [UInt8] = []
    let rules: ConnectionDeadlines.Rules
    private(set) var isDraining = false
    /// Whether connections that wait for a request while draining are now closed.
    private(set) var isGraceOver = false

    private var connections: [ClientConnection] = []
    private var runningTasks = 0
    /// How many handlers run; readable from other threads.
    let inFlight = Gauge()
    private var tick: LoopTimer?
    var drainDeadline: LoopTimer?
    private var graceTimer: LoopTimer?
    private var whenDrained: [@Sendable () -> Void] = []
    private var dateSecond: Int64 = -1
    private var dateField: [UInt8] = []
    private var random: SplitMix64

    init(
        loop: Loop, settings: HTTPServerSettings, count: ConnectionCount,
        handshakes: HandshakeLimit?, handler: @escaping HTTPServer.Handler
    ) {
        self.loop = loop
        self.settings = settings
        rules = ConnectionDeadlines.Rules(settings)
        self.count = count
        self.handshakes = handshakes
        self.handler = handler
        random = SplitMix64(seed: .random(in: 0 ... .max))
    }

    deinit {
        scratch.deallocate()
    }

    // MARK: Connections

    /// Takes over an accepted socket.
    func adopt(_ descriptor: Int32, peer: NetworkAddress) {
        let connection = ClientConnection(shard: self, descriptor: descriptor, peer: peer)
        connection.index = connections.count
        connections.append(connection)
        connection.open()
        if tick == nil { scheduleTick() }
    }

    func remove(_ connection: ClientConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        count.remove(connection.peer)
        endDrainingIfDone()
    }

    /// Closes some of the connections that wait for a request, starting with those that have waited longest.
    func closeSomeIdle() {
        let waiting = connections.filter { $0.phase == .idle }
            .sorted { $0.deadlines.end < $1.deadlines.end }
        let unused = waiting.lazy.filter { !$0.hasUnreadBytes }
        for connection in unused.prefix(max(1, connections.count / 64)) {
            connection.close()
        }
    }

    func taskStarted() {
        runningTasks += 1
        inFlight.set(runningTasks)
    }

    func taskEnded() {
        runningTasks -= 1
        inFlight.set(runningTasks)
        endDrainingIfDone()
    }

    private func scheduleTick() {
        tick = loop.schedule(afterMilliseconds: settings.tickMilliseconds) { [self] in
            tick = nil
            let now = loop.now
            for connection in connections { connection.check(now: now) }
            if !connections.isEmpty { scheduleTick() }
        }
    }

    // MARK: Draining

    /// Lets what is in flight finish, closes connections that still wait for a request after the grace, and
    /// reports when nothing is left.
    ///
    /// A client that does not know about the shutdown may be sending its next request at any moment. If the
    /// connection were closed, it could not know whether the request was processed; hence the grace.
    func drain(_ body: @escaping @Sendable () -> Void) {
        isDraining = true
        whenDrained.append(body)
        graceTimer = loop.schedule(afterMilliseconds: settings.drainGraceMilliseconds) { [self] in
            isGraceOver = true
            for connection in connections { connection.endIfIdle() }
        }
        endDrainingIfDone()
    }

    /// Cancels and closes everything.
    func abandonAll() {
        for connection in connections { connection.abandon() }
    }

    /// Reports that draining is over although handlers still run.
    func giveUpDraining() {
        drainDeadline?.cancel()
        graceTimer?.cancel()
        let waiting = whenDrained
        whenDrained = []
        for body in waiting { body() }
    }

    private func endDrainingIfDone() {
        if isDraining, connections.isEmpty, runningTasks == 0 { giveUpDraining() }
    }

    // MARK: Heads

    /// Lends out `head` until it is put back: appending to a local array is faster than to a property of an object.
    func takeHead() -> [UInt8] {
        let taken = head
        head = []
        return taken
    }

    /// Appends `Date`, made once a second.
    func appendDate(to bytes: inout [UInt8]) {
        let seconds = linux_epoch_milliseconds() / 1000
        if seconds != dateSecond {
            dateSecond = seconds
            dateField.removeAll(keepingCapacity: true)
            ResponseWire.append(
                "Date", HTTPDate.text(secondsSince1970: Int(seconds)), to: &dateField)
        }
        bytes.append(contentsOf: dateField)
    }

    /// The client's id for a request if it is safe to print, otherwise a new one. Not a secret.
    func requestID(_ offered: String?) -> String {
        if let offered, (1...128).contains(offered.utf8.count), offered.utf8.allSatisfy(isSafe) {
            return offered
        }
        let words = (random.next(), random.next())
        return UUID(milliseconds: linux_epoch_milliseconds(), random: words).description
    }

    private func isSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-_.:/+=@~".utf8.contains(byte)
        }
    }
}
