import EventLoop
import HTTPServer
import Postgres
import School
import Synchronization

/// The reports that are open live in this process.
///
/// They share the one connection that listens for notifications, and hold none while they wait.
final class LiveReports: Sendable {
    private struct State {
        var byLoop: [Int: LoopReports] = [:]
        var isClosed = false
    }

    let count: LiveCount
    private let database: Database
    private let state = Mutex(State())

    init(_ database: Database, _ limits: LiveCount.Limits = LiveCount.Limits()) {
        self.database = database
        count = LiveCount(limits)
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Sends events for as long as the reader stays and may read.
    ///
    /// - Parameters:
    ///   - known: the position that the client has.
    ///   - position: the position now.
    func follow(
        _ key: LiveReport.Key, as caller: Caller, from known: String?, at position: String,
        _ place: LiveCount.Place, to writer: ResponseWriter
    ) async throws {
        guard let reports = ofThisLoop() else { return }
        let reader = LiveReader(caller, at: position, place: place, on: reports.loop)
        reports.add(reader, to: key, as: caller)
        defer { reports.remove(reader, from: key) }
        // Clients whose connections end together come back one after the other.
        let pause = "retry: \(Int.random(in: 1000...3000))\n\n"
        try await writer.write(
            Array(pause.utf8) + (known == position ? [] : Self.event(position)))
        guard try writer.keepOpen() else { return }
        while true {
            switch await reader.next() {
            case .position(let position): try await writer.write(Self.event(position))
            case .sign: try await writer.write(Self.sign)
            case .end: return
            }
        }
    }

    /// Handles what the listening connection reports; callable from any loop.
    func receive(_ event: Listener.Event) {
        if case .heartbeat = event { return }
        if case .notification("school_revocation", "heartbeat") = event { return }
        for reports in opened { reports.loop.execute { reports.receive(event) } }
    }

    /// Ends all, and accepts no more.
    func close() {
        state.withLock { $0.isClosed = true }
        for reports in opened { reports.loop.execute { reports.endAll() } }
    }

    private var opened: [LoopReports] { state.withLock { Array($0.byLoop.values) } }

    /// `nil` once they are closed.
    private func ofThisLoop() -> LoopReports? {
        guard let loop = Loop.current else { return nil }
        return state.withLock { state in
            if state.isClosed { return nil }
            if let known = state.byLoop[loop.index] { return known }
            let new = LoopReports(loop: loop, database: database)
            state.byLoop[loop.index] = new
            return new
        }
    }

    /// Says the position and nothing else: who wants to know more reads the report.
    private static func event(_ position: String) -> [UInt8] {
        Array("id: \(position)\nevent: report\ndata: {\"position\":\"\(position)\"}\n\n".utf8)
    }

    private static let sign = Array(":\n\n".utf8)
}
