import API
import Crypto
import HTTPServer
import JSONBytes
import Postgres
import School

extension Catalog {
    func listTeams(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let rows = try await database.query(
            .teams(of: caller.organizationID, after: page.after(0), limit: page.limitPlusOne),
            as: caller)
        return try page.response(rows, key: { [try $0.text("id")] }, request: request)
    }

    func findTeam(_ request: Request, caller: Caller) async throws -> Response {
        try .object(
            await database.query(
                .team(request.path("teamId"), of: caller.organizationID), as: caller))
    }

    func addTeam(_ request: Request, caller: Caller) async throws -> Response {
        let team = try NewTeam(await request.body())
        return try await database.transaction(as: caller) { session in
            _ = try await session.query(.addTeam(team, to: caller.organizationID))
            try await complete(team, session, caller)
            let rows = try await session.query(.team(team.id, of: caller.organizationID))
            return try Response.object(rows, status: 201)
                .located(at: "/v1/developer-teams/\(percentEncode(team.id))")
        }
    }

    /// Replaces the name, the bundle ids and the keys; the team's own id stays.
    func replaceTeam(_ request: Request, caller: Caller) async throws -> Response {
        let team = try NewTeam(await request.body())
        guard team.id == request.path("teamId") else {
            throw Problem.invalid("/teamId", "not_this_team", "The teamId cannot change.")
        }
        return try await database.transaction(as: caller) { session in
            try await checkTeam(request, session, caller)
            _ = try await session.query([
                .renameTeam(team, of: caller.organizationID),
                .removeBundles(of: team.id, in: caller.organizationID),
                .removeKeys(of: team.id, in: caller.organizationID),
            ])
            try await complete(team, session, caller)
            return try .object(
                await session.query(.team(team.id, of: caller.organizationID)))
        }
    }

    func removeTeam(_ request: Request, caller: Caller) async throws -> Response {
        try await database.transaction(as: caller) { session in
            try await checkTeam(request, session, caller)
            let id = request.path("teamId")
            _ = try await session.query([
                .removeTeam(id, of: caller.organizationID), .followTeams,
                .audit("developerTeamChange", details: ["teamId": .text(id), "removed": true]),
            ])
        }
        return .noContent
    }

    private func checkTeam(
        _ request: Request, _ session: Session, _ caller: Caller
    ) async throws {
        let rows = try await session.query(
            .lockTeam(request.path("teamId"), of: caller.organizationID))
        guard let row = rows.first else { throw Problem.notFound }
        try request.checkMatch(version: try row.int("version"))
    }

    private func complete(
        _ team: NewTeam, _ session: Session, _ caller: Caller
    ) async throws {
        _ = try await session.query([
            .takeBundles(for: team), .addBundles(team, in: caller.organizationID),
            .addKeys(team, in: caller.organizationID),
            .adoptContexts(of: team.id), .followTeams,
            .audit(
                "developerTeamChange",
                details: [
                    "teamId": .text(team.id),
                    "keyIds": .array(team.keyIDs.map(JSONValue.text)),
                    "bundleIds": .array(team.bundleIDs.map(JSONValue.text)),
                ]),
        ])
    }
}

/// A team as an administrator sends it, its keys checked.
struct NewTeam: Sendable {
    let id: String
    let name: String
    let bundleIDs: [String]
    let keyIDs: [String]
    let publicKeys: [String]

    init(_ body: Fields) throws {
        id = body.text("teamId") ?? ""
        name = body.text("name") ?? ""
        bundleIDs = body.texts("bundleIds") ?? []
        let keys = body.objects("keys") ?? []
        keyIDs = keys.compactMap { $0.text("keyId") }
        publicKeys = try keys.enumerated().map { index, key in
            do {
                return try ES256PublicKey(pem: key.text("publicKey") ?? "").pem
            } catch {
                throw Problem.invalid("/keys/\(index)/publicKey", "not_a_key", "\(error)")
            }
        }
    }
}
