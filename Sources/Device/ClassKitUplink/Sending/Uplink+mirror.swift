public import Foundation

/// What an app reads. It is the same whether or not anything was assigned.
extension Uplink {
    /// Fetches what changed on the server since the last time.
    ///
    /// - Throws: `UplinkError`.
    public func refreshMirror() async throws {
        let reading = try await outbox.beginReading()
        let since = try await outbox.state(Self.mirrorState)
        var next: String?
        repeat {
            var query = [("descendants", "true"), ("limit", "1000")]
            if let since { query.append(("updatedSince", String(decoding: since, as: UTF8.self))) }
            if let next { query.append(("pageToken", next)) }
            let page = try await read(ChangePage.self, "/v1/me/contexts", query)
            next = page.nextPageToken
            try await outbox.mirror(
                MirrorPage(
                    contexts: page.items, removed: page.removed,
                    cursor: Data(page.updatedSince.utf8), isFirstOfWhole: page.startsOver,
                    isLast: next == nil, reading: reading))
        } while next != nil
    }

    /// Fetches the contexts on a path, also those that a handout assigns to the person and that only the device of a
    /// teacher made: no list of changes has them.
    ///
    /// - Throws: `UplinkError`.
    public func mirror(_ path: [String]) async throws {
        let reading = try await outbox.beginReading()
        let found = try await lookUp(path).filter { !$0.record.identifierPath.isEmpty }
        guard !found.isEmpty else { return }
        try await outbox.mirror(
            MirrorPage(
                contexts: found, removed: [], cursor: nil, isFirstOfWhole: false, isLast: false,
                reading: reading))
    }

    /// The contexts on a path that the server has, from the app's own down.
    ///
    /// - Parameter children: the children of the last one instead.
    /// - Throws: `UplinkError`.
    public func lookUp(_ path: [String], children: Bool = false) async throws -> [MirroredContext] {
        var contexts: [MirroredContext] = []
        var next: String?
        repeat {
            var query = [("path", Self.text(path)), ("limit", "1000")]
            if children { query.append(("children", "true")) }
            if let next { query.append(("pageToken", next)) }
            let page = try await read(ListPage.self, "/v1/me/contexts", query)
            contexts += page.items
            next = page.nextPageToken
        } while next != nil
        return contexts
    }

    /// The picture of a context; `nil` if there is none.
    ///
    /// - Throws: `UplinkError`.
    public func thumbnail(of path: [String]) async throws -> Data? {
        let answer = try await reading {
            try await call(
                "GET", "/v1/me/contexts/thumbnail", query: [("path", Self.text(path))])
        }
        if answer.status == 404 { return nil }
        guard answer.status == 200 else { throw Self.refusal(answer) }
        return answer.body
    }

    private func read<Page: Decodable>(
        _ type: Page.Type, _ path: String, _ query: [(String, String)]
    ) async throws -> Page {
        let answer = try await reading {
            try await call("GET", path, query: query)
        }
        guard answer.status == 200 else { throw Self.refusal(answer) }
        do {
            return try JSON.decode(type, from: answer.body)
        } catch {
            throw UplinkError.protocolViolation("GET \(path): \(error)")
        }
    }

    private func reading(
        _ call: () async throws -> HTTPAnswer
    ) async throws -> HTTPAnswer {
        do {
            return try await call()
        } catch Obstacle.pause(let reason, _) {
            throw UplinkError.network(reason)
        } catch Obstacle.blocked(.otherPerson) {
            throw UplinkError.otherPerson
        } catch Obstacle.blocked(.signInNeeded) {
            throw UplinkError.signedOut
        } catch Obstacle.blocked(let notice) {
            throw UplinkError.refused(status: 403, code: "forbidden", detail: "\(notice)")
        }
    }

    private static func refusal(_ answer: HTTPAnswer) -> UplinkError {
        let problem = Problem(answer)
        return .refused(
            status: answer.status, code: problem.code ?? "", detail: problem.detail ?? "")
    }

    private struct ListPage: Decodable {
        let items: [MirroredContext]
        let nextPageToken: String?
    }

    private struct ChangePage: Decodable {
        let items: [MirroredContext]
        let removed: [[String]]
        let startsOver: Bool
        let updatedSince: String
        let nextPageToken: String?
    }
}
