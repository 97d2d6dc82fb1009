import API
import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import Metrics
import Postgres
import School
import Values

/// All pages of a traversal come from the revision of the roster with which it began.
///
/// The first page is of the present. If another follows, the revision is kept (`RosterSnapshots`), and noted for the
/// account, because most clients only count `offset`; others follow `Link`, which names it. A later page is read in the
/// present while that has the revision, then where it is kept, and in the present once it is gone: `Roster-Revision` says
/// which. Who asks, and what that account may read, is always decided in the present.
extension OneRoster {
    func answer(_ asked: PageRequest) async throws -> Response {
        let query = try asked.query()
        guard asked.collection.part == .rostering else { return try await present(asked, query) }
        let named = try asked.request.namedRevision()
        if query.isFirstPage, named == nil {
            return try await beginning(asked, query)
        }
        return try await continuing(asked, query, naming: named)
    }

    /// The page in the present, with which a traversal begins unless it is the last one.
    private func beginning(_ asked: PageRequest, _ query: RosterQuery) async throws -> Response {
        let response = try await present(asked, query)
        guard response.mayBeContinued(query), let revision = response.revision,
            !asked.request.knows(revision),
            let kept = await kept(revision, for: asked, since: asked.arrival),
            kept.revision != revision
        else { return response }
        // The roster has changed since the page was read; what is kept is newer.
        await note(kept.revision, for: asked)
        guard let page = try await page(asked, in: kept) else { return response }
        return try page.response(to: asked.request)
    }

    private func continuing(
        _ asked: PageRequest, _ query: RosterQuery, naming named: String?
    ) async throws -> Response {
        let state = try await traversals.state(
            of: asked.traversal, naming: named, asked.caller)
        guard let wanted = state.wanted else { return try await beginning(asked, query) }
        // Objects that left the roster are forgotten after a time, and that does not change the revision.
        if wanted == state.present, !query.showsFormer || state.kept == nil,
            let response = try await present(asked, query, at: wanted)
        {
            if response.hasNextPage { _ = await kept(wanted, for: asked) }
            return response
        }
        if let kept = state.kept, let page = try await page(asked, in: kept) {
            figures.earlierPages.add()
            return try page.response(to: asked.request)
        }
        figures.lost.add()
        // It reads on in any young snapshot: to take one for it would end those of other traversals, and those would then
        // end this one, page by page.
        var asked = asked
        asked.arrival -= .seconds(3600)
        return try await beginning(asked, query)
    }

    /// The page in the present, if that has this revision.
    private func present(
        _ asked: PageRequest, _ query: RosterQuery, at wanted: String
    ) async throws -> Response? {
        do {
            let response = try await unchanged(asked, query, at: wanted)
            return response.revision == wanted ? response : nil
        } catch is RosterIsGone {
            return nil
        }
    }

    /// Makes sure that the roster is kept with this revision, or a newer one if it changed just now; `nil` where that
    /// cannot be done, so that the traversal goes on in the present when the roster changes.
    ///
    /// - Parameter arrival: when the request came, if a revision that the roster had since will do.
    private func kept(
        _ revision: String, for asked: PageRequest, since arrival: ContinuousClock.Instant? = nil
    ) async -> KeptRoster? {
        let key = asked.traversalKey
        let now = Loop.current?.now ?? 0
        if let begun = memory.begun(for: key, now: now), begun.revision == revision,
            snapshots.isKept(begun.snapshot) != false
        {
            return begun
        }
        do {
            let known = try await traversals.begin(asked.traversal, at: revision, asked.caller)
            guard let kept = try await readable(known, for: asked.caller) else {
                let kept = try await snapshots.keep(revision, since: arrival, for: asked.caller)
                if let kept, kept.revision == revision {
                    memory.keep(kept, for: key, now: now)
                }
                return kept
            }
            memory.keep(kept, for: key, now: now)
            return kept
        } catch {
            figures.failed.add()
            return nil
        }
    }

    /// What is kept, if its snapshot is there: its server may have ended without a word.
    private func readable(_ known: KeptRoster?, for caller: Caller) async throws -> KeptRoster? {
        guard let known else { return nil }
        if let isKept = snapshots.isKept(known.snapshot) { return isKept ? known : nil }
        return try await traversals.keep(
            known.revision, in: known.snapshot, takenAt: known.takenAt, caller)
    }

    /// Notes in which revision the caller reads on.
    private func note(_ revision: String, for asked: PageRequest) async {
        do {
            _ = try await traversals.begin(asked.traversal, at: revision, asked.caller)
        } catch {
            figures.failed.add()
        }
    }
}

extension PageRequest {
    /// Pages of one traversal differ in `offset`, `after`, `revision`, often in `limit`, and in nothing else that matters.
    private var traversed: String {
        request.path { ["filter", "sort", "orderBy"].contains($0) }
    }

    fileprivate var traversal: TraversalName {
        TraversalName(
            token: caller.tokenID ?? "", request: SHA256.digest(traversed).bytes)
    }

    fileprivate var traversalKey: RosterMemory.Key {
        let account = caller.serviceAccountID.map { "\($0.uuid)" } ?? caller.tokenID ?? ""
        return RosterMemory.Key(
            organization: caller.organizationID, server: account, target: traversed)
    }
}

extension Request {
    /// The revision that the client names.
    fileprivate func namedRevision() throws(StatusInfo) -> String? {
        guard let text = query("revision") else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ Int64($0) != nil }) else {
            throw StatusInfo(
                status: 400, minor: .invalidData,
                "revision: This is not a Roster-Revision such as 17.1767225600000.")
        }
        return text
    }

    /// Whether the client has what it asks for at that revision, so that the answer is 304.
    fileprivate func knows(_ revision: String) -> Bool {
        http.headers["if-none-match"]?.contains("\"\(revision)\"") ?? false
    }
}

extension RosterQuery {
    /// Whether it begins with the first object.
    fileprivate var isFirstPage: Bool { offset == 0 && position == nil }
}

extension Response {
    fileprivate var revision: String? {
        headers.first { $0.name == "Roster-Revision" }?.value
    }

    fileprivate var hasNextPage: Bool {
        headers.contains { $0.name == "Link" && $0.value.contains("rel=\"next\"") }
    }

    /// Whether the client may ask for another page: who counts does so after every full one.
    fileprivate func mayBeContinued(_ query: RosterQuery) -> Bool {
        hasNextPage
            || headers.first { $0.name == "X-Total-Count" }?.value
                == "\(query.offset + query.limit)"
    }
}

extension OneRoster {
    /// The fields of answers that only this feature has, which pages of listed origins may read.
    package static let answerHeaders = ["Roster-Revision", "X-Count", "X-Perm-Rev"]
}
