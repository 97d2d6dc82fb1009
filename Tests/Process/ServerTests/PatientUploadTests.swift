import AloneKit
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// Uploads while the database is slow.
@Suite(.alone) struct PatientUploads {
    @Test func `an upload that the lane for short statements gives up on is still accepted`()
        async throws
    {
        try await withServer { school, server in
            _ = try school.newHandout()
            let slow = try BlockingConnection(school.ownerURL)
            try slow.execute("begin")
            try slow.execute("lock table school.upload in exclusive mode")
            let client = WireClient(port: server.port)
            client.ask("POST", "/v1/activities", as: .samsApp, ["activities": [school.attempt()]])
            #expect(try becomes { try !school.waitingBackends().isEmpty })
            let first = try school.waitingBackends()
            // The lane's patience is a tenth of a second.
            #expect(try becomes { try !school.waitingBackends().subtracting(first).isEmpty })
            try slow.execute("commit")
            #expect(client.answer()?.status == 202)
            #expect(try becomes { try school.storedCount() == 1 })
        }
    }
}
