import Foundation
import HTTPServer
import JSONBytes
import TestKit
import Testing
import WireKit

@testable import ServerKit

/// The files of `deploy/monitoring`, as Prometheus reads them, and the pages of their alerts.
@Suite struct Monitoring {
    private static let tool = "/usr/bin/promtool"
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: tool)
    private static let deploy = URL(filePath: TestDatabase.sqlFolder)
        .deletingLastPathComponent().appending(path: "deploy")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: deploy.appending(path: path), encoding: .utf8)
    }

    private static let ruleTests = [
        "test", "rules", "alerts.test.yml", "alerts-of-hours.test.yml",
    ]

    /// The names of all alerts.
    private static func alerts() throws -> [String] {
        try text("monitoring/alerts.yml").matches(of: /- alert: ([A-Za-z]+)/).map { String($0.1) }
    }

    @Test(.enabled(if: isInstalled, "promtool is not installed"))
    func `every alert fires when it should and is quiet when it should`() async throws {
        let run = try await promtool(Self.ruleTests) { $0 }
        #expect(run.status == 0, "\(run.output)\(run.complaints)")
        let tests = try Self.ruleTests.dropFirst(2).map { try Self.text("monitoring/\($0)") }
            .joined()
        let names = tests.matches(of: /- name: ([A-Za-z]+) (fires|is quiet)\n/)
            .map { "\($0.1) \($0.2)" }
        let expected = try Self.alerts().flatMap { ["\($0) fires", "\($0) is quiet"] }
        #expect(names.sorted() == expected.sorted())
    }

    @Test(
        .enabled(if: isInstalled, "promtool is not installed"),
        arguments: [
            ("> 0.01", "> 0.5"), ("> 0.01", "> 0.001"), ("for: 36h", "for: 50h"),
            ("homeroom_schema_fits == 0", "homeroom_schema_fits == 1"),
            ("* 1024 ^ 3", "* 1024 ^ 4"), (" or absent(up{job=\"homeroom\"})", ""),
            ("homeroom_backup_set_up == 0", "homeroom_backup_set_up == 2"),
            ("homeroom_backup_set_up unless", "homeroom_backup_set_up and"),
            ("homeroom_replica_loops_reading == 0", "homeroom_replica_loops_reading < 2"),
            ("lost_total[1h]) > 0", "lost_total[1h]) > 9"),
        ])
    func `a wrong rule would be found`(right: String, wrong: String) async throws {
        let rules = try Self.text("monitoring/alerts.yml")
        let around = rules.components(separatedBy: right)
        #expect(around.count == 2)
        let alert = try #require(around[0].matches(of: /- alert: ([A-Za-z]+)/).last?.1)
        let run = try await promtool(Self.ruleTests, only: String(alert)) {
            $0.replacingOccurrences(of: right, with: wrong)
        }
        #expect(run.status == 1)
    }

    @Test(.enabled(if: isInstalled, "promtool is not installed"))
    func `Prometheus takes the configuration`() async throws {
        let run = try await promtool(["check", "config", "prometheus.yml"]) { $0 }
        #expect(run.status == 0, "\(run.output)\(run.complaints)")
        let broken = try await promtool(["check", "config", "prometheus.yml"]) {
            $0.replacingOccurrences(of: "for: 5m", with: "for: soon")
        }
        #expect(broken.status == 1)
    }

    @Test func `every alert has its page, and every page its alert`() throws {
        let alerts = try Self.alerts()
        #expect(alerts.count >= 20)
        let folder = Self.deploy.appending(path: "guides/runbooks").path
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(pages.sorted() == alerts.map { "\($0).md" }.sorted())
        let rules = try Self.text("monitoring/alerts.yml").components(separatedBy: "- alert: ")
        let overview = try Self.text("guides/monitoring.md")
        for (rule, alert) in zip(rules.dropFirst(), alerts) {
            #expect(rule.contains("runbook: deploy/guides/runbooks/\(alert).md\n"), "\(alert)")
            #expect(rule.contains("summary: "), "\(alert)")
            #expect(rule.contains(/severity: (critical|warning)\n/), "\(alert)")
            #expect(overview.contains("[\(alert)](runbooks/\(alert).md)"), "\(alert)")
            let page = try Self.text("guides/runbooks/\(alert).md")
            let headings = page.matches(of: /(?m)^#+ (.+)$/).map { String($0.1) }
            #expect(
                headings == [alert, "What it means", "What users notice", "Look", "Mend"],
                "\(alert)")
            #expect(page.contains(/## Look\n\n```\n[^`]+\n```\n/), "\(alert) names no command")
        }
    }

    /// Metrics that are there only with a replica or a private PostgreSQL.
    private static let needingMore: Set<String> = [
        "homeroom_replica_reads_total", "homeroom_replica_loops_reading",
        "homeroom_replica_lag_bytes", "homeroom_backup_set_up",
        "homeroom_backup_newest_success_timestamp_seconds",
    ]

    @Test func `every metric of rules, dashboard and guides is exported`() async throws {
        let pair = try TestPair(named: "school.example")
        var http = HTTPServerSettings()
        http.tls = try TLSEndpoint(certificate: pair.certificate, key: pair.key)
        try await withObservedSchool(http: http, comparesRules: true) { _, _, metrics in
            _ = try await MetricsPage(of: metrics, when: "homeroom_rules_changed", is: 0)
            let page = try await MetricsPage(of: metrics, when: "homeroom_schema_fits", is: 1)
            let exported = Set(page.families.map(\.name))
            var named: Set<String> = []
            let books = try Self.alerts().map { "guides/runbooks/\($0).md" }
            let files = [
                "monitoring/alerts.yml", "monitoring/dashboard.json", "guides/monitoring.md",
            ]
            for file in files + books {
                let text = try Self.text(file)
                for match in text.matches(of: /\b(homeroom|process)_[a-z_]+[a-z]\b(?!…)/) {
                    let name = String(match.0)
                    let family = name.replacing(/_(bucket|sum|count)$/, with: "")
                    named.insert(family)
                    if Self.needingMore.contains(family) { continue }
                    let isPrefix =
                        file.hasPrefix("guides") && exported.contains { $0.hasPrefix(name) }
                    #expect(exported.contains(family) || isPrefix, "\(file): \(name)")
                }
            }
            #expect(named.count > 35)
            let unused = exported.subtracting(named)
            #expect(unused.count < 12, "rules, dashboard and guide know little: \(unused)")
        }
    }

    @Test func `the dashboard is a model of Grafana in which nothing overlaps`() throws {
        let bytes = Array(try Self.text("monitoring/dashboard.json").utf8)
        let dashboard = try JSONValue(parsing: bytes)
        let panels = dashboard["panels"]?.array ?? []
        #expect(panels.count > 20)
        var cells: Set<String> = []
        var ids: Set<Int64> = []
        for panel in panels {
            let isNew = ids.insert(panel["id"]?.int64 ?? 0).inserted
            #expect(isNew)
            let place = panel["gridPos"]
            let (x, y) = (place?["x"]?.int64 ?? -1, place?["y"]?.int64 ?? -1)
            for column in x..<x + (place?["w"]?.int64 ?? 0) {
                #expect((0..<24).contains(column))
                for line in y..<y + (place?["h"]?.int64 ?? 0) {
                    let isFree = cells.insert("\(column),\(line)").inserted
                    #expect(isFree, "\(panel["title"] ?? "")")
                }
            }
            guard panel["type"] != "row" else { continue }
            for target in panel["targets"]?.array ?? [] {
                let query = target["expr"]?.text ?? ""
                #expect(query.contains("$instance") || query.contains("ALERTS"), "\(query)")
            }
        }
    }

    /// Runs promtool over a copy of the files, the rules changed; with the tests of one alert alone if it is named.
    private func promtool(
        _ words: [String], only alert: String? = nil, change: (String) -> String
    ) async throws -> Homeroom.Run {
        let copy = FileManager.default.temporaryDirectory.appending(
            path: "monitoring-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: Self.deploy.appending(path: "monitoring"), to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        try change(Self.text("monitoring/alerts.yml")).write(
            to: copy.appending(path: "alerts.yml"), atomically: true, encoding: .utf8)
        for file in Self.ruleTests.dropFirst(2) where alert != nil {
            let tests = try Self.text("monitoring/\(file)").components(separatedBy: "  - name: ")
            let kept = tests.prefix(1) + tests.dropFirst().filter { $0.hasPrefix("\(alert!) ") }
            try kept.joined(separator: "  - name: ").write(
                to: copy.appending(path: file), atomically: true, encoding: .utf8)
        }
        let process = Process()
        process.executableURL = URL(filePath: Self.tool)
        process.arguments = words
        process.currentDirectoryURL = copy
        return try await Homeroom.finish(process)
    }
}
