import API
import HTTPWire
import School
import Synchronization
import Values

/// How many reports are open live in this process.
final class LiveCount: Sendable {
    /// How many may be.
    struct Limits: Sendable {
        var perPerson = 10
        var perOrganization = 2000
        var inTotal = 4000
    }

    /// One of them; it counts for as long as it exists.
    final class Place: Sendable {
        private let count: LiveCount
        private let party: (organization: UUID, person: UUID)

        fileprivate init(_ count: LiveCount, _ party: (organization: UUID, person: UUID)) {
            self.count = count
            self.party = party
        }

        deinit { count.leave(party) }
    }

    private struct State {
        var total = 0
        var byOrganization: [UUID: Int] = [:]
        var byPerson: [UUID: Int] = [:]
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits = Limits()) { self.limits = limits }

    var value: Int { state.withLock { $0.total } }

    /// Throws if there are too many: 429 for the person's own, 503 for those of others.
    func enter(_ caller: Caller) throws -> Place {
        guard let person = caller.personID?.uuid else { throw Problem.notFound }
        let organization = caller.organizationID.uuid
        try state.withLock { state in
            let own = state.byPerson[person, default: 0]
            let ofOrganization = state.byOrganization[organization, default: 0]
            if own >= limits.perPerson { throw Problem.tooManyLiveReports(limits.perPerson) }
            if ofOrganization >= limits.perOrganization || state.total >= limits.inTotal {
                throw Problem.liveReportsFull
            }
            state.total += 1
            state.byPerson[person] = own + 1
            state.byOrganization[organization] = ofOrganization + 1
        }
        return Place(self, (organization, person))
    }

    private func leave(_ party: (organization: UUID, person: UUID)) {
        func lower(_ counts: inout [UUID: Int], _ key: UUID) {
            counts[key] = counts[key].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
        state.withLock { state in
            state.total -= 1
            lower(&state.byPerson, party.person)
            lower(&state.byOrganization, party.organization)
        }
    }
}

extension Problem {
    fileprivate static func tooManyLiveReports(_ most: Int) -> Problem {
        Problem(
            429, "too_many_live_reports", "You have too many live reports open.",
            detail: "You can have \(most) open. Close one, and try again.",
            headers: [ResponseField("Retry-After", "30")])
    }

    static let liveReportsFull = Problem(
        503, "live_reports_full", "Too many live reports are open.",
        detail: "Read the report now and then instead, or try again later.",
        headers: [ResponseField("Retry-After", "60")])
}
