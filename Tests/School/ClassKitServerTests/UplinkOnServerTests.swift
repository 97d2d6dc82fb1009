import ClassKitUplink
import DeviceKit
import Foundation
import JSONBytes
import School
import Synchronization
import TestKit
import Testing
import Values

/// The uplink in front of the whole service.
@Suite struct UplinkOnServer {
    private func uplink(
        _ school: TestSchool, _ store: DeviceStore, _ server: SchoolServer, token: AccessToken
    ) throws -> Uplink {
        Uplink(
            configuration: try school.configuration(), outbox: store,
            tokens: FixedToken(text: token.text, subject: token.subject), transport: server)
    }

    private func activity(
        _ path: [String], score: Double, of maximum: Double = 10
    ) -> ActivityRecord {
        let now = Moment.now
        return ActivityRecord(
            id: UUID(), identifierPath: path, startedAt: now, stoppedAt: now, modifiedAt: now,
            durationSeconds: 0, progressRanges: [ProgressRange(start: 0, end: 0.5)],
            primaryItem: .score(identifier: "s", title: "Score", score: score, maxScore: maximum))
    }

    @Test func `what is queued is in the teacher's report`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(path: ["quiz"])
            let store = DeviceStore(subject: Persona.samsApp.rawValue)
            let server = SchoolServer(school, app: .samsApp)
            store.save(
                ContextRecord(
                    identifierPath: ["quiz"], title: "Quiz", type: "quiz",
                    suggestedAge: Bounds(lower: 9, upper: nil), topic: "math"))
            store.save(activity(["quiz"], score: 7))
            store.save(activity(["quiz"], score: 8))
            store.complete(["quiz"], at: .now)
            let uplink = try uplink(
                school, store, server,
                token: AccessToken(text: Persona.samsApp.token, subject: server.subject))
            #expect(await uplink.flush() == .empty)
            #expect(store.isEmpty && store.now.quarantined.isEmpty)
            let report = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/students/\(Persona.sam.personID.uuid)", as: .tom
            ).json
            let task = report["tasks"]?[0]
            #expect(task?["attempts"]?.array?.count == 2)
            #expect(task?["attempts"]?[0]?["isFinal"] == true)
            #expect(task?["attempts"]?[1]?["primaryItem"]?["score"]?.double == 8)
            #expect(task?["doneAt"]?.text != nil)
            let found = try await uplink.lookUp(["quiz"])
            #expect(found.last?.record.suggestedAge == Bounds(lower: 9, upper: nil))
            #expect(found.last?.record.topic == "math" && found.last?.origin == "native")
            store.remove(["quiz"])
            #expect(await uplink.flush() == .empty)
            #expect(
                try await !uplink.lookUp(["quiz"]).contains { $0.record.identifierPath == ["quiz"] }
            )
        }
    }

    @Test func `what the server refuses is quarantined, and the rest arrives`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(path: ["quiz"])
            let store = DeviceStore(subject: Persona.samsApp.rawValue)
            let server = SchoolServer(school, app: .samsApp)
            store.save(ContextRecord(identifierPath: ["a"], title: "", type: "quiz"))
            store.save(ContextRecord(identifierPath: ["b"], title: "B", type: "quiz"))
            let wrong = activity(["quiz"], score: 7, of: -1)
            store.save(wrong)
            store.save(activity(["quiz"], score: 9))
            let uplink = try uplink(
                school, store, server,
                token: AccessToken(text: Persona.samsApp.token, subject: server.subject))
            #expect(await uplink.flush() == .empty)
            #expect(
                store.now.quarantined.map(\.ticket.row)
                    == ["context [\"a\"]", "activity \(wrong.id)"])
            #expect(store.now.quarantined.map(\.code) == ["wrong_length", "out_of_range"])
            #expect(store.isEmpty)
            let report = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/students/\(Persona.sam.personID.uuid)", as: .tom
            ).json
            #expect(report["tasks"]?[0]?["attempts"]?.array?.count == 1)
        }
    }

    @Test(arguments: UInt64(1)...8)
    func `a disturbed device ends in the report of an undisturbed one`(seed: UInt64) async throws {
        try await withSchool { school in
            let handouts = try (0..<3).map {
                try school.newHandout(path: ["place-\($0)"], publishedAt: school.ago(600))
            }
            let script = AppScript.random(seed: seed)
            for (app, isDisturbed) in [(Persona.samsApp, false), (.suesApp, true)] {
                let device = Device(
                    seed: seed,
                    // Long enough ago that all of it is over now.
                    server: SchoolServer(
                        school, app: app, time: Date().addingTimeInterval(-9 * 3600)),
                    configuration: try school.configuration(), isDisturbed: isDisturbed)
                try await device.play(script)
                #expect(device.store.isEmpty && device.store.now.quarantined.isEmpty)
            }
            var attempts = 0
            for handout in handouts {
                let sams = try await attemptsOf(.sam, at: handout, in: school)
                let sues = try await attemptsOf(.sue, at: handout, in: school)
                #expect(sues == sams)
                attempts += sams.count
            }
            #expect(attempts > 0)
        }
    }

    @Test func `a save that arrives late changes nothing`() async throws {
        try await withSchool { school in
            let store = DeviceStore(subject: Persona.samsApp.rawValue)
            let wire = LosingWire(SchoolServer(school, app: .samsApp))
            let uplink = Uplink(
                configuration: try school.configuration(), outbox: store,
                tokens: FixedToken(text: Persona.samsApp.token, subject: Persona.samsApp.rawValue),
                transport: wire)
            func title() async throws -> String? {
                try await uplink.lookUp(["quiz"]).last { $0.record.identifierPath == ["quiz"] }?
                    .record.title
            }
            store.save(ContextRecord(identifierPath: ["quiz"], title: "Former", type: "quiz"))
            wire.losesSaves(true)
            guard case .waiting = await uplink.flush() else {
                Issue.record("the save has no answer")
                return
            }
            wire.losesSaves(false)
            store.save(ContextRecord(identifierPath: ["quiz"], title: "Present", type: "quiz"))
            #expect(await uplink.flush() == .empty)
            #expect(try await title() == "Present")
            let late = try #require(wire.lost.first)
            let answer = try await wire.answer(to: late)
            #expect(answer.status == 202 && answer.headers["idempotency-replayed"] == "true")
            #expect(try await title() == "Present")
        }
    }

    /// What the report says of a student's attempts, without the moments.
    private func attemptsOf(
        _ student: Persona, at handout: GivenHandout, in school: TestSchool
    ) async throws -> [String] {
        let report = try await school.get(
            "/v1/handouts/\(handout.id.uuid)/students/\(student.personID.uuid)", as: .tom
        ).json
        let task = report["tasks"]?[0]
        let isDone = task?["doneAt"]?.text != nil
        return (task?["attempts"]?.array ?? []).map { attempt in
            let fields = [
                "activityId", "progress", "isFinal", "primaryItem", "additionalItems",
            ].map { "\(attempt[$0]?.bytes ?? [])" }
            let milliseconds = ((attempt["durationSeconds"]?.double ?? 0) * 1000).rounded()
            return (fields + ["\(milliseconds)", "\(isDone)"]).joined(separator: " ")
        }
    }
}

/// Loses saves of contexts.
private final class LosingWire: Transport {
    private let server: SchoolServer
    private let state = Mutex<(isLosing: Bool, lost: [HTTPCall])>((false, []))

    init(_ server: SchoolServer) { self.server = server }

    var lost: [HTTPCall] { state.withLock { $0.lost } }

    func losesSaves(_ isLosing: Bool) { state.withLock { $0.isLosing = isLosing } }

    func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        let isLost = state.withLock { state in
            guard state.isLosing, call.method == "POST" else { return false }
            state.lost.append(call)
            return true
        }
        if isLost { throw UplinkError.network("The connection was lost.") }
        return try await server.answer(to: call)
    }
}
