import Metrics
import Postgres
import Values

/// What the database says about the whole deployment at one moment; nothing about a person or an organization.
struct ServiceFigures: Sendable {
    /// The version of PostgreSQL, such as `15.14`.
    let postgresql: String
    private let importsQueued: Int
    private let importsRunning: Int
    private let organizations: Int
    private let organizationsExported: Int
    private let newestExport: Timestamp?
    private let oldestExport: Timestamp?
    private let sealed: Timestamp?
    private let unsealedSeconds: Double
    private let isArchiving: Bool
    private let archived: Timestamp?
    private let isArchivingFailing: Bool
    private let webhooksWorking: Int
    private let webhooksFailing: Int
    private let webhooksDisabled: Int
    private let rosterSourcesWorking: Int
    private let rosterSourcesFailing: Int
    private let rosterSourcesWaiting: Int
    private let damagedPages: Int
    private let hasClockJumped: Bool
    private let webhooksFailingLong: Int

    static var statement: Statement {
        """
        select imports_queued, imports_running, organizations, organizations_exported, newest_export_at,
               oldest_export_at, sealed_at, unsealed_seconds, is_archiving, archived_at,
               is_archiving_failing, webhooks_working, webhooks_failing, webhooks_disabled,
               roster_sources_working, roster_sources_failing, roster_sources_waiting, postgresql,
               damaged_pages, has_clock_jumped, webhooks_failing_long
          from school.service_figures()
        """
    }

    init(_ row: Row) throws {
        importsQueued = try row.int("imports_queued")
        importsRunning = try row.int("imports_running")
        organizations = try row.int("organizations")
        organizationsExported = try row.int("organizations_exported")
        newestExport = try row.optionalTimestamp("newest_export_at")
        oldestExport = try row.optionalTimestamp("oldest_export_at")
        sealed = try row.optionalTimestamp("sealed_at")
        unsealedSeconds = try row.double("unsealed_seconds")
        isArchiving = try row.bool("is_archiving")
        archived = try row.optionalTimestamp("archived_at")
        isArchivingFailing = try row.bool("is_archiving_failing")
        webhooksWorking = try row.int("webhooks_working")
        webhooksFailing = try row.int("webhooks_failing")
        webhooksDisabled = try row.int("webhooks_disabled")
        rosterSourcesWorking = try row.int("roster_sources_working")
        rosterSourcesFailing = try row.int("roster_sources_failing")
        rosterSourcesWaiting = try row.int("roster_sources_waiting")
        postgresql = try row.text("postgresql")
        damagedPages = try row.int("damaged_pages")
        hasClockJumped = try row.bool("has_clock_jumped")
        webhooksFailingLong = try row.int("webhooks_failing_long")
    }

    func export(to metrics: inout Exposition) {
        metrics.begin(
            .gauge, "homeroom_imports_unfinished", "Imports of all processes, by their state.")
        metrics.sample(importsQueued, [("state", "queued")])
        metrics.sample(importsRunning, [("state", "running")])
        metrics.begin(
            .gauge, "homeroom_export_organizations",
            "Organizations, by whether an export of theirs ever succeeded.")
        metrics.sample(organizationsExported, [("exported", "true")])
        metrics.sample(max(0, organizations - organizationsExported), [("exported", "false")])
        metrics.moment(
            "homeroom_export_newest_success_timestamp_seconds",
            "When an export last succeeded.", newestExport)
        metrics.moment(
            "homeroom_export_oldest_success_timestamp_seconds",
            "When the last export succeeded of the organization that waits longest for its next.",
            oldestExport)
        metrics.moment(
            "homeroom_audit_last_seal_timestamp_seconds", "When audit events were last sealed.",
            sealed)
        metrics.gauge(
            "homeroom_audit_unsealed_seconds",
            "How long the oldest unsealed audit event has waited for its seal; 0 if none waits.",
            unsealedSeconds)
        metrics.gauge(
            "homeroom_wal_archive_enabled",
            "Whether PostgreSQL archives its write-ahead log (archive_mode).", isArchiving ? 1 : 0)
        metrics.gauge(
            "homeroom_wal_archive_failing", "Whether the last attempt to archive a file failed.",
            isArchivingFailing ? 1 : 0)
        metrics.moment(
            "homeroom_wal_archive_last_success_timestamp_seconds",
            "When PostgreSQL last archived a file of its write-ahead log.", archived)
        metrics.counter(
            "homeroom_damaged_pages_total",
            "How often PostgreSQL read a page that did not have its checksum.", damagedPages)
        metrics.gauge(
            "homeroom_clock_jumped",
            "Whether the database's clock jumped, so that nothing is removed by time.",
            hasClockJumped ? 1 : 0)
        exportSystems(to: &metrics)
    }

    /// The other systems with which the server talks by itself.
    private func exportSystems(to metrics: inout Exposition) {
        metrics.begin(
            .gauge, "homeroom_webhooks",
            "Webhooks, by whether their last call succeeded; disabled: by the server.")
        metrics.sample(webhooksWorking, [("state", "working")])
        metrics.sample(webhooksFailing, [("state", "failing")])
        metrics.sample(webhooksDisabled, [("state", "disabled")])
        metrics.gauge(
            "homeroom_webhooks_failing_long", "Webhooks that have failed for an hour or longer.",
            webhooksFailingLong)
        metrics.begin(
            .gauge, "homeroom_roster_sources",
            "Roster sources, by whether the last pull and its import succeeded; waiting: for approval."
        )
        metrics.sample(rosterSourcesWorking, [("state", "working")])
        metrics.sample(rosterSourcesFailing, [("state", "failing")])
        metrics.sample(rosterSourcesWaiting, [("state", "waiting")])
    }
}

extension Exposition {
    /// A family with one moment, in seconds since 1970; without a sample as long as there is none.
    fileprivate mutating func moment(
        _ name: StaticString, _ help: StaticString, _ moment: Timestamp?
    ) {
        begin(.gauge, name, help)
        if let moment { sample(Double(moment.milliseconds) / 1000) }
    }
}
