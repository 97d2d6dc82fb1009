import AloneKit
import FaultyWire
import Foundation
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// The service while its database is away.
@Suite(.alone, .timeLimit(.minutes(15))) struct DatabaseAway {
    @Test func `a silent database is reported within a second, and is not asked for long`()
        async throws
    {
        try await withSchool { school in
            let instance = try await Instance(school, loops: 1)
            try await eventually { try instance.get("/readyz").status == 200 }
            instance.proxy.hold()
            let notReady = try instance.get("/readyz")
            #expect(notReady.status == 503)
            #expect(notReady["retry-after"] != nil)
            #expect(notReady.text.contains("unavailable"))
            let refused = try instance.get("/v1/people", token: Persona.ada.token)
            #expect(refused.status == 503)
            #expect(refused["retry-after"] != nil)
            #expect(try instance.get("/healthz").status == 200)
            instance.proxy.release()
            try await eventually { try instance.get("/readyz").status == 200 }
            let answer = try instance.get("/v1/people", token: Persona.ada.token)
            #expect(answer.status == 200)
            await instance.stop()
        }
    }

    @Test func `a database that closes every connection costs only refusals for a moment`()
        async throws
    {
        try await withSchool { school in
            let instance = try await Instance(school, loops: 1)
            try await eventually { try instance.get("/readyz").status == 200 }
            for _ in 0..<5 {
                instance.proxy.cut()
                var statuses: [Int] = []
                repeat {
                    let answer = try instance.get("/v1/people", token: Persona.ada.token)
                    if answer.status == 503 { #expect(answer["retry-after"] != nil) }
                    statuses.append(answer.status)
                } while statuses.suffix(3) != [200, 200, 200] && statuses.count < 100
                #expect(Set(statuses).isSubset(of: [200, 503]))
                #expect(statuses.last == 200)
            }
            await instance.stop()
        }
    }

    @Test func `a process that loses its database at the start waits for it`() async throws {
        try await withSchool { school in
            let instance = try await Instance(school, loops: 1)
            instance.proxy.cut()
            try await eventually { try instance.get("/readyz").status == 200 }
            await instance.stop()
        }
    }
}
