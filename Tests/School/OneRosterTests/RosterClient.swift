import API
import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing

@testable import OneRoster

/// What a client read of a collection, page by page.
struct Traversal {
    private(set) var objects: [JSONValue] = []
    private(set) var revisions: [String] = []
    private(set) var totals: [String] = []
    private(set) var pages = 0

    var ids: [String] { objects.compactMap { $0["sourcedId"]?.text } }

    /// Adds a page; returns how many objects it has.
    fileprivate mutating func add(_ page: Answer) throws -> Int {
        try #require(page.status == 200, "\(page.text)")
        let objects = page.json.object?.members.first?.value.array ?? []
        self.objects += objects
        revisions.append(page.header("Roster-Revision") ?? "none")
        totals.append(page.header("X-Total-Count") ?? "none")
        pages += 1
        return objects.count
    }
}

/// A system that reads the roster, over one server or another.
struct RosterClient {
    /// Sends a request for a path.
    let ask: (String) async throws -> Answer

    /// Reads a collection by counting, as most clients do, until a page is short.
    ///
    /// - Parameter between: runs after each page with its number.
    func count(
        _ path: String, limit: Int, between: (Int) async throws -> Void = { _ in }
    ) async throws -> Traversal {
        var traversal = Traversal()
        let joint = path.contains("?") ? "&" : "?"
        while true {
            let offset = traversal.pages * limit
            let start = offset == 0 ? "" : "&offset=\(offset)"
            let page = try await ask("\(Edition.v1p2.path)/\(path)\(joint)limit=\(limit)\(start)")
            guard try traversal.add(page) == limit else { return traversal }
            try await between(traversal.pages)
        }
    }

    /// The same by following `Link`.
    func follow(
        _ path: String, limit: Int, between: (Int) async throws -> Void = { _ in }
    ) async throws -> Traversal {
        var traversal = Traversal()
        let joint = path.contains("?") ? "&" : "?"
        var next: String? = "\(Edition.v1p2.path)/\(path)\(joint)limit=\(limit)"
        while let wanted = next {
            let page = try await ask(wanted)
            _ = try traversal.add(page)
            next = page.nextPath
            if next != nil { try await between(traversal.pages) }
        }
        return traversal
    }
}

extension Answer {
    /// Where `Link` leads to.
    var nextPath: String? {
        let links = header("Link")?.split(separator: ", ").map(String.init) ?? []
        return links.first { $0.hasSuffix("rel=\"next\"") }.flatMap { link in
            link.firstRange(of: "/ims/").map {
                String(link[$0.lowerBound...].prefix { $0 != ">" })
            }
        }
    }
}

extension TestSchool {
    /// A client of the school's own server.
    var rosterClient: RosterClient {
        RosterClient { try await self.get($0, as: .rosterReader) }
    }

    /// The feature in that server.
    var oneRoster: OneRoster {
        get throws { try #require(features.lazy.compactMap { $0 as? OneRoster }.first) }
    }
}

/// Another server over the same database.
struct OtherServer: Sendable {
    let feature: OneRoster
    private let school: TestSchool
    private let service: Service

    init(of school: TestSchool) async throws {
        self.school = school
        feature = OneRoster(
            database: school.database, viewings: Viewings(database: school.database, log: nil))
        let loop = try #require(await school.onItsLoop { Loop.current })
        service = Service(
            features: [feature], database: school.database,
            authenticator: Authenticator(
                database: school.database, caches: [TokenCache(loop: loop)],
                limit: RequestLimit(requestsPerSecond: 0)), log: nil)
    }

    func client(_ token: String = Persona.rosterReader.token) -> RosterClient {
        RosterClient { try await self.get($0, token: token) }
    }

    func get(_ path: String, token: String = Persona.rosterReader.token) async throws -> Answer {
        let request = try HTTPRequest(
            method: .get, target: path,
            headers: [(name: "Authorization", value: "Bearer \(token)")], body: [],
            clientAddress: "127.0.0.1")
        let service = service
        let answered = await school.onItsLoop { () async -> Result<Answer, any Error> in
            let response = await service.answer(request)
            do {
                let body = try await response.wholeBody()
                return .success(
                    Answer(status: response.status, headers: response.headers, body: body))
            } catch {
                return .failure(error)
            }
        }
        return try answered.get()
    }
}
