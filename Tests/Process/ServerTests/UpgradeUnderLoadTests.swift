import AloneKit
import Foundation
import Glibc
import HTTPServer
import NotifyKit
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// Versions follow each other over one database and one socket, which the test holds as a service manager does, while
/// clients go on reading and writing.
@Suite(.alone) struct UpgradeUnderLoad {
    @Test(arguments: Released.all)
    func `the data of a release goes up two versions and back one, and no request fails`(
        version: String
    ) async throws {
        let databases = try TestDatabase.shared()
        let release = try await RestoredRelease(version, in: databases)
        defer { databases.drop(release.name) }
        try release.connection.query(
            "update school.access_token set expires_at = now() + interval '1 day'")
        let before = try release.counts()["location"] ?? 0
        let newer = try DefinitionsCopy()
        defer { newer.discard() }
        try newer.become(later: "9000_later")
        let this = Homeroom(
            databaseURL: databases.url(release.name, user: "school_server"),
            migrationURL: databases.url(release.name, user: nil)
        ).with("HOMEROOM_RATE_LIMIT", "0")
        let next = this.with("HOMEROOM_SQL", newer.folder)
        let socket = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
        defer { close(socket) }
        let port = ListeningSocket.port(of: socket)
        let listener = NotifyListener(isAbstract: true)

        // The version of the release has stopped; its clients wait at the socket meanwhile.
        let load = MixedLoad(port: port)
        try await expectDone(this, "migrate")
        let service = try ActivatedService(this, socket, listener)
        await service.serve(load)

        // The next version migrates beside this one, which serves on and says that it may.
        try await expectDone(next, "migrate")
        #expect(LiveClient(port: port).get("/readyz")?.status == 200)
        await load.wait(forRounds: 20)
        await service.stop()
        let later = try ActivatedService(next, socket, listener)
        await later.serve(load)

        // Back: this version never migrates down, and serves beside the schema of the next.
        let refused = try await this("migrate")
        #expect(refused.status == 1)
        #expect(refused.complaints.contains("made by a newer version"), "\(refused.complaints)")
        await later.stop()
        let last = try ActivatedService(this, socket, listener)
        await last.serve(load)
        let failures = await load.stop()
        await last.stop()
        #expect(failures == [])
        #expect(
            try release.counts()["location"] == before + load.acknowledged("POST /v1/locations"))
    }

    @Test func `the load would notice a server that is away`() async throws {
        let socket = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
        let load = MixedLoad(port: ListeningSocket.port(of: socket))
        close(socket)
        let failures = await load.stop()
        #expect(!failures.isEmpty)
    }

    private func expectDone(_ homeroom: Homeroom, _ command: String) async throws {
        let run = try await homeroom(command)
        #expect(run.status == 0, "\(run.complaints)")
    }
}

extension ActivatedService {
    /// Waits until it has answered for a while under the load.
    fileprivate func serve(_ load: MixedLoad) async {
        await waitUntilReady()
        await load.wait(forRounds: 20)
    }
}

extension DefinitionsCopy {
    /// Changes what a later version may change without troubling this one: a new table, a new column, the body of a
    /// function, and the wording of policies.
    fileprivate func become(later name: String) throws {
        try write(
            """
            create table later (
                organization_id uuid not null references organization,
                later_id        uuid not null,
                constraint later_id_is_unique primary key (organization_id, later_id));
            alter table later enable row level security;
            alter table class add column building text;
            alter table location add column storeys integer not null default 1;
            """, to: "migrations/\(name).sql")
        let callers = "functions/access/callers.sql"
        let text = try read(callers)
        let changed = text.replacing(
            "new.version := old.version + 1", with: "new.version := 1 + old.version")
        #expect(changed != text)
        try write(changed, to: callers)
        for file in ["policies/directory.sql", "policies/handouts.sql", "policies/activities.sql"] {
            let text = try read(file)
            let changed = text.replacing(
                "organization_id = (select my_organization())",
                with: "organization_id = (select my_organization()) and true")
            #expect(changed != text, "\(file)")
            try write(changed, to: file)
        }
    }
}
