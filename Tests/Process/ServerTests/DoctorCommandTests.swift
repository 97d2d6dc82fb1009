import Demonstration
import Foundation
import Glibc
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

@Suite struct DoctorCommand {
    @Test func `a new school in a private database is healthy`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "doctor-\(Foundation.UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let homeroom = Homeroom(dataFolder: folder)
        let nothing = try await homeroom("doctor")
        #expect(nothing.status == 1)
        #expect(nothing.output.contains("There is no database in \(folder)"))
        #expect(!FileManager.default.fileExists(atPath: folder), "nor does it create one")

        let made = try await homeroom(
            "organization", "create", "--name", "Hillside", "--domain", "hillside.example",
            "--administrator", "ada@hillside.example", "--json")
        #expect(made.status == 0, "\(made.complaints)")
        let run = try await homeroom("doctor", "--json")
        #expect(run.status == 0, "\(run.output)\(run.complaints)")
        #expect(run.json["isWell"] == true)
        let findings = run.json["deployment"]?["findings"]?.array ?? []
        #expect(findings.compactMap { $0["code"]?.text } == ["backup"])
        let organization = run.json["organizations"]?[0]
        #expect(organization?["organizationId"] == made.json["organizationId"])
        #expect(organization?["checks"]?["ready"] == true)
    }

    @Test func `it says what a rule removed from an audit trail, and when a school goes`()
        async throws
    {
        try await withSchool { school in
            try school.beginAuditTrails()
            try school.sql(
                "update school.audit_event set arrived_at = arrived_at - interval '2 years'")
            try school.sql(
                "update school.audit_unsealed set arrived_at = arrived_at - interval '2 years'")
            try school.sql("select school.seal_audit_events(\(school.hillside))")
            try school.sql(
                """
                insert into school.retention_rule (organization_id, kind, years, effective_at)
                values (\(school.hillside), 'auditEvents', 1, now() - interval '1 day')
                """)
            try school.sql("select school.order_deletion(\(school.hillside), 30)")
            try school.sql("select school.seal_audit_events(\(school.hillside))")
            try school.sql("delete from school.organization_deletion")
            try school.letClockProveRight()
            try school.sql("select school.remove_by_rules(\(school.hillside))")
            try school.sql("select school.order_deletion(\(school.hillside), 30)")
            let run = try await school.doctored("doctor")
            #expect(
                run.output.contains("A rule of retention removed the events up to seal 1, last on ")
            )
            #expect(run.output.contains("The organization is to be deleted on "))
            #expect(run.complaints.contains("Not everything is well: 1 error."), "\(run.output)")
            let json = try await school.doctored("doctor", "--json").json
            let organization = json["organizations"]?.array?.first {
                $0["organizationId"]?.text == school.hillside.uuid.description
            }
            #expect(organization?["removedUpToSeal"] == 1)
            #expect(organization?["deletedAt"]?.text != nil)
        }
    }

    @Test func `the throw-away database of the tests is not durable, and that is an error`()
        async throws
    {
        try await withSchool { school in
            try school.beginAuditTrails()
            try school.sql("select school.seal_audit_events(\(school.hillside))")
            let run = try await school.doctored("doctor")
            #expect(run.status == 1)
            #expect(run.output.contains("fsync is off"))
            #expect(run.output.contains("Hillside (\(school.hillside.uuid))"))
            #expect(run.output.contains("The audit trail is sealed up to number 1: "))
            #expect(run.output.contains("students in classes have never signed in."))
            #expect(run.complaints.contains("Not everything is well: 1 error."))
            let json = try await school.doctored("doctor", "--json").json
            let codes = json["deployment"]?["findings"]?.array?.compactMap { $0["code"]?.text }
            #expect(codes == ["not_durable"])
        }
    }

    @Test func `a database that a dump left open is an error, and a migration closes it`()
        async throws
    {
        try await withSchool { school in
            func codes() async throws -> [String] {
                let json = try await school.doctored("doctor", "--json").json
                return (json["deployment"]?["findings"]?.array ?? []).compactMap {
                    $0["code"]?.text
                }
            }
            try school.sql(
                """
                do $$ begin
                    execute format('grant temporary on database %I to public', current_database());
                end $$
                """)
            #expect(try await codes().contains("database_is_open"))
            let owner = Homeroom(databaseURL: school.ownerURL, migrationURL: school.ownerURL)
            let migrated = try await owner("migrate", "--json")
            #expect(migrated.json["wasCurrent"] == false, "\(migrated.complaints)")
            #expect(try await !codes().contains("database_is_open"))
            #expect(try await owner("migrate", "--json").json["wasCurrent"] == true)
        }
    }

    @Test func `alterations to the database are found`() async throws {
        try await withSchool { school in
            try school.beginAuditTrails()
            try school.sql("alter table school.seat disable row level security")
            try school.sql("grant delete on school.audit_event to school_administrator")
            let json = try await school.doctored("doctor", "--json").json
            let findings = json["deployment"]?["findings"]?.array ?? []
            let texts = findings.compactMap { $0["text"]?.text }
            #expect(texts.contains("The table seat has no row security."))
            #expect(texts.contains("The role school_administrator may change audit_event."))
        }
    }

    @Test func `an edited audit trail is reported by event and seal`() async throws {
        try await withSchool { school in
            try school.sql(
                "select school.write_audit_event(\(school.hillside), 'denial', 'teacher', null, null, null, null, null, null)"
            )
            try school.sql("select school.seal_audit_events(\(school.hillside))")
            try school.sql("update school.audit_event set kind = 'import'")
            let event = try school.sql("select event_id from school.audit_event")[0].uuid(
                "event_id")
            let run = try await school.doctored(
                "doctor", "--organization", school.hillside.uuid.description)
            #expect(run.status == 1)
            #expect(run.output.contains("edited outside the service"))
            #expect(run.output.contains(event.description))
            #expect(!run.output.contains("Elsewhere"))
        }
    }

    @Test func `a trail that lost its beginning is an error`() async throws {
        try await withSchool { school in
            try school.beginAuditTrails()
            let whole = try await school.doctored("doctor")
            #expect(!whole.output.contains("lost its first event"))
            try school.sql(
                "delete from school.audit_unsealed where organization_id = \(school.hillside)")
            try school.sql(
                "delete from school.audit_event where organization_id = \(school.hillside)")
            let run = try await school.doctored(
                "doctor", "--organization", school.hillside.uuid.description)
            #expect(run.status == 1)
            #expect(run.output.contains("The audit trail has lost its first event."))
        }
    }

    @Test func `a seal that was noted elsewhere is compared`() async throws {
        try await withSchool { school in
            try school.beginAuditTrails()
            try school.sql("select school.seal_audit_events(\(school.hillside))")
            let digest = try school.sql(
                "select encode(digest, 'hex') as digest from school.audit_seal")[0].text("digest")
            let noted = "\(school.hillside.uuid):1:\(digest)"
            let well = try await school.doctored("doctor", "--seal", noted)
            #expect(well.output.contains("--seal \(noted)"))
            #expect(!well.output.contains("another digest"))
            let wrong = String(repeating: "0", count: 64)
            let run = try await school.doctored(
                "doctor", "--json", "--seal", noted, "--seal", "\(school.hillside.uuid):1:\(wrong)",
                "--seal", "\(school.hillside.uuid):2:\(digest)",
                "--seal", "\(school.biology.uuid):1:\(digest)")
            #expect(run.status == 1)
            let texts = (run.json["deployment"]?["findings"]?.array ?? []).filter {
                $0["code"] == "noted_seal"
            }.compactMap { $0["text"]?.text }
            #expect(texts.count == 3)
            #expect(texts.first?.contains("another digest") == true)
            #expect(texts.dropFirst().first?.contains("no longer has seal 2") == true)
            #expect(texts.last?.contains("There is no organization") == true)
            #expect(try await school.doctored("doctor", "--seal", "1:\(digest)").status == 64)
        }
    }

    @Test func `the demonstration school is not made beside another, and an error where it is`()
        async throws
    {
        try await withSchool { school in
            try school.beginAuditTrails()
            let refused = try await school.doctored("demo", "--json")
            #expect(refused.status == 1)
            #expect(refused.complaints.contains("There is an organization already"))
            func codes() async throws -> [String?] {
                let json = try await school.doctored("doctor", "--json").json
                return (json["deployment"]?["findings"]?.array ?? []).map { $0["code"]?.text }
            }
            #expect(try await !codes().contains("demonstration"))
            let demonstration = DemonstrationAccount.organizationID
            try school.sql(
                """
                insert into school.organization (organization_id, name, time_zone)
                values (\(demonstration), 'Harbour Schools', 'Europe/Berlin')
                """)
            #expect(try await codes().contains("demonstration"))
            try school.sql("select school.order_deletion(\(demonstration), 30)")
            #expect(try await !codes().contains("demonstration"), "nobody signs in to it now")
        }
    }

    @Test func `a class is checked by itself`() async throws {
        try await withSchool { school in
            let hillside = school.hillside.uuid.description
            let run = try await school.doctored(
                "doctor", "--organization", hillside, "--class", school.biology.uuid.description)
            #expect(run.status == 0, "\(run.output)")
            let alone = try await school.doctored("doctor", "--class", hillside)
            #expect(alone.status == 64)
        }
    }
}

extension TestSchool {
    /// The program with a data folder of these tests: the doctor also reads the exports in it, and other tests write some.
    fileprivate var doctored: Homeroom {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "homeroom-doctored-\(getpid())")
        return homeroom.with("HOMEROOM_DATA", folder.path)
    }

    /// The event left by creating an organization, which the seed of the tests skips.
    func beginAuditTrails() throws {
        for organization in [hillside, elsewhere] {
            try sql(
                """
                select school.write_audit_event(\(organization), 'organizationChange', 'server', null, null, null,
                                                'organization', \(organization.uuid.description),
                                                '{"change": "created"}')
                """)
        }
    }
}
