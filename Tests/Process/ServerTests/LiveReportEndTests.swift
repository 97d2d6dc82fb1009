import AloneKit
import Crypto
import FaultyWire
import Foundation
import Postgres
import School
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// A report that is followed ends with the right to read it, and there are not too many.
@Suite(.alone, .timeLimit(.minutes(15))) struct FollowedReportsEnd {
    /// Why Tom may not go on.
    enum Cause: CaseIterable {
        case signOut, expiry, deactivation, role, leaves, deletion
    }

    @Test(arguments: Cause.allCases)
    func `it ends within two seconds, and cannot be opened again`(cause: Cause) async throws {
        try await withInstances { school, instances in
            let handout = try school.newHandout(by: .cora)
            let path = "/v1/handouts/\(handout.id.uuid)/report/events"
            if cause == .expiry {
                try school.sql(
                    """
                    update school.access_token set expires_at = now() + interval '4 seconds'
                     where digest = \(Self.digest)
                    """)
            }
            let readers = instances.map { EventClient(port: $0.port, path) }
            try await eventually { readers.allSatisfy { $0.ids.count == 1 } }
            #expect(readers.allSatisfy { !$0.hasEnded })
            try end(cause, handout, school)
            let limit: Duration = cause == .expiry ? .seconds(6) : .seconds(2)
            for reader in readers {
                try await eventually(within: limit) { reader.hasEnded }
                #expect(reader.ids.count == 1)
            }
            for instance in instances {
                let again = EventClient(port: instance.port, path)
                try await eventually { again.status != nil }
                #expect([401, 403, 404].contains(again.status), "\(cause)")
                again.close()
            }
        }
    }

    @Test func `others go on when someone signs out`() async throws {
        try await withInstances { school, instances in
            let handout = try school.newHandout()
            let path = "/v1/handouts/\(handout.id.uuid)/report/events"
            let cora = EventClient(port: instances[0].port, path, token: Persona.cora.token)
            let tom = EventClient(port: instances[0].port, path)
            try await eventually { cora.ids.count == 1 && tom.ids.count == 1 }
            try end(.signOut, handout, school)
            try await eventually(within: .seconds(2)) { tom.hasEnded }
            try await school.upload([school.attempt()])
            try await eventually { cora.ids.count == 2 }
            #expect(!cora.hasEnded)
            cora.close()
        }
    }

    @Test func `a server that stops ends them in an orderly way`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let instance = try await Instance(school)
            let reader = EventClient(
                port: instance.port, "/v1/handouts/\(handout.id.uuid)/report/events")
            try await eventually { reader.ids.count == 1 }
            let since = ContinuousClock.now
            await instance.stop()
            #expect(ContinuousClock.now - since < .seconds(5))
            #expect(reader.text.hasSuffix("\r\n0\r\n\r\n"), "the last chunk, not a cut")
        }
    }

    @Test func `a lost connection to the database ends them, and they are resumed`() async throws {
        try await withInstances { school, instances in
            let handout = try school.newHandout()
            let path = "/v1/handouts/\(handout.id.uuid)/report/events"
            let reader = EventClient(port: instances[0].port, path)
            try await eventually { reader.ids.count == 1 && instances[0].listening != nil }
            instances[0].listening?.cut()
            try await eventually { reader.hasEnded }
            try await eventually { instances[0].listening != nil }
            let again = EventClient(port: instances[0].port, path, lastEventID: reader.ids[0])
            try await eventually { again.status == 200 }
            try await school.upload([school.attempt()])
            try await eventually { again.ids.count == 1 }
            again.close()
        }
    }

    @Test func `nobody has more than ten, and those who left make room`() async throws {
        try await withInstances { school, instances in
            let handout = try school.newHandout()
            let path = "/v1/handouts/\(handout.id.uuid)/report/events"
            let port = instances[0].port
            var readers: [EventClient] = []
            for _ in 0..<10 {
                // A server that has too much to do says so, and when to come back.
                let reader = try await awaited(
                    until: { (reader: EventClient) in reader.status != 503 }
                ) {
                    let reader = EventClient(port: port, path)
                    try await eventually { reader.status != nil }
                    return reader
                }
                #expect(reader.status == 200)
                readers.append(reader)
            }
            let answer = try instances[0].get(path, token: Persona.tom.token)
            #expect(answer.status == 429 && answer.text.contains("too_many_live_reports"))
            #expect(!answer.values("Retry-After").isEmpty)
            let cora = EventClient(port: port, path, token: Persona.cora.token)
            try await eventually { cora.status == 200 }
            readers[0].close()
            try await eventually {
                let next = EventClient(port: port, path)
                try await eventually { next.status != nil }
                defer { next.close() }
                return next.status == 200
            }
            for reader in readers + [cora] { reader.close() }
        }
    }

    @Test func `a thousand that come, and leave without a word, leave nothing behind`()
        async throws
    {
        try await withInstances { school, instances in
            let handout = try school.newHandout()
            let port = instances[0].port
            let request = Array(
                """
                GET /v1/handouts/\(handout.id.uuid)/report/events HTTP/1.1\r
                Host: x\r
                Authorization: Bearer \(Persona.tom.token)\r\n\r\n
                """.utf8)
            for round in 0..<100 {
                let clients = (0..<10).map { _ in WireClient(port: port) }
                for client in clients { client.send(request) }
                // Some leave at once, some after the answer has begun.
                if round % 4 == 0 { _ = clients[0].receive() }
                for client in clients { round % 2 == 0 ? client.reset() : client.close() }
            }
            try await eventually {
                let reader = EventClient(
                    port: port, "/v1/handouts/\(handout.id.uuid)/report/events")
                try await eventually { reader.status != nil }
                defer { reader.close() }
                return reader.status == 200
            }
            #expect(try instances[0].get("/healthz").status == 200)
        }
    }

    private static let digest = SHA256.digest(Array(Persona.tom.token.utf8)).bytes

    private func end(_ cause: Cause, _ handout: GivenHandout, _ school: TestSchool) throws {
        let tom = school.id(.tom)
        switch cause {
        case .expiry: break
        case .signOut: try school.sql("select school.sign_out(\(Self.digest))")
        case .deactivation:
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(tom)")
        case .role:
            try school.sql(
                "delete from school.person_role where person_id = \(tom) and role = 'teacher'")
        case .leaves:
            try school.sql(
                """
                update school.seat set left_at = now()
                 where class_id = \(handout.classID) and person_id = \(tom) and role = 'teacher'
                """)
        case .deletion:
            try school.sql(
                "update school.handout set deleted_at = now() where handout_id = \(handout.id)")
        }
    }
}
