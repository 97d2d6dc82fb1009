import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit
import WireKit

@testable import ServerKit

/// Rosters that the built program pulls from another one's OneRoster API, by command and at night.
@Suite struct PulledRosters {
    private static let path = "/ims/oneroster/rostering/v1p2"

    /// A service account of Elsewhere, where Grace teaches, and its secret in a file.
    private func withAccount(
        _ school: TestSchool,
        _ body: (_ id: String, _ secret: String, _ file: String) async throws -> Void
    ) async throws {
        try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
            let run = try await school.homeroom(
                "import", path, "--organization", school.elsewhere.uuid.description)
            try #require(run.status == 0, "\(run.complaints)")
        }
        let account = try await school.post(
            "/v1/service-accounts", as: .olga, json: ["name": "SIS", "role": "rosterReader"])
        let id = try #require(account.json["clientId"]?.text)
        let secret = try #require(account.json["clientSecret"]?.text)
        let file = NSTemporaryDirectory() + "/secret-\(Foundation.UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try "\(secret)\n".write(toFile: file, atomically: true, encoding: .utf8)
        try await body(id, secret, file)
    }

    private func graces(_ school: TestSchool) throws -> Int {
        try school.sql(
            """
            select count(*) as n from school.person where organization_id = \(school.hillside) and source_id = 'T1'
            """)[0].int("n")
    }

    @Test func `a roster is pulled by command, with the secret from a file or the environment`()
        async throws
    {
        try await withSchool { school in
            let server = try await RunningServer(school.homeroom)
            defer { server.stop() }
            try await withAccount(school) { id, secret, file in
                let call = [
                    "import", "--from", "http://127.0.0.1:\(server.port)\(Self.path)",
                    "--client-id", id, "--organization", school.hillside.uuid.description,
                ]
                let closed = try await school.homeroom.run(call + ["--secret-file", file])
                #expect(closed.status == 1, "this machine is not asked unless it may be")
                let local = school.homeroom.with("HOMEROOM_LOCAL_SOURCES", "on")
                let preview = try await local.run(call + ["--secret-file", file, "--preview"])
                #expect(preview.status == 0 && preview.output.contains("status: planned"))
                #expect(try graces(school) == 0)
                let wrong = try await local.with("HOMEROOM_CLIENT_SECRET", "wrong").run(call)
                #expect(wrong.status == 1)
                #expect(wrong.complaints.contains("refuses the client id or its secret"))
                let done = try await local.with("HOMEROOM_CLIENT_SECRET", secret).run(call)
                #expect(done.status == 0, "\(done.complaints)")
                #expect(try graces(school) == 1)
            }
        }
    }

    @Test func `what is missing is asked for, and the secret is not taken from the command line`()
        async throws
    {
        let homeroom = Homeroom(databaseURL: "host=/nowhere")
        let url = "https://sis.example/v1p2"
        for (arguments, text) in [
            (["import"], "--from URL"), (["import", "--from", url], "--client-id"),
            (["import", "--from", url, "--client-id", "c"], "HOMEROOM_CLIENT_SECRET"),
            (["import", "a.zip", "--from", url], "not both"),
            (["import", "--from", "https://sis.example", "--client-id", "c"], "/v1p2"),
            (
                ["import", "--from", url, "--client-id", "c", "--client-secret", "s"],
                "--client-secret is not an option"
            ),
        ] {
            let run = try await homeroom.run(arguments)
            #expect(run.status == 64 && run.complaints.contains(text), "\(run.complaints)")
        }
    }

    @Test func `a server pulls when the hour has come, another one after it was killed`()
        async throws
    {
        try await withSchool { school in
            let key = NSTemporaryDirectory() + "/credentials-\(Foundation.UUID().uuidString).key"
            defer { try? FileManager.default.removeItem(atPath: key) }
            let homeroom = school.homeroom.with("HOMEROOM_LOCAL_SOURCES", "on")
                .with("HOMEROOM_CREDENTIALS_KEY", key)
            let first = try await RunningServer(homeroom)
            let port = first.port
            try await withAccount(school) { id, secret, _ in
                let source: JSONValue = [
                    "url": .text("http://127.0.0.1:\(port)\(Self.path)"), "clientId": .text(id),
                    "clientSecret": .text(secret),
                ]
                let set = try ask(
                    port: port, "PUT", "/v1/roster-source", token: school.token(.ada),
                    json: source)
                #expect(set.status == 201)
                // As a server leaves it that was killed during the pull.
                try school.sql(
                    """
                    update school.roster_source
                       set claim_id = gen_random_uuid(), claimed_until = now() - interval '1 second', attempts = 1
                    """)
                try await eventually { try graces(school) == 1 }
                let left = try school.sql(
                    "select failure, attempts from school.roster_source")[0]
                #expect(try left.optionalText("failure") == nil && left.int("attempts") == 0)
            }
            first.stop()
        }
    }
}
