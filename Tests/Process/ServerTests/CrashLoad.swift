import Crypto
import Foundation
import JSONBytes
import Synchronization
import TestKit
import Testing
import Values
import WaitKit
import WireKit

@testable import ServerKit

/// Clients that make one kind of call, one after another, as fast as they are answered, while something is killed.
final class CrashLoad: Sendable {
    /// A call that is made again and again, each time about something else.
    struct Kind: Sendable {
        /// What acknowledges it.
        let status: Int
        /// What the call of a number is about; it names that in what it stores.
        let subject: @Sendable (_ number: Int) -> String
        let call: @Sendable (_ port: UInt16, _ subject: String) throws -> WireAnswer
    }

    /// What clients saw.
    struct Outcome {
        var tried: Set<String> = []
        /// What was answered to calls that were acknowledged.
        var acknowledged: [String: [UInt8]] = [:]
        /// Of which the answer said that nobody knows whether they were done.
        var unknown: Set<String> = []
        /// 0 where the connection broke, and -1 for a refusal that does not say when to come back.
        var statuses: Set<Int> = []
    }

    private struct State {
        var outcome = Outcome()
        var port: UInt16
        var begun = 0
        var running = 0
        var isStopped = false
    }

    private let kind: Kind
    private let state: Mutex<State>

    /// Starts the clients.
    init(_ kind: Kind, port: UInt16, clients: Int = 2) {
        self.kind = kind
        state = Mutex(State(port: port, running: clients))
        for _ in 0..<clients { Thread.detachNewThread { self.run() } }
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// Waits until so many more calls are acknowledged.
    func progress(by count: Int) async throws {
        let before = outcome.acknowledged.count
        try await eventually { outcome.acknowledged.count >= before + count }
    }

    /// From now on calls go to another server.
    func move(to port: UInt16) {
        state.withLock { $0.port = port }
    }

    /// Waits until the last call has ended.
    func stop() async throws {
        state.withLock { $0.isStopped = true }
        try await eventually { state.withLock { $0.running == 0 } }
    }

    /// Makes the call once more, until the server is there and not busy with the same call.
    func again(_ subject: String) async throws -> WireAnswer {
        let port = state.withLock { $0.port }
        return try await awaited(until: { $0.status != 503 && $0.status != 409 }) {
            try kind.call(port, subject)
        }
    }

    private func run() {
        while let (subject, port) = next() {
            let answer = try? kind.call(port, subject)
            state.withLock { note(subject, answer, in: &$0.outcome) }
            if answer?.status != kind.status { pauseBetweenAttempts() }
        }
        state.withLock { $0.running -= 1 }
    }

    private func next() -> (String, UInt16)? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            state.begun += 1
            return (kind.subject(state.begun), state.port)
        }
    }

    private func note(_ subject: String, _ answer: WireAnswer?, in outcome: inout Outcome) {
        outcome.tried.insert(subject)
        outcome.statuses.insert(answer?.status ?? 0)
        guard let answer else { return }
        if answer.status == kind.status {
            outcome.acknowledged[subject] = answer.body
        } else if answer.text.contains("outcome_unknown") {
            outcome.unknown.insert(subject)
        } else if answer["retry-after"] == nil {
            outcome.statuses.insert(-1)
        }
    }
}

extension CrashLoad.Kind {
    /// Creates people.
    static func people(token: String, location: JSONValue) -> Self {
        Self(status: 201, subject: { "Person\($0)" }) { port, name in
            let person: JSONValue = [
                "givenName": .text(name), "familyName": "Example",
                "roles": [["role": "student", "locationId": location]],
            ]
            return try ask(port: port, "POST", "/v1/people", token: token, json: person)
        }
    }

    /// Creates locations, each with a key.
    static func keyedLocations(token: String) -> Self {
        Self(status: 201, subject: { "Keyed \($0)" }) { port, name in
            try ask(
                port: port, "POST", "/v1/locations", token: token, key: name,
                json: ["name": .text(name)])
        }
    }

    /// Reports attempts, not as fast as they are answered: only so many of one person are kept.
    static func uploads(token: String) -> Self {
        Self(status: 202, subject: { _ in Values.UUID.v7().description }) { port, id in
            pauseBetweenAttempts()
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            let activity: JSONValue = [
                "id": .text(id), "identifierPath": ["check"], "startedAt": .text(now.description),
                "modifiedAt": .text(now.description), "durationSeconds": 0,
            ]
            return try ask(
                port: port, "POST", "/v1/activities", token: token, json: ["activities": [activity]]
            )
        }
    }

    /// Gives two devices a licence of an app at a time.
    ///
    /// It adds the app with enough seats first.
    static func licences(
        at port: UInt16, token: String, location: JSONValue
    ) throws -> Self {
        let app: JSONValue = [
            "name": "Chess", "productType": "App", "bundleId": "org.example.chess",
        ]
        func make(_ path: String, _ body: JSONValue) throws {
            let answer = try ask(port: port, "PUT", path, token: token, json: body)
            guard answer.status == 201 else { throw UnexpectedAnswer(answer) }
        }
        try make("/v1/apps/990011223", app)
        let place = location.text ?? ""
        try make("/v1/apps/990011223/pools/\(place)", ["totalCount": 100_000])
        return Self(status: 201, subject: { "TABLET-\($0)" }) { port, device in
            let body: JSONValue = [
                "serialNumbers": [.text("\(device)-A"), .text("\(device)-B")]
            ]
            return try ask(
                port: port, "POST", "/v1/apps/990011223/licences", token: token, json: body)
        }
    }
}

/// What was answered instead.
struct UnexpectedAnswer: Error, CustomStringConvertible {
    let description: String

    init(_ answer: WireAnswer) { description = "\(answer.status) \(answer.text)" }
}
