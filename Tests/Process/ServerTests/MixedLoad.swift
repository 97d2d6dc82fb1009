import Crypto
import EventLoop
import Glibc
import JSONBytes
import School
import Synchronization
import TestKit
import Testing
import Values
import WaitKit
import WireKit

@testable import ServerKit

/// Clients that ask for different things without a pause, each request on a connection of its own.
final class MixedLoad: Sendable {
    private struct Kind: Sendable {
        let name: String
        let persona: Persona?
        let status: Int
        let body: (@Sendable () -> JSONValue)?
    }

    private static let kinds = [
        Kind(name: "GET /readyz", persona: nil, status: 200, body: nil),
        Kind(name: "GET /v1/me", persona: .tom, status: 200, body: nil),
        Kind(name: "GET /v1/people", persona: .petra, status: 200, body: nil),
        Kind(name: "GET /v1/classes", persona: .ada, status: 200, body: nil),
        Kind(name: "GET /sign-in", persona: nil, status: 200, body: nil),
        Kind(name: "POST /v1/locations", persona: .provisioner, status: 201) {
            ["name": .text("Under load")]
        },
        Kind(name: "POST /v1/activities", persona: .samsApp, status: 202) {
            let now = Clock.system.now.description
            return [
                "activities": [
                    [
                        "id": .text(UUID.v7().description), "identifierPath": ["course", "lesson"],
                        "startedAt": .text(now), "modifiedAt": .text(now),
                    ]
                ]
            ]
        },
    ]

    private let port: UInt16
    private let answered = Mutex<[String: Int]>([:])
    private let failures = Mutex<[String]>([])
    private let isStopping = Atomic(false)
    private let ended = Semaphore()

    /// Starts asking.
    init(port: UInt16) {
        self.port = port
        for kind in MixedLoad.kinds {
            startThread { [self] in
                repeat { ask(kind) } while !isStopping.load(ordering: .relaxed)
                ended.signal()
            }
        }
    }

    /// How many requests of a kind were answered as they should be.
    func acknowledged(_ name: String) -> Int { answered.withLock { $0[name] ?? 0 } }

    /// Waits until every kind has been answered that many more times.
    func wait(forRounds more: Int) async {
        let enough = MixedLoad.kinds.map { ($0.name, acknowledged($0.name) + more) }
        await aside { [self] in
            #expect(becomes { enough.allSatisfy { acknowledged($0.0) >= $0.1 } })
        }
    }

    /// Everything that went wrong.
    func stop() async -> [String] {
        isStopping.store(true, ordering: .relaxed)
        await aside { [self] in for _ in MixedLoad.kinds { ended.wait() } }
        return failures.withLock { $0 }
    }

    /// Asks until it is answered. A server that has to wait for a lock on a busy machine may say when to come back, and
    /// clients do so.
    private func ask(_ kind: Kind) {
        for _ in 0..<1500 {
            guard mayAskAgain(kind) else { return }
            pauseBetweenAttempts()
        }
        failures.withLock { $0.append("\(kind.name): never answered") }
    }

    /// Asks once; true if the answer says when to come back.
    private func mayAskAgain(_ kind: Kind) -> Bool {
        let words = kind.name.split(separator: " ").map(String.init)
        guard let client = WireClient(ifListening: port) else {
            failures.withLock { $0.append("\(kind.name): refused") }
            return false
        }
        client.ask(words[0], words[1], as: kind.persona, kind.body?())
        guard let answer = client.answer() else {
            failures.withLock { $0.append("\(kind.name): no answer") }
            return false
        }
        guard answer.status == kind.status else {
            if answer.status == 503, answer["retry-after"] != nil { return true }
            let text = String(decoding: answer.body, as: UTF8.self)
            failures.withLock { $0.append("\(kind.name): \(answer.status) \(text)") }
            return false
        }
        answered.withLock { $0[kind.name, default: 0] += 1 }
        return false
    }
}
