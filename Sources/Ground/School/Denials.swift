import API
import EventLoop
import HTTPWire
import JSONBytes
import Log
import Postgres
import Synchronization
import Values

/// Writes an audit event for each denial. Equal denials within a minute are counted, and one more event at the end of
/// that minute reports the count.
///
/// The first event is written before the request is answered. If the process is killed, the denial is still on
/// record; only the count of the last minute may be lost.
final class Denials: Sendable {
    /// What makes denials equal: who asked, from where, for what, and why it was denied.
    struct Kind: Hashable, Sendable {
        let organizationID: OrganizationID
        let personID: PersonID?
        let serviceAccountID: ServiceAccountID?
        let standing: Standing
        let app: String?
        /// Sign-in and token, as audit events name them.
        let token: [String]
        let address: String?
        let method: String
        let route: String
        let code: String

        init(_ problem: Problem, _ caller: Caller, _ endpoint: Endpoint) {
            organizationID = caller.organizationID
            personID = caller.personID
            serviceAccountID = caller.serviceAccountID
            standing = caller.standing
            app = caller.app
            token = caller.audited.map(\.value)
            address = caller.address
            method = endpoint.method.name
            route = endpoint.path
            code = problem.code
        }
    }

    /// The denials after the first of their minute.
    struct Repeated: Sendable {
        let kind: Kind
        let caller: Caller
        let count: Int
    }

    private struct Minute {
        let caller: Caller
        let endsAt: Int64
        var count = 0
    }

    static let minuteMilliseconds = 60_000
    /// Kinds beyond this number are not counted, but written one by one.
    private static let kindsMax = 10_000

    private let database: Database
    private let log: Log?
    private let minutes = Mutex<[Kind: Minute]>([:])

    init(database: Database, log: Log?) {
        self.database = database
        self.log = log
    }

    /// Writes the event of a denial, or counts it if an equal one was written less than a minute ago.
    ///
    /// - Parameter requestID: `nil` if the client chose an id that could be someone's name, which no event may
    ///   contain.
    func leave(_ kind: Kind, _ caller: Caller, requestID: UUID?) async {
        guard let loop = Loop.current else { return }
        guard begins(kind, caller, now: loop.now) else { return }
        loop.schedule(afterMilliseconds: Self.minuteMilliseconds) { [weak self] in
            guard let denials = self else { return }
            loop.spawn { await denials.writeCounts(upTo: loop.now) }
        }
        let id = requestID.map { [("requestId", JSONValue.text($0.description))] } ?? []
        // Without a stored first event, there is nothing to count repetitions for.
        // A client that hangs up before its answer leaves as much as one that waits for it.
        try? await Loop.finish {
            guard await !self.write(kind, caller, id) else { return }
            self.minutes.withLock { $0[kind] = nil }
        }
    }

    /// Writes the counts of the minutes that ended by `now`; by default, all of them. Stops at the first failure if
    /// the database is unavailable.
    func writeCounts(upTo now: Int64 = .max) async {
        for repeated in over(by: now) {
            // The first event has the address; a person erased since then no longer has one.
            var caller = repeated.caller
            caller.address = nil
            let count = JSONValue(integerLiteral: Int64(repeated.count))
            guard await write(repeated.kind, caller, [("repetitions", count)]) else { return }
        }
    }

    /// Whether this is the first denial of its minute.
    func begins(_ kind: Kind, _ caller: Caller, now: Int64) -> Bool {
        minutes.withLock { minutes in
            if let minute = minutes[kind], now < minute.endsAt {
                minutes[kind]?.count += 1
                return false
            }
            // A minute that is over but not yet written continues, so its count is not lost.
            if let minute = minutes[kind], minute.count > 0 {
                minutes[kind]?.count += 1
                return false
            }
            if minutes[kind] != nil || minutes.count < Self.kindsMax {
                let endsAt = now + Int64(Self.minuteMilliseconds) * 1_000_000
                minutes[kind] = Minute(caller: caller, endsAt: endsAt)
            }
            return true
        }
    }

    /// Removes and returns the minutes that ended by `now` and had repetitions.
    func over(by now: Int64) -> [Repeated] {
        minutes.withLock { minutes in
            let over = minutes.filter { $0.value.endsAt <= now }
            for kind in over.keys { minutes[kind] = nil }
            return over.filter { $0.value.count > 0 }.map {
                Repeated(kind: $0.key, caller: $0.value.caller, count: $0.value.count)
            }
        }
    }

    /// Writes the event in a transaction of its own; returns whether that succeeded.
    private func write(
        _ kind: Kind, _ caller: Caller, _ more: [(String, JSONValue)]
    ) async -> Bool {
        let details = JSONObject(
            [
                ("method", .text(kind.method)), ("route", .text(kind.route)),
                ("code", .text(kind.code)),
            ] + more)
        do {
            try await database.transaction(as: caller) { session in
                _ = try await session.query(.audit("denial", details: .object(details)))
            }
            return true
        } catch {
            log?.error("denial not audited", ["cause": .text(logText(of: error))])
            return false
        }
    }
}
