import EventLoop
import Synchronization
import TestKit
import WireKit

/// Follows server-sent events over a connection of its own, on a thread of its own.
final class EventClient: Sendable {
    private struct State {
        var text = ""
        var hasEnded = false
    }

    private let state = Mutex(State())
    // Sending and receiving at the same time is what sockets are for.
    nonisolated(unsafe) private let client: WireClient

    init(
        port: UInt16, _ path: String, token: String = Persona.tom.token,
        lastEventID: String? = nil
    ) {
        let client = WireClient(port: port)
        self.client = client
        let fields = lastEventID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        client.send(
            Array(
                "GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\(fields)\r\n"
                    .utf8))
        startThread { [self] in receive() }
    }

    private func receive() {
        while true {
            switch client.receive() {
            case .bytes(let bytes):
                state.withLock { $0.text += String(decoding: bytes, as: UTF8.self) }
            case .end: return state.withLock { $0.hasEnded = true }
            // Nothing arrived for a while.
            case .failure: if state.withLock({ $0.hasEnded }) { return }
            }
        }
    }

    /// Leaves.
    func close() {
        state.withLock { $0.hasEnded = true }
        client.finish()
    }

    /// Everything that was received.
    var text: String { state.withLock { $0.text } }
    /// `nil` until an answer has begun.
    var status: Int? { text.contains("\r\n\r\n") ? Int(text.dropFirst(9).prefix(3)) : nil }
    /// The ids of the events.
    var ids: [String] { text.matches(of: /(?m)^id: (.+)$/).map { String($0.1) } }
    /// Whether the server has ended the answer, in an orderly way or not.
    var hasEnded: Bool { state.withLock { $0.hasEnded || $0.text.hasSuffix("\r\n0\r\n\r\n") } }
}
