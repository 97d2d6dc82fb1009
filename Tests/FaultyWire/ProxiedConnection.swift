import EventLoop
import Glibc
import Synchronization

/// One connection that a proxy passes on, message by message.
package final class ProxiedConnection: Sendable {
    private struct State {
        var passed: [Proxy.Side: Int] = [.frontend: 0, .backend: 0]
        var held: Set<Proxy.Side> = []
        var isCut = false
        var hasFailed = false
        var running = 2
        var said: [UInt8] = []
    }

    private let client: Int32
    private let server: Int32
    private let fault: Proxy.Fault?
    private let state = Mutex(State())

    init(client: Int32, server: Int32, fault: Proxy.Fault?) {
        self.client = client
        self.server = server
        self.fault = fault
    }

    func start() {
        startThread { [self] in pass(.frontend, from: client, to: server) }
        startThread { [self] in pass(.backend, from: server, to: client) }
    }

    /// How many messages of a side were passed on.
    package func count(_ side: Proxy.Side) -> Int { state.withLock { $0.passed[side] ?? 0 } }

    /// Whether the connection is closed.
    package var isCut: Bool { state.withLock { $0.isCut } }

    /// Whether the fault has occurred.
    package var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Whether the client sent these words at the beginning of the connection.
    package func hasSaid(_ words: String) -> Bool {
        let said = state.withLock { $0.said }
        return String(decoding: said, as: UTF8.self).contains(words)
    }

    /// Closes both ends.
    package func cut() {
        let isFirst = state.withLock { state in
            defer { state.isCut = true }
            return !state.isCut
        }
        guard isFirst else { return }
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    /// Keeps what both sides send, in order, until it is released.
    package func hold(_ sides: Set<Proxy.Side> = [.frontend, .backend]) {
        state.withLock { $0.held.formUnion(sides) }
    }

    /// Passes on what was kept.
    package func release() {
        state.withLock { $0.held = [] }
    }

    // MARK: One direction

    private func pass(_ side: Proxy.Side, from source: Int32, to target: Int32) {
        var messages = Messages(side)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        strike(side, target)
        reading: while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            messages.append(buffer[..<count])
            while let message = messages.next() {
                guard waitForRelease(of: side), send(message, to: target) else { break reading }
                note(side, message)
                strike(side, target)
            }
        }
        _ = waitForRelease(of: side)
        cut()
        let isLast = state.withLock { state in
            state.running -= 1
            return state.running == 0
        }
        if isLast {
            close(client)
            close(server)
        }
    }

    /// Triggers the fault when its moment has come.
    private func strike(_ side: Proxy.Side, _ target: Int32) {
        guard let fault, fault.side == side else { return }
        let isNow = state.withLock { state in
            guard !state.hasFailed, state.passed[side] == fault.after else { return false }
            state.hasFailed = true
            return true
        }
        guard isNow else { return }
        switch fault.action {
        case .cut: cut()
        case .stall: hold()
        case .complain(let complaint):
            _ = send(complaint.message, to: target)
            cut()
        case .garble: _ = send([0x7F, 0xFF, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8], to: target)
        }
    }

    private func waitForRelease(of side: Proxy.Side) -> Bool {
        while true {
            let (isHeld, isCut) = state.withLock { ($0.held.contains(side), $0.isCut) }
            if isCut { return false }
            if !isHeld { return true }
            usleep(2_000)
        }
    }

    private func note(_ side: Proxy.Side, _ message: [UInt8]) {
        state.withLock { state in
            state.passed[side, default: 0] += 1
            if side == .frontend, state.said.count < 8192 { state.said += message }
        }
    }

    private func send(_ bytes: [UInt8], to target: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    target, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// Finds the messages in a stream of bytes: the first of a frontend has no type (PostgreSQL documentation,
/// "Message Formats").
private struct Messages {
    private var bytes: [UInt8] = []
    private var start = 0
    private var hasType: Bool

    init(_ side: Proxy.Side) {
        hasType = side == .backend
    }

    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += more
    }

    /// The next message if all of it is there.
    mutating func next() -> [UInt8]? {
        let head = hasType ? 5 : 4
        guard bytes.count - start >= head else { return nil }
        let length = bytes[(start + head - 4)..<(start + head)].reduce(0) { $0 << 8 | Int($1) }
        let total = length + head - 4
        guard bytes.count - start >= total else { return nil }
        defer {
            start += total
            hasType = true
        }
        return Array(bytes[start..<(start + total)])
    }
}
