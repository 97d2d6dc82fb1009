import API
import HTTPServer
import HTTPWire
import JSONBytes
import School
import Values

/// Statements of apps, as the Experience API describes them (xAPI 1.0.3 and IEEE 9274.1.1, which is xAPI 2.0).
///
/// A statement about a context of the app becomes a part of an attempt, and takes the way of all uploads: only what was
/// assigned is kept. Nothing else of it is, so no call returns statements.
package struct XAPI: Feature {
    package let meaning =
        """
        What apps report as statements of the Experience API (xAPI 1.0.3 and 2.0). A statement about a context of your \
        app becomes an activity; statements themselves are not kept.
        """
    private static let path = "/xapi"
    private static let versionField = "X-Experience-API-Version"

    let database: Database
    let inbox: UploadInbox
    /// By which URL clients know this server.
    let issuer: Issuer

    /// - Parameter activities: whose inbox statements go into.
    package init(activities: Activities, issuer: Issuer = Issuer()) {
        database = activities.database
        inbox = activities.inbox
        self.issuer = issuer
    }

    package var answerFields: [(below: String, field: ResponseField)] {
        [("\(Self.path)/", ResponseField(Self.versionField, XAPIVersion.latest1.rawValue))]
    }

    package var endpoints: [Endpoint] {
        let problems: [(status: Int, meaning: String)] = [
            (400, "A statement is wrong, or \(Self.versionField) is. Nothing was taken."),
            (403, "Only apps send statements."),
            (409, "Another statement of the same app and person has this id. Nothing was taken."),
        ]
        return [
            Endpoint(
                open: .get, "\(Self.path)/about", "Read what this xAPI endpoint can do",
                answers: [.json("The versions, and what Homeroom does not do.", XAPIShapes.about)],
                handler: about),
            Endpoint(
                .post, "\(Self.path)/statements", "Send one xAPI statement, or up to 500",
                description: """
                    All statements are taken, or none. One that was sent before, with the same content, changes \
                    nothing.
                    """,
                for: [.app], body: .json(XAPIShapes.statements),
                answers: [
                    .json("The statements have arrived: their ids, in order.", XAPIShapes.ids)
                        .with(Self.answeredVersion)
                ], problems: problems, keys: .ignored, fields: [Self.askedVersion], handler: post),
            Endpoint(
                .put, "\(Self.path)/statements", "Send an xAPI statement with an id of your own",
                for: [.app],
                query: [
                    .required("statementId", .uuid, "The id of the statement, which may repeat it.")
                ], body: .json(XAPIShapes.statement),
                answers: [.empty(204, "The statement has arrived.").with(Self.answeredVersion)],
                problems: problems, fields: [Self.askedVersion], handler: put),
        ]
    }

    private static let askedVersion = Operation.Header(
        name: versionField, meaning: "The version that you speak: 1.0.x or 2.0.x.",
        isRequired: true)
    private static let answeredVersion = Operation.Header(
        name: versionField, meaning: "The version that the answer follows.", isRequired: true)

    // MARK: The calls

    private func about(_ request: Request) async throws -> Response {
        let root = issuer.text(for: request) + Self.path
        let asked = XAPIVersion(request.http.headers[Self.versionField])
        // Clients of 1.0 refuse a list that has versions which they do not know.
        let versions: [JSONValue] =
            ["1.0.3", "1.0.2", "1.0.1", "1.0.0"] + (asked == .latest1 ? [] : ["2.0.0"])
        let extensions = JSONObject([
            (
                "\(root)/extensions/homeroom",
                [
                    "statements": "Send with POST and PUT. None is kept, read or voided.",
                    "activities": .text("\(root)/activities/{bundleId}/{identifier}"),
                    "actor": "An account of this server; its name is the token's subject.",
                    "attachments": false,
                    "documents": false,
                ]
            )
        ])
        var response = Response.json([
            "version": .array(versions), "extensions": .object(extensions),
        ])
        response.headers.append(
            ResponseField(Self.versionField, (asked ?? .latest1).rawValue))
        return response
    }

    private func post(_ request: Request, _ caller: Caller) async throws -> Response {
        try await answering(request) {
            let body = try await read(request, caller)
            var sent: [(value: JSONValue, pointer: String)] = [(value: body, pointer: "")]
            if let bodies = body.array {
                sent = bodies.enumerated().map { (value: $1, pointer: "/\($0)") }
            }
            guard (1...XAPIShapes.statementsMax).contains(sent.count) else {
                throw Problem.invalidStatements([
                    Problem.Invalid(
                        pointer: "", code: "wrong_count",
                        detail: "Send 1 to \(XAPIShapes.statementsMax) statements.")
                ])
            }
            let statements = try reader(request, caller).read(sent)
            try await take(statements, sent.map { $0.pointer }, of: caller)
            return .json(.array(statements.map { .text($0.id.description) }))
        }
    }

    private func put(_ request: Request, _ caller: Caller) async throws -> Response {
        try await answering(request) {
            let id = request.query("statementId").flatMap { UUID($0) }
            let body = try await read(request, caller)
            let statements = try reader(request, caller).read([(value: body, pointer: "")], as: id)
            try await take(statements, [""], of: caller)
            return .noContent
        }
    }

    private func reader(_ request: Request, _ caller: Caller) -> StatementReader {
        StatementReader(
            server: issuer.text(for: request), root: issuer.text(for: request) + Self.path,
            app: caller.app ?? "", environment: caller.environment, now: database.clock.now)
    }

    private func read(_ request: Request, _ caller: Caller) async throws -> JSONValue {
        if request.http.headers["content-type"]?.isMediaType("multipart/mixed") == true {
            throw Problem.attachmentsAreNotKept
        }
        // Reading a large body only to refuse it would take time from those that are accepted.
        if request.http.body.announcedLength ?? 0 > UploadInbox.smallBytes {
            try database.checkQueue(for: caller)
        }
        return try await request.json(maximumBytes: 1 << 20)
    }

    /// Answers in the version that the request speaks, problems included.
    private func answering(
        _ request: Request, _ body: () async throws -> Response
    ) async throws -> Response {
        guard let version = XAPIVersion(request.http.headers[Self.versionField]) else {
            throw Problem.unsupportedVersion
        }
        let field = ResponseField(Self.versionField, version.rawValue)
        do {
            var response = try await body()
            let now = database.clock.now
            response.headers += [
                field, ResponseField("X-Experience-API-Consistent-Through", "\(now)"),
            ]
            return response
        } catch let problem as Problem {
            var problem = problem
            problem.headers.append(field)
            throw problem
        }
    }
}

/// The versions that the service speaks, by the newest of each kind.
enum XAPIVersion: String {
    case latest1 = "1.0.3"
    case latest2 = "2.0.0"

    /// - Parameter text: of the request's field; `nil` if it lacks one.
    /// Returns `nil` for any other version.
    init?(_ text: String?) {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts[1] == "0",
            parts.dropFirst(2).allSatisfy({ UInt8($0) != nil })
        else { return nil }
        switch parts[0] {
        case "1": self = .latest1
        case "2": self = .latest2
        default: return nil
        }
    }
}
