import API
import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import Metrics
import School

/// Each page of a traversal begins behind the last object of the page before, whatever came and went in between. So what
/// stays in a collection is on one of its pages, and on one alone.
///
/// `Link` names that object. Most clients only count `offset`, so where each page ends is noted for the account
/// (`ReadPlaces`), and a page at that offset begins there. `Roster-Revision` says whether the roster changed in between.
extension OneRoster {
    func answer(_ asked: PageRequest) async throws -> Response {
        let query = try asked.query()
        guard query.offset > 0, query.place == nil else {
            return try await answer(asked, query, from: nil)
        }
        let read = try await places.place(at: query.offset, of: asked.traversal, asked.caller)
        guard let read else { return try await answer(asked, query, from: nil) }
        return try await answer(asked, query.beginning(behind: read.place), from: read)
    }

    /// - Parameter read: to where the client has read before.
    private func answer(
        _ asked: PageRequest, _ query: RosterQuery, from read: ReadPlace?
    ) async throws -> Response {
        let answer = try await remembered(
            asked.collection, asked.request, asked.caller, from: read
        ) {
            try await self.page(asked, query).answer(to: asked.request, from: read)
        }
        // Who follows Link names the place.
        if let end = answer.end, asked.request.query("after") == nil {
            await note(
                ReadPlace(
                    place: end.place, offset: query.offset + query.limit,
                    revision: end.revision), asked)
        }
        return answer.response
    }

    /// Notes where the next page begins. Where that cannot be done, that page is found by counting.
    private func note(_ read: ReadPlace, _ asked: PageRequest) async {
        let key = RosterMemory.Key(
            organization: asked.caller.organizationID, server: asked.account,
            target: "\(read.offset) \(asked.traversed)")
        let now = Loop.current?.now ?? 0
        // Another server may have noted another place since, but not at the same revision.
        if read.revision != nil, memory.hasNoted(read, for: key, now: now) { return }
        do {
            try await places.note(read, of: asked.traversal, asked.caller)
            memory.keep(read, for: key, now: now)
        } catch {
            figures.notNoted.add()
        }
    }
}

extension PageRequest {
    /// Pages of one traversal differ in `offset` and `after`, often in `limit`, and in nothing else that matters.
    fileprivate var traversed: String {
        request.path { ["filter", "sort", "orderBy"].contains($0) }
    }

    fileprivate var traversal: TraversalName {
        TraversalName(
            token: caller.tokenID ?? "", request: SHA256.digest(traversed).bytes)
    }

    /// Who reads: the account, and the token by which its traversals are told apart.
    fileprivate var account: String {
        let account = caller.serviceAccountID.map { "\($0.uuid)" } ?? ""
        return "\(account) \(caller.tokenID ?? "")"
    }
}

extension OneRoster {
    /// The fields of answers that only this feature has, which pages of listed origins may read.
    package static let answerHeaders = ["Roster-Revision", "X-Count", "X-Perm-Rev"]
}
