import AloneKit
import Crypto
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// Two processes over one database; reports are followed through either.
@Suite(.alone, .timeLimit(.minutes(15))) struct ReportsAreFollowed {
    /// What changes a report.
    enum Change: CaseIterable {
        case upload, opened, done, returned, title, task, lock, leaves, name, pause, progressOff
    }

    /// That a process hears what another one announced does not depend on what it was.
    @Test(arguments: Change.allCases)
    func `every change is heard by every process, and says nothing else`(change: Change)
        async throws
    {
        try await withInstances(change == .upload ? 2 : 1) { school, instances in
            let handout = try school.newHandout()
            let readers = try await follow(handout, instances)
            let before = try await position(of: handout, school)
            #expect(readers.allSatisfy { $0.ids == [before] })
            try await make(change, handout, school)
            let after = try await position(of: handout, school)
            #expect(after != before)
            for reader in readers {
                try await eventually(within: .seconds(5)) { reader.ids.last == after }
                #expect(reader.text.contains("data: {\"position\":\"\(after)\"}\n\n"))
                #expect(!reader.text.contains("Sam") && !reader.text.contains("Cells"))
                reader.close()
            }
        }
    }

    @Test func `work that was not assigned does not show, and the same work does once it is`()
        async throws
    {
        try await withInstances { school, instances in
            let handout = try school.newHandout()
            let readers = try await follow(handout, instances)
            let first = try await position(of: handout, school)
            // Not assigned; before publication; and by someone who does not sit in the class.
            try await school.upload([school.attempt(at: ["unit-9", "secret"])])
            try await school.upload([school.attempt(from: school.ago(300), to: school.ago(290))])
            try await school.upload([school.attempt()], as: .bensApp)
            try await Task.sleep(for: .seconds(4))
            #expect(readers.allSatisfy { $0.ids == [first] })
            #expect(try await position(of: handout, school) == first)

            try school.newTask(
                of: handout.id, in: handout.classID, path: ["unit-9", "secret"], position: 2)
            let assigned = try await position(of: handout, school)
            try await eventually { readers.allSatisfy { $0.ids.last == assigned } }
            try await school.upload([school.attempt(at: ["unit-9", "secret"])])
            let shown = try await position(of: handout, school)
            #expect(shown != assigned)
            try await eventually { readers.allSatisfy { $0.ids.last == shown } }
            for reader in readers { reader.close() }
        }
    }

    @Test func `a reader that comes back hears at once whether something has changed`()
        async throws
    {
        try await withInstances { school, instances in
            let handout = try school.newHandout()
            let path = "/v1/handouts/\(handout.id.uuid)/report/events"
            let known = try await position(of: handout, school)
            let idle = EventClient(port: instances[0].port, path, lastEventID: known)
            let other = EventClient(port: instances[0].port, path + "?after=\(known)")
            try await eventually { idle.text.contains("retry: ") && other.text.contains("retry: ") }
            try await Task.sleep(for: .seconds(1))
            #expect(idle.ids.isEmpty && other.ids.isEmpty)
            idle.close()
            other.close()
            try await school.upload([school.attempt()])
            let back = EventClient(port: instances[1].port, path, lastEventID: known)
            try await eventually(within: .seconds(5)) { !back.ids.isEmpty }
            #expect(back.ids == [try await position(of: handout, school)])
            back.close()
        }
    }

    @Test func `many changes are at most one event a second, and the last one is not lost`()
        async throws
    {
        try await withInstances { school, instances in
            let handout = try school.newHandout()
            let readers = try await follow(handout, instances)
            let since = ContinuousClock.now
            for number in 0..<40 {
                try school.sql(
                    """
                    update school.handout set title = \("Cells \(number)")
                     where handout_id = \(handout.id)
                    """)
                try await Task.sleep(for: .milliseconds(50))
            }
            let last = try await position(of: handout, school)
            for reader in readers {
                try await eventually { reader.ids.last == last }
                let seconds = Int((ContinuousClock.now - since) / .seconds(1))
                #expect(reader.ids.count <= 3 + seconds)
                reader.close()
            }
        }
    }

    // MARK: Helpers

    private func position(of handout: GivenHandout, _ school: TestSchool) async throws -> String {
        let report = try await school.get("/v1/handouts/\(handout.id.uuid)/report", as: .tom)
        return try #require(report.json["position"]?.text)
    }

    private func follow(
        _ handout: GivenHandout, _ instances: [Instance]
    ) async throws -> [EventClient] {
        for instance in instances { try await eventually { instance.listening != nil } }
        let readers = instances.map {
            EventClient(port: $0.port, "/v1/handouts/\(handout.id.uuid)/report/events")
        }
        try await eventually { readers.allSatisfy { $0.ids.count == 1 } }
        return readers
    }

    private func make(_ change: Change, _ handout: GivenHandout, _ school: TestSchool) async throws
    {
        let path = "/v1/handouts/\(handout.id.uuid)"
        let sam = school.id(.sam)
        switch change {
        case .upload: try await school.upload([school.attempt()])
        case .opened, .done:
            let assignments = try await school.get("/v1/me/assignments", as: .sam)
            let id = try #require(assignments.items.first?["id"]?.text)
            let word = change == .opened ? "opened" : "done"
            #expect(try await school.put("/v1/assignments/\(id)/\(word)", as: .sam).status == 200)
        case .returned:
            let answer = try await school.put(
                "\(path)/students/\(sam.uuid)/tasks/\(handout.task.uuid)/return", as: .tom,
                json: ["note": "Fine.", "tryAgain": false])
            #expect((200..<300).contains(answer.status))
        case .title:
            let answer = try await school.patch(path, as: .cora, json: ["title": "Atoms"])
            #expect(answer.status == 200)
        case .task: try school.newTask(of: handout.id, in: handout.classID, path: [], position: 2)
        case .lock: #expect(try await school.put("\(path)/lock", as: .tom).status < 300)
        case .leaves:
            try school.sql(
                """
                update school.seat set left_at = now()
                 where class_id = \(handout.classID) and person_id = \(sam)
                """)
        case .name:
            try school.sql(
                "update school.person set given_name = 'Simon' where person_id = \(sam)")
        case .pause:
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(sam)")
        case .progressOff:
            try school.sql(
                """
                update school.organization set is_student_progress_enabled = false
                 where organization_id = \(school.hillside)
                """)
        }
    }
}

/// Runs the body with two processes over one school, or as many as told.
func withInstances(
    _ count: Int = 2, _ body: (TestSchool, [Instance]) async throws -> Void
) async throws {
    try await withSchool { school in
        var instances: [Instance] = []
        for _ in 0..<count { instances.append(try await Instance(school)) }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(school, instances)) } catch {
            outcome = .failure(error)
        }
        for instance in instances { await instance.stop() }
        try outcome.get()
    }
}
