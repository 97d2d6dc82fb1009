import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

/// `GET /metrics` on a listener of its own.
@Suite struct MetricsListener {
    @Test func `only the metrics are there, and they are nowhere else`() async throws {
        try await withObservedSchool { school, service, metrics in
            let answer = try #require(metrics.get("/metrics"))
            #expect(answer.status == 200)
            #expect(
                answer.head.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
            let head = try #require(metrics.get("/metrics", method: "HEAD"))
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            for target in ["/", "/metrics/", "/metrics/x", "/healthz", "/v1/me"] {
                #expect(metrics.get(target)?.status == 404, "\(target)")
            }
            for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
                #expect(metrics.get("/metrics", method: method)?.status == 404, "\(method)")
            }
            let token = school.token(.ada)
            #expect(service.get("/metrics", token: token)?.status == 404)
            #expect(service.get("/healthz")?.status == 200)
        }
    }

    @Test func `requests are counted by the pattern of their route, never by their path`()
        async throws
    {
        try await withObservedSchool { school, service, metrics in
            let ada = school.token(.ada)
            let sam = school.id(.sam).uuid.description
            for _ in 0..<3 {
                #expect(service.get("/v1/people/\(sam)", token: ada)?.status == 200)
            }
            #expect(service.get("/v1/people/\(sam)", token: school.token(.sam))?.status == 403)
            #expect(service.get("/v1/people/\(sam)")?.status == 401)
            #expect(service.get("/v1/people/\(sam)", method: "POST")?.status == 405)
            #expect(service.get("/secret/\(sam)?token=\(ada)")?.status == 404)

            let page = try MetricsPage(of: metrics)
            let requests = "homeroom_http_requests_total"
            let route = ["route": "/v1/people/{id}", "method": "GET"]
            #expect(try page.value(requests, route.merging(["status": "200"]) { $1 }) == 3)
            #expect(try page.value(requests, route.merging(["status": "403"]) { $1 }) == 1)
            #expect(try page.value(requests, route.merging(["status": "401"]) { $1 }) == 1)
            #expect(try page.value(requests, ["route": "unknown"]) == 2)
            #expect(try page.value("homeroom_http_request_duration_seconds_count", route) == 5)
            #expect(try page.value("homeroom_http_sent_bytes_total") > 1000)
            #expect(try page.value("homeroom_http_connections_accepted_total") == 7)
            #expect(
                try page.value("homeroom_token_cache_requests_total", ["result": "miss"]) >= 2)
            for secret in [sam, ada, "secret", "127.0.0.1"] {
                #expect(!page.text.contains(secret))
            }
        }
    }

    @Test func `the database, the loops and the process report on themselves`() async throws {
        try await withObservedSchool { school, service, metrics in
            #expect(service.get("/v1/me", token: school.token(.ada))?.status == 200)
            // A connection that is not open yet cannot be lost.
            _ = try await awaited(until: Self.isConnected) { try MetricsPage(of: metrics) }
            try school.sql(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and usename = 'school_server'
                   and application_name = 'homeroom'
                """)
            let page = try await Self.pageAfterLoss(of: metrics)
            #expect(try page.value("homeroom_database_connections_lost_total") >= 4)
            #expect(try page.value("homeroom_database_connections_opened_total") >= 8)
            #expect(try page.value("homeroom_database_connections", ["lane": "shared"]) == 4)
            #expect(try page.value("homeroom_database_queue_depth") == 0)
            #expect(try page.value("homeroom_database_rejections_total") == 0)
            #expect(try page.value("homeroom_loops") == 2)
            #expect(try page.value("homeroom_loop_lag_seconds_count", ["loop": "1"]) > 0)
            #expect(try page.value("homeroom_loop_silence_seconds") < 60)
            #expect(try page.value("homeroom_export_organizations", ["exported": "false"]) == 2)
            for name in [
                "uploads_pending", "uploads_not_stored", "uploads_stored_total", "live_reports",
                "viewings_waiting", "viewings_lost_total", "imports_unfinished",
                "password_queue_depth",
            ] {
                let value = try page.value("homeroom_\(name)")
                #expect(value == 0, "\(name)")
            }
            #expect(try page.value("homeroom_imports_total", ["result": "succeeded"]) == 0)
            for state in ["working", "failing", "disabled"] {
                #expect(try page.value("homeroom_webhooks", ["state": state]) == 0)
            }
            for state in ["working", "failing", "waiting"] {
                #expect(try page.value("homeroom_roster_sources", ["state": state]) == 0)
            }
            #expect(try page.value("homeroom_roster_pulls_total", ["result": "failed"]) == 0)
            // An external database is backed up by others.
            #expect(!page.families.contains { $0.name.hasPrefix("homeroom_backup") })
            #expect(try page.value("process_resident_memory_bytes") > 1_000_000)
            #expect(try page.value("process_cpu_seconds_total") > 0)
            #expect(try page.value("process_open_fds") > 10)
            let started = try page.value("process_start_time_seconds")
            let now = Double(Clock.system.now.milliseconds) / 1000
            #expect((now - 86_400...now + 1).contains(started))
        }
    }

    private static func isConnected(_ page: MetricsPage) throws -> Bool {
        try page.value("homeroom_database_connections", ["lane": "shared"]) == 4
    }

    /// The first page on which all connections were lost and opened again, and the database was asked.
    private static func pageAfterLoss(of metrics: LiveClient) async throws -> MetricsPage {
        func isComplete(_ page: MetricsPage) throws -> Bool {
            let lost = try page.value("homeroom_database_connections_lost_total")
            let known = ["homeroom_export_organizations", "homeroom_uploads_pending"]
                .allSatisfy { name in page.families.contains { $0.name == name } }
            let opened = try page.value("homeroom_database_connections_opened_total")
            return try lost >= 4 && opened >= 8 && isConnected(page) && known
        }
        return try await awaited(until: isComplete) { try MetricsPage(of: metrics) }
    }
}
