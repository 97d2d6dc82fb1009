package import ClassKitUplink
internal import Foundation
import Synchronization

/// A device with an app, as a simulation.
package final class Device {
    package let store: DeviceStore
    package let wire: BadWire
    package private(set) var deaths = 0
    private let server: any SimulatedServer
    private let clock = ModelClock()
    private let configuration: UplinkConfiguration
    private let isDisturbed: Bool
    private var dice: Dice
    private var activities: [Int: ActivityRecord] = [:]
    private var running: [Int: Double] = [:]
    private var uplink: Uplink?
    private var life = Life(steps: nil)

    package init(
        seed: UInt64, server: any SimulatedServer, configuration: UplinkConfiguration,
        isDisturbed: Bool
    ) {
        self.isDisturbed = isDisturbed
        self.server = server
        self.configuration = configuration
        store = DeviceStore(subject: server.subject)
        clock.setWall(server.time)
        dice = Dice(seed: seed ^ 0xD1CE)
        wire = BadWire(server: server, seed: seed, isBad: isDisturbed)
    }

    package func play(_ script: [AppStep]) async throws {
        try await flush()
        for step in script {
            play(step)
            if isDisturbed { try await disturb() } else { try await flush() }
        }
        for place in 0..<3 { play(.stop(place: place)) }
        wire.heal()
        life = Life(steps: nil)
        uplink = nil
        pass(2)
        for _ in 0..<20 where !store.isEmpty { try await flush() }
        try await wire.deliverLate()
        try await flush()
    }

    // MARK: The app

    private func play(_ step: AppStep) {
        switch step {
        case .begin(let place, let id): begin(place, id)
        case .progress(let place, let range):
            change(place) { $0.progressRanges.append(range) }
        case .item(let place, let item): change(place) { $0.primaryItem = item }
        case .stop(let place): stop(place)
        case .resume(let place):
            guard activities[place] != nil, running[place] == nil else { return }
            running[place] = trueTime
            change(place) { $0.stoppedAt = nil }
        case .complete(let place): store.complete(["place-\(place)"], at: clock.now)
        case .context(let place, let title):
            store.save(
                ContextRecord(identifierPath: ["place-\(place)"], title: title, type: "quiz"))
        case .remove(let place): store.remove(["place-\(place)"])
        case .wait(let seconds): pass(seconds)
        }
        pass(2.25)
    }

    private func begin(_ place: Int, _ id: UUID) {
        stop(place)
        pass(0.25)
        running[place] = trueTime
        activities[place] = ActivityRecord(
            id: id, identifierPath: ["place-\(place)"], startedAt: clock.now, stoppedAt: nil,
            modifiedAt: clock.now, durationSeconds: 0)
        change(place) { _ in }
    }

    private func stop(_ place: Int) {
        guard running[place] != nil else { return }
        let now = clock.now
        change(place) { $0.stoppedAt = now }
        running[place] = nil
    }

    private func change(_ place: Int, _ body: (inout ActivityRecord) -> Void) {
        guard var activity = activities[place] else { return }
        if let since = running[place] {
            activity.durationSeconds += trueTime - since
            running[place] = trueTime
        }
        body(&activity)
        activity.modifiedAt = clock.now
        activities[place] = activity
        store.save(activity)
    }

    private var trueTime: Double { server.time.timeIntervalSince1970 }

    private func pass(_ seconds: Double) {
        clock.pass(seconds)
        server.pass(seconds)
    }

    // MARK: What goes wrong

    private func disturb() async throws {
        if dice.chance(0.2) {
            clock.setWall(
                clock.now.wall.addingTimeInterval(Double.random(in: -9e6...9e6, using: &dice)))
        }
        if dice.chance(0.05) {
            clock.reboot()
            uplink = nil
            // The network comes back before the app is used again.
            wire.heal()
            life = Life(steps: nil)
            try await flush()
            wire.breakAgain()
        }
        if dice.chance(0.3) {
            life = Life(steps: Int.random(in: 0..<12, using: &dice))
            uplink = nil
        }
        if dice.chance(0.6) { try await flush() }
        if dice.chance(0.3) { try await wire.deliverLate() }
    }

    private func flush() async throws {
        if uplink == nil {
            uplink = Uplink(
                configuration: configuration,
                outbox: MortalOutbox(store: store, life: life), tokens: wire,
                transport: MortalTransport(wire: wire, life: life), clock: clock,
                jitter: { 0.5 })
        }
        for _ in 0..<3 { _ = await uplink?.flush() }
        if life.isOver {
            deaths += 1
            uplink = nil
            life = Life(steps: nil)
        }
    }
}

/// A process, which may die at a step. Whatever it does after that has no effect.
final class Life: Sendable {
    struct Death: Error {}

    private let rest: Mutex<Int?>

    /// - Parameter steps: how many it takes; `nil` for one that lives on.
    init(steps: Int?) {
        rest = Mutex(steps)
    }

    var isOver: Bool { rest.withLock { $0 == 0 } }

    func step() throws {
        try rest.withLock { rest in
            guard let left = rest else { return }
            guard left > 0 else { throw Death() }
            rest = left - 1
        }
    }
}

/// The store as a mortal process reaches it.
struct MortalOutbox: Outbox {
    let store: DeviceStore
    let life: Life

    var subject: String { store.subject }

    private func alive<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        try life.step()
        let result = try await body()
        try life.step()
        return result
    }

    func removals(limit: Int) async throws -> [Outgoing<[String]>] {
        try await alive { try await store.removals(limit: limit) }
    }

    func contexts(limit: Int) async throws -> [Outgoing<ContextRecord>] {
        try await alive { try await store.contexts(limit: limit) }
    }

    func thumbnails(limit: Int) async throws -> [Outgoing<ThumbnailRecord>] {
        try await alive { try await store.thumbnails(limit: limit) }
    }

    func activities(limit: Int) async throws -> [Outgoing<ActivityRecord>] {
        try await alive { try await store.activities(limit: limit) }
    }

    func completions(limit: Int) async throws -> [Outgoing<CompletionRecord>] {
        try await alive { try await store.completions(limit: limit) }
    }

    func stamp(_ stamps: [ActivityStamp]) async throws {
        try await alive { try await store.stamp(stamps) }
    }

    func sent(_ tickets: [Ticket]) async throws {
        try await alive { try await store.sent(tickets) }
    }

    func quarantine(_ refusals: [Refusal]) async throws {
        try await alive { try await store.quarantine(refusals) }
    }

    func discard(_ tickets: [Ticket]) async throws {
        try await alive { try await store.discard(tickets) }
    }

    func state(_ name: String) async throws -> Data? {
        try await alive { try await store.state(name) }
    }

    func keep(_ state: Data, as name: String) async throws {
        try await alive { try await store.keep(state, as: name) }
    }

    func beginReading() async throws -> Int64 {
        try await alive { try await store.beginReading() }
    }

    func mirror(_ page: MirrorPage) async throws {
        try await alive { try await store.mirror(page) }
    }
}

/// The network as a mortal process reaches it.
struct MortalTransport: Transport {
    let wire: BadWire
    let life: Life

    func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        try life.step()
        let answer = try await wire.answer(to: call)
        try life.step()
        return answer
    }
}
