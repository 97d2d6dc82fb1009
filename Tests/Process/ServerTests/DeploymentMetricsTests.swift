import HTTPServer
import Postgres
import Records
import School
import TestKit
import Testing
import Values
import WaitKit
import WireKit

@testable import Server
@testable import ServerKit

/// Metrics about what runs out, stops or gets old without anyone's doing.
@Suite struct DeploymentMetrics {
    @Test func `versions, database, disk and certificate report on themselves`() async throws {
        let pair = try TestPair(named: "school.example")
        var http = HTTPServerSettings()
        http.tls = try TLSEndpoint(certificate: pair.certificate, key: pair.key)
        try await withObservedSchool(http: http) { school, _, metrics in
            let page = try await MetricsPage(of: metrics, when: "homeroom_schema_fits", is: 1)
            #expect(try page.value("homeroom_database_up") == 1)
            #expect(try page.value("homeroom_schema_fits") == 1)
            let build = try #require(page.samples.first { $0.name == "homeroom_build_info" })
            #expect(build.value == 1)
            #expect(build.label("version") == Program.version)
            #expect(build.label("postgresql")?.wholeMatch(of: /[0-9]+\.[0-9]+/) != nil)
            let now = Double(Clock.system.now.milliseconds) / 1000
            let expiry = try page.value("homeroom_certificate_expiry_timestamp_seconds")
            #expect((now + 86_400...now + 3 * 86_400).contains(expiry))
            let (free, size) = (
                try page.value("homeroom_data_free_bytes"),
                try page.value("homeroom_data_size_bytes")
            )
            #expect(free > 0 && free <= size)
            #expect(try page.value("homeroom_wal_archive_enabled") == 0)
            #expect(try page.value("homeroom_wal_archive_failing") == 0)
            #expect(try page.value("homeroom_damaged_pages_total") == 0)
            #expect(try page.value("homeroom_clock_jumped") == 0)
            let archived = "homeroom_wal_archive_last_success_timestamp_seconds"
            #expect(page.families.contains { $0.name == archived })
            #expect(throws: MetricsPage.Malformed.self, "never") { try page.value(archived) }
        }
    }

    @Test func `audit events that wait for their seal have an age`() async throws {
        try await withSchool { school in
            func figures() throws -> (sealed: Timestamp?, waiting: Double) {
                let row = try school.sql(
                    "select sealed_at, unsealed_seconds from school.service_figures()")[0]
                return (
                    try row.optionalTimestamp("sealed_at"),
                    try row.double("unsealed_seconds")
                )
            }
            try school.beginAuditTrails()
            try school.sql(
                "update school.audit_unsealed set arrived_at = arrived_at - interval '1 hour'")
            let waiting = try figures()
            #expect(waiting.sealed == nil)
            #expect(waiting.waiting >= 3600)
            try school.sql(
                "update school.audit_unsealed set arrived_at = arrived_at + interval '1 hour'")
            for organization in [school.hillside, school.elsewhere] {
                try school.sql("select school.seal_audit_events(\(organization))")
            }
            let sealed = try figures()
            let age = Clock.system.now.milliseconds - (sealed.sealed?.milliseconds ?? 0)
            #expect((-1000...60_000).contains(age))
            #expect(sealed.waiting == 0, "none waits")
        }
    }

    @Test func `a schema that does not fit is reported`() async throws {
        let newer = SchemaVersion(digest: [1], migrations: ["migrations/9999_later.sql"])
        try await withObservedSchool(schema: newer) { _, _, metrics in
            let page = try await MetricsPage(of: metrics, when: "homeroom_schema_fits", is: 0)
            #expect(try page.value("homeroom_schema_fits") == 0)
            #expect(try page.value("homeroom_database_up") == 1)
        }
    }

    @Test func `a schema that fits is not reported before its figures`() async throws {
        var holder: BlockingConnection?
        try await withObservedSchool(
            before: { school in
                holder = try BlockingConnection(school.ownerURL)
                try holder?.execute("begin")
                try holder?.execute("lock table school.export_snapshot in access exclusive mode")
            }
        ) { school, _, metrics in
            try await eventually {
                try !school.sql(
                    """
                    select from pg_stat_activity
                     where datname = current_database() and query ~ 'service_figures' and wait_event_type = 'Lock'
                    """
                ).isEmpty
            }
            let names = try MetricsPage(of: metrics).families.map(\.name)
            #expect(!names.contains("homeroom_schema_fits"))
            try holder?.execute("rollback")
            let page = try await MetricsPage(of: metrics, when: "homeroom_schema_fits", is: 1)
            #expect(try page.value("homeroom_imports_unfinished", ["state": "queued"]) == 0)
        }
    }

    @Test func `a database that does not answer is reported`() async throws {
        try await withObservedSchool(database: "host=/nowhere user=school_server") {
            _, _, metrics in
            let page = try await MetricsPage(of: metrics, when: "homeroom_database_up", is: 0)
            #expect(try page.value("homeroom_database_up") == 0)
            #expect(!page.families.contains { $0.name == "homeroom_schema_fits" }, "not known")
        }
    }

    @Test(
        arguments: [
            (22, nil, nil), (21, nil, nil), (20, "The certificate expires in 20 days.", "warning"),
            (3, "The certificate expires in 3 days.", "warning"),
            (2, "The certificate expires in 2 days.", "error"),
            (1, "The certificate expires in 1 day.", "error"),
            (-1, "The certificate has expired.", "error"),
        ] as [(Int, String?, String?)])
    func `the doctor says in time that the certificate expires`(
        days: Int, text: String?, severity: String?
    ) {
        let validity = CertificateValidity(secondsLeft: days * 86_400)
        #expect(validity.finding == text)
        if let severity { #expect(validity.severity.rawValue == severity) }
    }

    @Test func `the doctor looks at the certificate of the settings`() async throws {
        let pair = try TestPair(named: "school.example")
        try await withSchool { school in
            let homeroom = school.homeroom.with("HOMEROOM_TLS_CERTIFICATE", pair.certificate)
                .with("HOMEROOM_TLS_KEY", pair.key)
            let run = try await homeroom("doctor")
            // It is valid for two days.
            #expect(
                run.output.contains(/The certificate expires in (1 day|2 days)\./),
                "\(run.complaints)")
            #expect(run.status == 1)
        }
    }
}
