import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Access {
    private static let expiresAt = Column<Timestamp?>(
        "expires_at", nil, "When it expires. Without it, never.")

    private static let role = Column<String>(
        "role", ServiceAccountShapes.role,
        "Also the scope of its tokens. A roster reader may ask for those of OneRoster or Apple's Roster API instead."
    )

    /// Scripts and jobs of the school, as an administrator creates them. One stays when it is revoked, because audit
    /// events name it.
    ///
    /// The database ends the tokens of an account that is revoked or gets a new secret (`end_service_tokens`).
    static let serviceAccounts = Resource<ServiceAccountEntity>(
        .init("service account", "service accounts", at: "/v1/service-accounts"),
        columns: [
            Column<String>("name", .line(), "What uses it, such as the name of the system."),
            role, expiresAt,
            Column<LocationID?>(
                "default_location_id", nil,
                "Where a directory writer puts people and classes of which it does not say where."),
        ],
        computed: [
            Computed(
                "service_account.service_account_id as client_id",
                .required("clientId", .uuid, "The same as the id.")),
            Computed("revoked_at") { .orNull($0, .timestamp) },
            Computed("secret_changed_at") { .required($0, .timestamp) },
        ],
        current: "service_account.revoked_at is null",
        filters: [
            Filter(
                .optional(
                    "revoked", .boolean, "true: lists the accounts that were revoked, instead.")
            ) {
                request, _ in
                let isRevoked = request.queryBoolean("revoked") ?? false
                return "and (service_account.revoked_at is not null) = \(isRevoked)"
            }
        ],
        rules: Rules {
            $0.complete = { account, session, _ in
                try await session.query(.auditServiceAccount(account.id, "created"))
            }
            $0.remove = { id, organization in .revokeServiceAccount(id, of: organization) }
            $0.removed = { id in [.auditServiceAccount(id, "revoked")] }
        },
        // A new account is answered with its secret, and its role and end never change.
        without: [.create, .change])

    var serviceAccountEndpoints: [Endpoint] {
        let accounts = Self.serviceAccounts
        let path = accounts.names.path
        let account = Shape.object(accounts.shape)
        let secret = ServiceAccountShapes.accountWithSecret
        return accounts.endpoints(
            database, readers: [.administrator], writers: [.administrator],
            ResourceTexts(
                summaries: [.remove: "Revoke a service account and its tokens"],
                descriptions: [
                    .remove:
                        "Nobody can undo this. The account stays in the list of those that were revoked, because audit "
                        + "events name it."
                ],
                answers: [
                    .list: "The oldest first.", .find: "The account.", .remove: "Revoked.",
                ])) + [
                Endpoint(
                    .post, path, "Create a service account", for: [.administrator],
                    body: .json(.object(accounts.newShape)),
                    answers: [
                        .json("The account and its secret.", secret, status: 201).tagged.located
                    ],
                    keys: .refused, handler: addServiceAccount),
                Endpoint(
                    .patch, "\(path)/{id}", "Change a service account", for: [.administrator],
                    body: .json(ServiceAccountShapes.accountChange),
                    answers: [.json("The account.", account).tagged],
                    problems: [Resource<ServiceAccountEntity>.changed],
                    handler: changeServiceAccount),
                Endpoint(
                    .post, "\(path)/{id}/secret",
                    "Replace the secret of a service account and end its tokens",
                    description: "The old secret stops working at once.",
                    for: [.administrator],
                    answers: [.json("The account and its new secret.", secret).tagged],
                    problems: [Resource<ServiceAccountEntity>.changed], keys: .refused,
                    handler: changeServiceAccountSecret),
            ]
    }

    func addServiceAccount(_ request: Request, _ caller: Caller) async throws -> Response {
        let secret = Token()
        let now = database.clock.now
        let (id, rows) = try await Self.serviceAccounts.create(request, caller, in: database) {
            try Self.check($0, now: now)
            $0.set("secret_digest", to: secret.digest)
        }
        return try .object(rows, secret: ("clientSecret", secret.text), status: 201)
            .located(at: "\(Self.serviceAccounts.names.path)/\(id.uuid)")
    }

    private static func check(_ account: Draft<ServiceAccountEntity>, now: Timestamp) throws {
        if let end = account[expiresAt], end <= now {
            throw Problem.invalid("/expiresAt", "in_the_past", "This time is in the past.")
        }
    }

    func changeServiceAccountSecret(
        _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let secret = Token()
        let rows = try await Self.serviceAccounts.change(request, caller, in: database) { id in
            [
                .changeSecret(of: id, to: secret, in: caller.organizationID),
                .auditServiceAccount(id, "secret"),
            ]
        }
        return try .object(rows, secret: ("clientSecret", secret.text))
    }

    func changeServiceAccount(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        var statements: [@Sendable (ServiceAccountID) -> Statement] = []
        let organization = caller.organizationID
        if let name = body.text("name") {
            statements.append { .renameServiceAccount($0, to: name, in: organization) }
            statements.append { .auditServiceAccount($0, "renamed") }
        }
        if body.has("defaultLocationId") {
            let location = body.uuid("defaultLocationId")
            if let location { try await checkLocation(location, caller) }
            statements.append { .placeServiceAccount($0, at: location, in: organization) }
            statements.append { .auditServiceAccount($0, "placed") }
        }
        let changes = statements
        return try .object(
            await Self.serviceAccounts.change(request, caller, in: database) { id in
                changes.map { $0(id) }
            })
    }

    private func checkLocation(_ id: UUID, _ caller: Caller) async throws {
        let rows = try await database.query(
            """
            select from school.location
             where organization_id = \(caller.organizationID) and location_id = \(id)
            """, as: caller)
        guard rows.count == 1 else { throw Problem.unknownReference("/defaultLocationId") }
    }
}
