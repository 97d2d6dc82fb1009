import AloneKit
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// What becomes of ordered exports when a person's rows are deleted.
extension OrderTests {
    @Test(arguments: ["erasure", "pause", "off"])
    func `deleting rows deletes the files of orders that contain them`(deed: String) async throws {
        try await withOrders { school in
            let given = try school.give()
            try school.attempt(.sam, at: given, hour: 8)
            let export = try await order(school)
            let file = path(export, "activity_reports.ndjson.gz")
            #expect(export["expired"] == false)
            #expect(try await school.get(file, as: .exporter).status == 200)
            switch deed {
            case "erasure":
                let erased = try await school.post(
                    "/v1/people/\(school.id(.sam).uuid)/erasure", as: .ada)
                #expect(erased.status == 200)
                #expect(erased.json["counts"]?["export"] == 1)
                #expect(erased.json["elsewhere"]?.text?.contains("backups") == true)
            case "pause":
                let paused = try await school.post(
                    "/v1/people/\(school.id(.sam).uuid)/progress-pause", as: .petra)
                #expect((200...299).contains(paused.status), "\(paused.text)")
            default:
                let off = try await school.patch(
                    "/v1/organization", as: .ada,
                    json: ["studentProgress": ["enabled": false, "onDisable": "delete"]])
                #expect(off.status == 200)
            }
            #expect(try await school.get(file, as: .exporter).status == 404)
            let after = try await school.get(
                "/v1/exports/\(export["id"]?.text ?? "")", as: .exporter
            ).json
            #expect(after["expired"] == true)
            let reason = deed == "erasure" ? "erasure" : "progressDeleted"
            #expect(after["expiredBecause"]?.text == reason)
            #expect(after["files"] == [])
            let next = try await order(school, since: export)
            let deletions = try await rows(school, "deletions", of: next)
            #expect(
                deletions.contains {
                    $0["kind"]?.text == (deed == "erasure" ? "person" : "activity")
                })
        }
    }

    @Test(.alone)
    func `an export that began before an erasure is written afresh without the person`()
        async throws
    {
        try await withOrders { school in
            let given = try school.give()
            try school.attempt(.sam, at: given, hour: 8)
            try school.attempt(.sue, at: given, hour: 8)
            // Pauses every export between its last row and its being marked done.
            try school.sql(
                """
                create function school.hold_export() returns trigger language plpgsql security definer as
                $$ begin
                    if current_setting('transaction_isolation') = 'repeatable read' then
                        perform pg_advisory_xact_lock_shared(4711);
                    end if;
                    return null;
                end $$
                """)
            try school.sql(
                """
                create trigger hold before update on school.export for each statement
                execute function school.hold_export()
                """)
            let holder = try BlockingConnection(school.ownerURL)
            try holder.query("select pg_advisory_lock(4711)")
            let ordered = try await school.post("/v1/exports", as: .exporter)
            try await eventually {
                try school.sql(
                    "select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted"
                ).count > 0
            }
            let erased = try await school.post(
                "/v1/people/\(school.id(.sam).uuid)/erasure", as: .ada)
            #expect(erased.status == 200)
            #expect(erased.json["counts"]?["export"] == 0)
            try holder.query("select pg_advisory_unlock(4711)")
            let export = try await done(school, try #require(ordered.header("Location")))
            #expect(export["status"] == "succeeded")
            #expect(export["expired"] == false)
            let reports = try await rows(school, "activity_reports", of: export)
            #expect(reports.map { $0["person_id"]?.text } == [school.id(.sue).uuid.description])
        }
    }
}
