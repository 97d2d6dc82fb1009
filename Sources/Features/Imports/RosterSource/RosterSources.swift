import API
import Contract
import Crypto
import EventLoop
import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The source from which an organization's roster is pulled every night, as an administrator sets it.
extension Imports {
    private static let path = "/v1/roster-source"
    private static let ownHosts: Set<String> = ["127.0.0.1", "::1", "localhost"]

    var rosterSourceEndpoints: [Endpoint] {
        let source = Shape.object(RosterSourceShapes.source)
        return [
            Endpoint(
                .get, Self.path, "Read from where the roster is pulled, and how that went",
                for: [.administrator],
                answers: [.json("The source. Its secret is never answered.", source)],
                problems: [(404, "No source is set.")], handler: showSource),
            Endpoint(
                .put, Self.path, "Set from where the roster is pulled every night",
                for: [.administrator], body: .json(.object(RosterSourceShapes.wish)),
                answers: [
                    .json("The source, which replaces the one before.", source),
                    .json("The source, the first.", source, status: 201),
                ],
                handler: setSource),
            Endpoint(
                .delete, Self.path, "Remove the source: nothing is pulled any more",
                for: [.administrator],
                answers: [.empty(204, "It is removed with its secret. Imports stay.")],
                problems: [(404, "No source is set.")], handler: removeSource),
            Endpoint(
                .post, Self.path + "/pull", "Pull the roster now", for: [.administrator],
                answers: [
                    .json(
                        "The pull begins within seconds, also where nightly pulls are turned off. What it brings "
                            + "becomes an import.", source, status: 202)
                ],
                problems: [(404, "No source is set.")], cost: 20, handler: orderPull),
        ]
    }

    func showSource(_ request: Request, _ caller: Caller) async throws -> Response {
        try .object(try await database.query(.rosterSource(of: caller), as: caller))
    }

    func setSource(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        let source = try Self.identity(in: body, of: caller)
        let pullTime = body.text("pullTime") ?? "02:30"
        let isEnabled = body.boolean("enabled") ?? true
        guard Self.isTime(pullTime) else {
            throw Problem.invalid(
                "/pullTime", "invalid_time", "Write the time as hours and minutes, such as 02:30.")
        }
        let secret = try await sealed(body.text("clientSecret"), source)
        return try await database.transaction(as: caller) { session in
            let before = try await session.query(.lockRosterSource(of: caller))
            if let secret {
                if before.count == 0 { try await session.query(.addRosterSource(source, secret)) }
                try await session.query(
                    .replaceRosterSource(
                        by: source, secret, pullTime: pullTime, isEnabled: isEnabled))
            } else {
                guard try before.first.map({ try source.isOf($0) }) == true else {
                    throw Problem.rosterSecretIsNeeded
                }
                try await session.query(
                    .arrangeRosterPulls(at: pullTime, isEnabled: isEnabled, of: caller))
            }
            try await session.query(.auditRosterSource(before.count == 0 ? "set" : "changed"))
            return try .object(
                try await session.query(.rosterSource(of: caller)),
                status: before.count == 0 ? 201 : 200)
        }
    }

    func removeSource(_ request: Request, _ caller: Caller) async throws -> Response {
        try await database.transaction(as: caller) { session in
            guard try await session.query(.removeRosterSource(of: caller)).count > 0 else {
                throw Problem.notFound
            }
            try await session.query(.auditRosterSource("removed"))
            return .noContent
        }
    }

    func orderPull(_ request: Request, _ caller: Caller) async throws -> Response {
        let response = try await database.transaction(as: caller) { session in
            guard try await session.query(.orderRosterPull())[0].bool("is_ordered") else {
                throw Problem.notFound
            }
            try await session.query(.auditRosterPullOrder())
            return try Response.object(
                try await session.query(.rosterSource(of: caller)), status: 202)
        }
        puller.nudge()
        return response
    }

    /// `nil` if no secret was sent.
    private func sealed(
        _ secret: String?, _ source: RosterIdentity
    ) async throws -> SealedSecret? {
        guard let secret else { return nil }
        return SealedSecret(Array(secret.utf8), for: source.context, with: try await key.toSeal())
    }

    /// Whether it is written as `02:30`, from `00:00` to `23:59`.
    private static func isTime(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
            parts.joined().utf8.allSatisfy({ (48...57).contains($0) }),
            let hour = Int(parts[0]), let minute = Int(parts[1])
        else { return false }
        return hour < 24 && minute < 60
    }

    private static func identity(in body: Fields, of caller: Caller) throws -> RosterIdentity {
        let address: RosterAddress
        do {
            address = try RosterAddress(
                url: body.text("url") ?? "", tokenURL: body.text("tokenUrl"))
        } catch {
            throw Problem.invalid(
                error == .url ? "/url" : "/tokenUrl", "invalid_url", error.description)
        }
        for (pointer, url) in [("/url", address.url), ("/tokenUrl", address.tokenURL)]
        where !url.isSecure && !ownHosts.contains(url.host) {
            throw Problem.invalid(
                pointer, "invalid_url", "Give a URL that begins with https://.")
        }
        return RosterIdentity(
            organizationID: caller.organizationID, url: address.url.text,
            tokenURL: address.tokenURL.text, clientID: body.text("clientId") ?? "")
    }
}

extension RosterIdentity {
    /// Whether a stored secret belongs to the same provider and client.
    fileprivate func isOf(_ row: Row) throws -> Bool {
        try row.text("url") == url && row.text("token_url") == tokenURL
            && row.text("client_id") == clientID
    }
}

extension Problem {
    /// A stored secret is only ever sent where it was meant to go.
    fileprivate static let rosterSecretIsNeeded = Problem.invalid(
        "/clientSecret", "missing",
        "Enter the client secret: it belongs to this URL, this URL of tokens and this client id.")
}

/// The input and output of the calls about roster sources.
enum RosterSourceShapes {
    private static let fields: [Field] = [
        .required(
            "url", .text(1...RosterAddress.lengthLimit),
            "Below which the provider has its collections: it ends in /v1p2 or /v1p1.")
    ]
    private static let clientID = Field.required(
        "clientId", .text(1...255), "What the provider knows Homeroom by.")
    private static let time = Shape.text(5...5)

    static let wish = ObjectShape(
        "NewRosterSource",
        fields + [
            .optional(
                "tokenUrl", .text(1...RosterAddress.lengthLimit),
                "Where access tokens are asked for; /oauth/token of the same server when absent."),
            clientID,
            .optional(
                "clientSecret", .text(1...1000),
                "Kept sealed, and never answered. Absent: the one before, if both URLs and the client id are the same."
            ),
            .optional(
                "pullTime", time, "By the clock of your organization, as 02:30; that when absent."),
            .optional("enabled", .boolean, "Whether it is pulled every night; true when absent."),
        ])

    static let source = ObjectShape(
        "RosterSource",
        fields + [
            .required("tokenUrl", .text(1...RosterAddress.lengthLimit)), clientID,
            .required("pullTime", time, "By the clock of your organization."),
            .required("enabled", .boolean, "Whether it is pulled every night."),
            .required(
                "status", .word(["resting", "waiting", "running"]),
                "waiting: a pull was ordered and begins soon; running: a server is pulling."),
            .orNull("nextPullAt", .timestamp, "Null if nightly pulls are turned off."),
            .orNull("startedAt", .timestamp, "When the last pull began; null if none did."),
            .orNull("finishedAt", .timestamp, "When the last pull ended; null if none did."),
            .orNull(
                "failure",
                .fields(
                    "RosterFailure",
                    [
                        .required("code", .word(RosterFailure.Code.allCases.map(\.rawValue))),
                        .required("text", .text(1...1000), "What happened, for people."),
                    ]), "Why the last pull brought nothing; null if it did not fail."),
            .orNull("failingSince", .timestamp, "Null if the last pull succeeded."),
            .orNull(
                "lastImport",
                .fields(
                    "RosterImport",
                    [
                        .required("id", .uuid), .required("status", Word<ImportStatus>.shape),
                        .required("createdAt", .timestamp),
                    ]),
                "What the last pull that succeeded brought; null if none did, or it is forgotten."),
            .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
        ])
}
