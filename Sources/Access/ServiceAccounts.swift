import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// A script or job of the school, as an administrator creates it.
struct ServiceAccount: Sendable {
    /// The standings that a service account may have.
    static let roles: [Standing] = [.provisioner, .exporter]

    let id = ServiceAccountID(.v7())
    let secret = Token()
    let name: String
    let role: String
    let expiresAt: Timestamp?

    init(_ body: Fields) throws {
        name = body.text("name") ?? ""
        role = body.text("role") ?? ""
        expiresAt = body.timestamp("expiresAt")
        if let expiresAt, expiresAt <= Clock.now {
            throw Problem.invalid("/expiresAt", "in_the_past", "This time is in the past.")
        }
    }
}

extension Access {
    var serviceAccountEndpoints: [Endpoint] {
        let account = Shape.object(ServiceAccountShapes.account)
        let secret = ServiceAccountShapes.accountWithSecret
        let path = "/v1/service-accounts/{id}"
        let changed = [(status: 412, meaning: "It changed since you read it.")]
        return [
            Endpoint(
                .get, "/v1/service-accounts", "List service accounts",
                for: [.administrator],
                query: [.optional("revoked", .boolean, "Those that were revoked, instead.")]
                    + Endpoint.Parameter.page,
                answers: [.page("The oldest first.", of: ServiceAccountShapes.account)],
                handler: listServiceAccounts),
            Endpoint(
                .post, "/v1/service-accounts", "Create a service account",
                for: [.administrator], body: .json(ServiceAccountShapes.newAccount),
                answers: [.json("The account and its secret.", secret, status: 201).tagged.located],
                keys: .refused, handler: addServiceAccount),
            Endpoint(
                .get, path, "Find a service account", for: [.administrator],
                answers: [.json("The account.", account).tagged, .unchanged],
                handler: findServiceAccount),
            Endpoint(
                .patch, path, "Rename a service account",
                for: [.administrator], body: .json(ServiceAccountShapes.accountChange),
                answers: [.json("The account.", account).tagged], problems: changed,
                handler: renameServiceAccount),
            Endpoint(
                .post, path + "/secret",
                "Replace the secret of a service account and end its tokens",
                for: [.administrator],
                answers: [.json("The account and its new secret.", secret).tagged],
                problems: changed, keys: .refused, handler: changeServiceAccountSecret),
            Endpoint(
                .delete, path, "Revoke a service account and its tokens",
                for: [.administrator], answers: [.empty(204, "Revoked.")],
                problems: changed, handler: revokeServiceAccount),
        ]
    }

    func listServiceAccounts(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let after = try page.afterID() ?? UUID(high: 0, low: 0)
        let rows = try await database.query(
            .serviceAccounts(
                of: caller.organizationID, isRevoked: request.queryBoolean("revoked") ?? false,
                after: after, limit: page.limitPlusOne), as: caller)
        return try page.response(
            rows, key: { [try $0.uuid("id").description] }, request: request)
    }

    func findServiceAccount(_ request: Request, _ caller: Caller) async throws -> Response {
        try .object(
            await database.query(
                .serviceAccount(try request.id("id"), of: caller.organizationID), as: caller))
    }

    func addServiceAccount(_ request: Request, _ caller: Caller) async throws -> Response {
        let account = try ServiceAccount(await request.body())
        let rows = try await database.transaction(as: caller) { session in
            try await session.query([
                .add(account, to: caller.organizationID),
                .auditServiceAccount(account.id, "created"),
                .serviceAccount(account.id, of: caller.organizationID),
            ])[2]
        }
        return try answer(account.secret, rows, status: 201)
            .located(at: "/v1/service-accounts/\(account.id.uuid)")
    }

    func changeServiceAccountSecret(
        _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let secret = Token()
        let rows = try await change(request, caller, "secret") { id in
            .changeSecret(of: id, to: secret, in: caller.organizationID)
        }
        return try answer(secret, rows, status: 200)
    }

    func renameServiceAccount(_ request: Request, _ caller: Caller) async throws -> Response {
        let name = try await request.body().text("name") ?? ""
        return try .object(
            await change(request, caller, "renamed") { id in
                .renameServiceAccount(id, to: name, in: caller.organizationID)
            })
    }

    func revokeServiceAccount(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try await change(request, caller, "revoked") { id in
            .revokeServiceAccount(id, of: caller.organizationID)
        }
        return .noContent
    }

    /// Changes an account that is not revoked; 404 for any other. The database ends its tokens
    /// (`end_service_tokens`).
    private func change(
        _ request: Request, _ caller: Caller, _ word: String,
        _ statement: (ServiceAccountID) -> Statement
    ) async throws -> Rows {
        let id: ServiceAccountID = try request.id("id")
        return try await database.transaction(as: caller) { session in
            let found = try await session.query(
                .lockServiceAccount(id, of: caller.organizationID))
            guard let row = found.first else { throw Problem.notFound }
            try request.checkMatch(version: try row.int("version"))
            return try await session.query([
                statement(id), .auditServiceAccount(id, word),
                .serviceAccount(id, of: caller.organizationID),
            ])[2]
        }
    }

    /// An account with its secret, in an answer that must not be cached.
    private func answer(_ secret: Token, _ rows: Rows, status: Int) throws -> Response {
        guard let row = rows.first else { throw Problem.notFound }
        var writer = JSONWriter()
        writer.beginObject()
        try rows.writeMembers(row: 0, columns: rows.shownColumns, into: &writer)
        writer.key("clientSecret")
        writer.text(secret.text)
        writer.endObject()
        var response = Response.json(writer.bytes, status: status)
        let tag = ETag(version: try row.int("version")).text
        response.headers.append(ResponseField("ETag", tag))
        return response
    }
}
