import EventLoop
import Postgres
import School
import Values

/// The live reports whose readers are on one loop. Confined to it.
///
/// What was announced, and what has not been looked at for long, is read again as each person who follows it, and a
/// reader gets an event only if what he or she sees has changed. So an event can reveal nothing that the report does
/// not show, and no event follows after the right to read has gone.
final class LoopReports: @unchecked Sendable {
    /// How often is checked what is due.
    private static let tickMilliseconds = 100
    /// From one event of a report to the next reading.
    private static let rest: Int64 = 1_000_000_000
    /// The first reading may miss a change whose transaction had begun before the report was watched.
    private static let secondReading: Int64 = 2_000_000_000
    /// Some changes come with time alone, such as being late, and some are not announced, such as licences.
    private static let nextReading: Int64 = 120_000_000_000
    private static let restAfterFailure: Int64 = 2_000_000_000
    private static let signs: Int64 = 15_000_000_000
    private static let renewals: Int64 = 30_000_000_000
    /// How many are read at the same time, so that other requests of the school get their turn.
    private static let readingsMax = 2

    let loop: Loop
    private let database: Database
    private var reports: [HandoutID: [LiveReport]] = [:]
    /// What is to be read, by organization, and the organizations in the order of their turns: a school with many open
    /// reports does not keep the others waiting.
    private var queues: [OrganizationID: [LiveReport]] = [:]
    private var turns: [OrganizationID] = []
    private var readings = 0
    private var timer: LoopTimer?
    private var signsAt: Int64 = 0
    private var renewalAt: Int64 = 0

    init(loop: Loop, database: Database) {
        self.loop = loop
        self.database = database
    }

    // MARK: Readers

    func add(_ reader: LiveReader, to key: LiveReport.Key, as caller: Caller) {
        let known = reports[key.handout]?.first { $0.key == key }
        let report =
            known ?? LiveReport(key, caller, readAgainAt: loop.now + Self.secondReading)
        if known == nil { reports[key.handout, default: []].append(report) }
        // Another reader may have seen an earlier state.
        if let other = report.readers.first, other.position != reader.position {
            report.mayHaveChanged = true
        }
        report.readers.append(reader)
        if timer == nil {
            signsAt = loop.now + Self.signs
            renewalAt = loop.now + Self.renewals
            scheduleTick()
        }
    }

    func remove(_ reader: LiveReader, from key: LiveReport.Key) {
        guard let report = reports[key.handout]?.first(where: { $0.key == key }) else { return }
        report.readers.removeAll { $0 === reader }
        guard report.readers.isEmpty else { return }
        reports[key.handout]?.removeAll { $0 === report }
        if reports[key.handout]?.isEmpty == true { reports[key.handout] = nil }
    }

    private var all: some Sequence<LiveReport> { reports.values.joined() }

    // MARK: Events

    func receive(_ event: Listener.Event) {
        switch event {
        // What was revoked in the meantime is not known: clients come back and show their tokens.
        case .disconnected: endAll()
        case .connected:
            renewalAt = 0
            for report in all { report.mayHaveChanged = true }
        case .notification("school_report", let id):
            guard let handout = UUID(id).map(HandoutID.init) else { return }
            for report in reports[handout] ?? [] {
                report.mayHaveChanged = true
                enqueue(report, now: loop.now)
            }
        case .notification("school_revocation", let message):
            for report in all {
                for reader in report.readers where reader.mayBeRevoked(by: message) { reader.end() }
            }
        case .notification, .heartbeat: break
        }
    }

    func endAll() {
        for report in all { report.end() }
    }

    // MARK: Time

    private func scheduleTick() {
        timer = loop.schedule(afterMilliseconds: Self.tickMilliseconds) { [self] in
            timer = nil
            guard !reports.isEmpty else { return }
            tick(now: loop.now)
            scheduleTick()
        }
    }

    private func tick(now: Int64) {
        for report in all where report.mayHaveChanged || now >= report.readAgainAt {
            enqueue(report, now: now)
        }
        let moment = database.clock.now
        for report in all {
            for reader in report.readers where reader.hasExpired(at: moment) { reader.end() }
        }
        if now >= signsAt {
            signsAt = now + Self.signs
            for report in all { for reader in report.readers { reader.sign() } }
        }
        if now >= renewalAt {
            renewalAt = now + Self.renewals
            loop.spawn { await self.renew() }
        }
    }

    /// Keeps changes of these reports announced. If that fails, the next time will do.
    private func renew() async {
        let keys = all.map(\.key)
        _ = try? await database.query(
            .renewWatches(keys.map(\.organization), keys.map(\.handout)))
    }

    // MARK: Reading

    private func enqueue(_ report: LiveReport, now: Int64) {
        guard !report.isQueued, now >= report.restsUntil else { return }
        report.isQueued = true
        let organization = report.key.organization
        if queues[organization] == nil { turns.append(organization) }
        queues[organization, default: []].append(report)
        guard readings < Self.readingsMax else { return }
        readings += 1
        loop.spawn { await self.readQueue() }
    }

    private func readQueue() async {
        while let report = nextInQueue() {
            if !report.readers.isEmpty { await read(report) }
            report.isQueued = false
        }
        readings -= 1
    }

    /// Takes one report of the organization whose turn it is, which then goes to the end of the line.
    private func nextInQueue() -> LiveReport? {
        guard !turns.isEmpty else { return nil }
        let organization = turns.removeFirst()
        guard var queue = queues.removeValue(forKey: organization) else { return nil }
        let report = queue.removeFirst()
        if !queue.isEmpty {
            queues[organization] = queue
            turns.append(organization)
        }
        return report
    }

    private func read(_ report: LiveReport) async {
        report.mayHaveChanged = false
        do {
            let rows = try await database.longQuery(
                .report(of: report.key.handout, languages: report.key.languages),
                as: report.caller)
            guard !rows.isEmpty else { return report.end() }
            let position = ReportPosition.text(of: rows)
            if report.readers.contains(where: { $0.position != position }) {
                report.restsUntil = loop.now + Self.rest
            }
            for reader in report.readers { reader.move(to: position) }
        } catch {
            report.mayHaveChanged = true
            report.restsUntil = loop.now + Self.restAfterFailure
        }
        report.readAgainAt = loop.now + Self.nextReading
    }
}

extension Statement {
    /// Has changes of a report announced, from now on for a while.
    static func watch(_ handout: HandoutID) -> Statement {
        "select school.watch_report(\(handout))"
    }

    fileprivate static func renewWatches(
        _ organizations: [OrganizationID], _ handouts: [HandoutID]
    ) -> Statement {
        "select school.renew_watches(\(organizations), \(handouts))"
    }
}
