import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// Clients that hang up before their answer, so as to leave no trace.
@Suite struct HangUps {
    @Test func `a wrong password counts even if the client hangs up`() async throws {
        try await withSchool { school in
            try await school.hangUp(
                on: HTTPRequest(
                    method: .post, target: "/v1/sign-in",
                    body: (["managedId": .text(Persona.tom.managedID), "password": "wrong"]
                        as JSONValue).bytes),
                whileLocking: "credential")
            try await eventually {
                try school.sql("select from school.credential where failed_tries = 1").count == 1
            }
            let events = try school.sql(
                "select from school.audit_event where kind = 'signInFailure'")
            #expect(events.count == 1)
        }
    }

    @Test func `a wrong current password counts even if the client hangs up`() async throws {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            try await school.hangUp(
                on: HTTPRequest(
                    method: .put, target: "/v1/me/password",
                    headers: [(name: "Authorization", value: "Bearer \(signedIn.accessToken)")],
                    body: (["password": "wrong", "newPassword": "Another-2026"] as JSONValue).bytes),
                whileLocking: "session")
            try await eventually {
                try school.sql("select from school.session where wrong_changes = 1").count == 1
            }
        }
    }

    @Test func `a denial is recorded even if the client hangs up`() async throws {
        try await withSchool { school in
            try await school.hangUp(
                on: HTTPRequest(
                    method: .get, target: "/v1/audit-events",
                    headers: [(name: "Authorization", value: "Bearer \(Persona.sam.token)")]),
                whileLocking: "audit_event")
            try await eventually {
                try school.sql("select from school.audit_event where kind = 'denial'").count == 1
            }
        }
    }
}

extension TestSchool {
    /// Sends a request, and hangs up when it waits for a table, whose rows can still be read.
    fileprivate func hangUp(on request: HTTPRequest, whileLocking table: String) async throws {
        let other = try BlockingConnection(ownerURL)
        try other.execute("begin")
        try other.execute("lock table school.\(identifier: table) in exclusive mode")
        let task = begin(request)
        try await untilSomethingWaits()
        task.cancel()
        // What the cancellation does is done.
        await onItsLoop {}
        try other.execute("commit")
    }
}
