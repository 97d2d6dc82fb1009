import API
import Crypto
import HTTPServer
import JSONBytes
import Postgres
import School

enum TeamEntity: ResourceEntity {
    typealias Key = TextKey
    static let table: Statement = "developer_team"
    static let key: Statement = "team_id"
}

extension Catalog {
    private static let bundleIDs = Field.required(
        "bundleIds", .array(CatalogShapes.bundleID, count: 0...1000))
    private static let keys = Field.required(
        "keys",
        .array(
            .fields(
                "DeveloperKey",
                [
                    .required("keyId", .text(1...64)),
                    .required(
                        "publicKey", .text(1...2000, lines: true), "A P-256 public key in PEM."),
                ]), count: 0...20))

    /// Who may publish contexts, for which bundle ids and with which keys. Their ids are Apple's.
    static let teams = Resource<TeamEntity>(
        .init("developer team", "developer teams", at: "/v1/developer-teams"),
        key: ClientKey(.required("teamId", .text(1...64))),
        columns: [Column<String>("name", .line())],
        extras: [bundleIDs, keys],
        computed: [
            Computed(
                """
                (select coalesce(json_agg(b.bundle_id order by b.bundle_id), '[]')
                   from school.developer_bundle as b
                  where b.organization_id = developer_team.organization_id
                    and b.team_id = developer_team.team_id) as bundle_ids
                """, bundleIDs),
            Computed(
                """
                (select coalesce(json_agg(json_build_object('keyId', k.key_id, 'publicKey', k.public_key)
                                          order by k.key_id), '[]')
                   from school.developer_key as k
                  where k.organization_id = developer_team.organization_id
                    and k.team_id = developer_team.team_id) as keys
                """, keys),
            Computed("origin") {
                .required(
                    $0, .word(["organization", "deployment"]),
                    "Who registered it: an administrator, or the operator for every organization.")
            },
        ],
        rules: Rules {
            $0.validate = { team in
                guard team.body.text("teamId") == team.id.text else {
                    throw Problem.invalid("/teamId", "not_this_team", "The teamId cannot change.")
                }
                _ = try TeamKeys(team)
            }
            $0.check = { team, _, _ in
                // From now on it is the organization's own, even if it was the deployment's before.
                if team.present != nil { team.set("origin", to: "organization") }
            }
            $0.complete = replaceBundlesAndKeys
            $0.removed = { id in
                [
                    .followTeams,
                    .audit(
                        "developerTeamChange",
                        details: ["teamId": .text(id.text), "removed": true]),
                ]
            }
        },
        without: [.change])

    var teamEndpoints: [Endpoint] {
        Self.teams.endpoints(
            database, readers: [.administrator], writers: [.administrator],
            ResourceTexts(
                summaries: [
                    .replace: "Replace a developer team, its bundle ids and keys",
                    .remove: "Remove a developer team; its contexts stay, its keys stop working",
                ],
                descriptions: [
                    .replace:
                        "Bundle ids and keys that the body leaves out are removed; contexts stay."
                ],
                answers: [
                    .list: "The teams.", .create: "The team.", .find: "The team.",
                    .replace: "The team.",
                ],
                creating: [(409, "The team or one of its bundle ids is registered already.")]))
    }

    @Sendable private static func replaceBundlesAndKeys(
        of team: Draft<TeamEntity>, _ session: Session, _ caller: Caller
    ) async throws {
        let organization = caller.organizationID
        let id = team.id.text
        let bundleIDs = team.body.texts("bundleIds") ?? []
        let keys = try TeamKeys(team)
        _ = try await session.query([
            .removeBundles(of: id, in: organization), .removeKeys(of: id, in: organization),
            .takeBundles(bundleIDs, for: id), .addBundles(bundleIDs, to: id, in: organization),
            .addKeys(keys, to: id, in: organization), .adoptContexts(of: id), .followTeams,
            .audit(
                "developerTeamChange",
                details: [
                    "teamId": .text(id), "keyIds": .array(keys.ids.map(JSONValue.text)),
                    "bundleIds": .array(bundleIDs.map(JSONValue.text)),
                ]),
        ])
    }
}

/// The keys of a team as an administrator sends them, checked.
struct TeamKeys: Sendable {
    let ids: [String]
    let publicKeys: [String]

    init(_ team: Draft<TeamEntity>) throws {
        let keys = team.body.objects("keys") ?? []
        ids = keys.compactMap { $0.text("keyId") }
        publicKeys = try keys.enumerated().map { index, key in
            do {
                return try ES256PublicKey(pem: key.text("publicKey") ?? "").pem
            } catch {
                throw Problem.invalid("/keys/\(index)/publicKey", "not_a_key", "\(error)")
            }
        }
    }
}
