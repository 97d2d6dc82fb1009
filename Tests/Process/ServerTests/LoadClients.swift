import Crypto
import EventLoop
import JSONBytes
import Synchronization
import TestKit
import Testing
import Values
import WireKit

@testable import ServerKit

/// A client that asks again and again until nothing listens any more.
final class LoadClient: Sendable {
    struct Outcome {
        var answered = 0
        /// Requests on an open connection that got no answer, and did not follow one that closed it.
        var lost = 0
        /// Answers that were neither what was requested nor 503.
        var otherStatuses: [Int] = []
    }

    private let name: String?
    private let requestsAtOnce: Int
    private let state = Mutex(Outcome())
    private let done = Semaphore()

    /// - Parameters:
    ///   - requestsAtOnce: how many are sent before the first answer is read.
    ///   - name: of the locations that it adds; without one it only reads.
    init(port: UInt16, requestsAtOnce: Int = 1, adding name: String? = nil) {
        self.name = name
        self.requestsAtOnce = requestsAtOnce
        startThread { [self] in
            while let client = WireClient(ifListening: port) {
                while asks(client) {}
            }
            done.signal()
        }
    }

    /// Waits until nothing listens.
    func outcome() -> Outcome {
        done.wait()
        return state.withLock { $0 }
    }

    /// One round; `false` when the connection is over.
    private func asks(_ client: WireClient) -> Bool {
        for _ in 0..<requestsAtOnce {
            if let name { client.addLocation(name) } else { client.ask("GET", "/healthz", as: nil) }
        }
        for _ in 0..<requestsAtOnce {
            guard let answer = client.answer() else {
                state.withLock { $0.lost += 1 }
                return false
            }
            count(answer.status)
            if answer.closes { return false }
        }
        return true
    }

    private func count(_ status: Int) {
        state.withLock { state in
            switch status {
            case name == nil ? 200 : 201: state.answered += 1
            case 503: break
            default: state.otherStatuses.append(status)
            }
        }
    }
}

/// What an app has sent, and which of it was acknowledged.
final class Uploads: Sendable {
    private let state = Mutex((sent: [UUID: JSONValue](), acknowledged: [UUID]()))

    var sent: [UUID: JSONValue] { state.withLock { $0.sent } }
    var acknowledged: [UUID] { state.withLock { $0.acknowledged } }

    func note(_ id: UUID, _ activity: JSONValue) {
        state.withLock { $0.sent[id] = activity }
    }

    func acknowledge(_ id: UUID) {
        state.withLock { $0.acknowledged.append(id) }
    }

    /// Sends everything once more.
    func replay(port: UInt16) {
        let client = WireClient(port: port)
        for activity in sent.values {
            var status: Int?
            for _ in 0..<20 where status == nil || status == 503 {
                client.ask("POST", "/v1/activities", as: .samsApp, ["activities": [activity]])
                status = client.answer()?.status
            }
            #expect(status == 202)
        }
    }
}

/// An app that reports one activity after another until its connection breaks.
final class Uploader: Sendable {
    private let done = Semaphore()

    init(_ school: TestSchool, _ port: UInt16, _ uploads: Uploads) {
        startThread { [done] in
            let client = WireClient(port: port)
            var isOpen = true
            while isOpen {
                let id = UUID.v7()
                let activity = school.attempt(
                    id,
                    primary: [
                        "kind": "score", "identifier": "s", "title": "Score", "score": 7,
                        "maxScore": 10,
                    ])
                uploads.note(id, activity)
                client.ask("POST", "/v1/activities", as: .samsApp, ["activities": [activity]])
                let status = client.answer()?.status
                if status == 202 { uploads.acknowledge(id) }
                isOpen = status != nil
            }
            done.signal()
        }
    }

    /// Waits until its connection is broken.
    func finish() {
        done.wait()
    }
}
