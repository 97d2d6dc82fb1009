import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The licences of a location for its device manager (MDM): the calls of Apple's App and Book Management API, version 2,
/// and the content tokens with which device managers make them.
///
/// What a device manager may do is decided by the database (`SQL/policies/apps_and_books.sql`), which also keeps the
/// rules of licences that hold for everyone (`SQL/functions/licences`).
package struct AppsAndBooks: Feature {
    package let meaning =
        """
        The licences of a location for its device manager (MDM), which assigns them to devices and people. Paths, answers \
        and error numbers below `/mdm/v2` are those of Apple’s App and Book Management API. Administrators make the content \
        tokens for it.
        """
    static let path = "/mdm/v2"

    let database: Database
    /// By which URL clients know this server.
    let issuer: Issuer

    package init(database: Database, issuer: Issuer = Issuer()) {
        self.database = database
        self.issuer = issuer
    }

    package var endpoints: [Endpoint] {
        configurationEndpoints + listEndpoints + assigningEndpoints + userEndpoints
            + tokenEndpoints
    }

    package var refusals: [(below: String, refusal: Endpoint.Refusal)] {
        [("\(Self.path)/", { ContentRefusal($0).response })]
    }

    // MARK: Calls of Apple's

    /// A call for device managers, with the library of the location that the token is for.
    func endpoint(
        _ method: HTTPMethod, _ path: String, _ summary: String,
        query: [Endpoint.Parameter] = [], answer: Endpoint.Answer, cost: Int = 1,
        handler: @escaping @Sendable (Request, Caller) async throws -> Response
    ) -> Endpoint {
        Endpoint(
            method, "\(Self.path)/\(path)", summary, for: [.deviceManager], query: query,
            body: method == .post ? .document(["application/json"], .map(.anything)) : .none,
            answers: [answer] + ContentRefusal.answers, keys: .ignored, cost: cost
        ) { request, caller in
            try await ContentRefusal.answering { try await handler(request, caller) }
        }
    }

    /// The library of the caller's token, read in a session.
    func library(_ session: Session, _ caller: Caller) async throws -> ContentLibrary {
        let rows = try await session.query(.library(of: caller.organizationID))
        return try ContentLibrary(rows, caller, now: database.clock.now)
    }

    /// What a request changes, in one transaction; the answer names its event.
    ///
    /// - Parameter change: throws what is refused at once, and returns the statement that does the rest.
    func event(
        _ caller: Caller, _ change: @Sendable (Session) async throws -> Statement
    ) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let library = try await library(session, caller)
            let statement = try await change(session)
            let id = try await session.query(statement)[0].uuid("event_id")
            var answer = library.common
            answer["eventId"] = .text(id.description)
            return .json(.object(answer))
        }
    }
}
