import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The development environment: an organization of made-up people, for trying out an app as its teachers and students
/// use it. Administrators reach their organization's at `/v1/development`. Developers reach that of an organization
/// which registered their key at `/v1/developer/organizations/{organizationId}/development`.
extension Catalog {
    /// The lifetime of a made-up person's token.
    private static let tokenSeconds: Int64 = 3600

    var developmentEndpoints: [Endpoint] {
        let path = "/v1/development"
        let off = (404, "The development environment is off.")
        return [
            Endpoint(
                .get, path, "Find the development environment", for: [.administrator],
                answers: [.json("The development environment.", DevelopmentShapes.environment)],
                problems: [off],
                handler: readDevelopment),
            Endpoint(
                .put, path, "Turn the development environment on",
                description: """
                    Creates made-up people and a class for them. If it is on already, it takes over what changed \
                    in the developer teams.
                    """, for: [.administrator],
                answers: Catalog.turnedOn, handler: turnOnDevelopment),
            Endpoint(
                .delete, path, "Turn the development environment off and remove all of it",
                description: "Its tokens stop working. Only its audit trail stays.",
                for: [.administrator],
                answers: [.empty(204, "The development environment is off.")], problems: [off],
                handler: turnOffDevelopment),
            Endpoint(
                .post, "\(path)/reset", "Clear handouts and work from the development environment",
                description:
                    "Published contexts and tokens stay, and everyone is in the class again.",
                for: [.administrator], answers: [.empty(204, "It is as it was at the start.")],
                problems: [off], handler: resetDevelopment),
            Endpoint(
                .post, "\(path)/tokens", "Get a token for a made-up teacher or student",
                for: [.administrator], body: .json(DevelopmentShapes.newToken),
                answers: [.json("The token. It is shown once.", DevelopmentShapes.token)],
                problems: [off], keys: .refused, handler: createDevelopmentToken),
        ]
    }

    static let turnedOn: [Endpoint.Answer] = [
        .json("It was on already.", DevelopmentShapes.environment),
        .json("It is on now.", DevelopmentShapes.environment, status: 201),
    ]

    static let developmentIsOff = Problem.notFound.with(
        detail: "The development environment is off. PUT /v1/development turns it on.")

    func readDevelopment(_ request: Request, caller: Caller) async throws -> Response {
        let rows = try await database.query(.developmentEnvironment, as: caller)
        if rows.isEmpty { throw Catalog.developmentIsOff }
        return try .object(rows)
    }

    /// If it is already on, synchronizes it with the registered teams and their contexts.
    func turnOnDevelopment(_ request: Request, caller: Caller) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let isNew = try await session.query(.turnOnDevelopment)[0].bool("is_new")
            return try .object(
                await session.query(.developmentEnvironment), status: isNew ? 201 : 200)
        }
    }

    func turnOffDevelopment(_ request: Request, caller: Caller) async throws -> Response {
        try await change(.turnOffDevelopment, as: caller)
    }

    func resetDevelopment(_ request: Request, caller: Caller) async throws -> Response {
        try await change(.resetDevelopment, as: caller)
    }

    private func change(_ statement: Statement, as caller: Caller) async throws -> Response {
        let rows = try await database.transaction(as: caller) { session in
            try await session.query(statement)
        }
        guard try rows[0].bool("is_there") else { throw Catalog.developmentIsOff }
        return .noContent
    }

    func createDevelopmentToken(_ request: Request, caller: Caller) async throws -> Response {
        let body = try await request.body()
        if body.text("bundleId")?.isNameOfTool == true { throw Problem.nameOfTool("/bundleId") }
        let text = SecureRandom.token()
        let digest = SHA256.digest(text).bytes
        let now = database.clock.now
        let rows = try await database.transaction(as: caller) { session in
            try await session.query(
                .createDevelopmentToken(
                    digest, role: body.text("role") ?? "",
                    person: body.uuid("personId"), app: body.text("bundleId"),
                    expiresAt: Timestamp(
                        milliseconds: now.milliseconds + Catalog.tokenSeconds * 1000)))
        }
        switch try rows[0].text("outcome") {
        case "off": throw Catalog.developmentIsOff
        case "unknownApp": throw Problem.unknownReference("/bundleId")
        case "unknownPerson": throw Problem.unknownReference("/personId")
        default: break
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accessToken")
        writer.text(text)
        writer.key("tokenType")
        writer.text("Bearer")
        writer.key("expiresIn")
        writer.int(Int(Catalog.tokenSeconds))
        writer.key("person")
        writer.document(try rows[0].bytes("person"))
        let known = try await database.query(.subject(ofToken: digest))
        if let subject = try known.first?.optionalText("subject") {
            writer.key("subject")
            writer.text(subject)
        }
        writer.endObject()
        return .json(writer.bytes)
    }
}
