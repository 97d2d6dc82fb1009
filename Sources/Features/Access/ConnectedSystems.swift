import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

extension Access {
    private static let idTokenAlgorithm = Column<String?>(
        "id_token_signed_response_alg", .word(IDTokenAlgorithm.allCases.map(\.rawValue)),
        "How its ID tokens are signed; `RS256` when absent, which every library verifies."
    ).withDefault
    private static let requiresPKCE = Column<Bool?>(
        "requires_pkce", nil,
        "Whether it has to send a code challenge (PKCE) beside its secret; true when absent."
    ).withDefault

    private static let postLogoutRedirectURIs = Column<[String]?>(
        "post_logout_redirect_uris", ConnectedSystemShapes.redirectURIs(0...10),
        "Where it may bring a browser back to after signing out, compared letter by letter; none when absent."
    ).withDefault

    /// Other systems of the school, to which people sign in with their managed IDs, as an administrator registers
    /// them. One stays when it is removed, because audit events name it.
    ///
    /// The database ends what people allowed a system that is removed or gets a new secret (`end_system_sessions`).
    static let connectedSystems = Resource<ConnectedSystemEntity>(
        .init("connected system", "connected systems", at: "/v1/connected-systems"),
        columns: [
            Column<String>("name", .line(), "The name that people see when they are asked."),
            Column<[String]>(
                "redirect_uris", ConnectedSystemShapes.redirectURIs(1...10),
                "Where codes may be sent, compared letter by letter: https, or http on 127.0.0.1 or [::1]."
            ),
            Column<[String]>(
                "scopes", ConnectedSystemShapes.scopes,
                "What it may learn about people who allow it, besides their id."),
            idTokenAlgorithm, requiresPKCE, postLogoutRedirectURIs,
        ],
        computed: [
            Computed(
                "connected_system.connected_system_id as client_id",
                .required("clientId", .uuid, "The same as the id.")),
            Computed("removed_at") { .orNull($0, .timestamp) },
            Computed("secret_changed_at") { .required($0, .timestamp) },
        ],
        current: "connected_system.removed_at is null",
        filters: [
            Filter(
                .optional(
                    "removed", .boolean, "true: lists the systems that were removed, instead.")
            ) {
                request, _ in
                let isRemoved = request.queryBoolean("removed") ?? false
                return "and (connected_system.removed_at is not null) = \(isRemoved)"
            }
        ],
        rules: Rules {
            $0.check = { system, _, _ in
                system[idTokenAlgorithm] =
                    system[idTokenAlgorithm] ?? IDTokenAlgorithm.rs256.rawValue
                system[requiresPKCE] = system[requiresPKCE] ?? true
                system[postLogoutRedirectURIs] = system[postLogoutRedirectURIs] ?? []
            }
            $0.complete = { system, session, _ in
                let change = system.present == nil ? "registered" : "changed"
                try await session.query(.auditConnectedSystem(system.id, change))
            }
            $0.remove = { id, organization in .removeConnectedSystem(id, of: organization) }
            $0.removed = { id in [.auditConnectedSystem(id, "removed")] }
        },
        // A new system is answered with its secret.
        without: [.create])

    var connectedSystemEndpoints: [Endpoint] {
        let systems = Self.connectedSystems
        let path = systems.names.path
        let secret = ConnectedSystemShapes.systemWithSecret
        return systems.endpoints(
            database, readers: [.administrator], writers: [.administrator],
            ResourceTexts(
                summaries: [
                    .remove: "Remove a connected system and end what people allowed it"
                ],
                descriptions: [
                    .remove:
                        "Nobody can undo this. The system stays in the list of those that were removed, because audit "
                        + "events name it."
                ],
                answers: [
                    .list: "The oldest first.", .find: "The system.", .remove: "Removed.",
                ])) + [
                Endpoint(
                    .post, path, "Register a connected system", for: [.administrator],
                    body: .json(.object(systems.newShape)),
                    answers: [
                        .json("The system and its secret.", secret, status: 201).tagged.located
                    ],
                    keys: .refused, handler: addConnectedSystem),
                Endpoint(
                    .post, "\(path)/{id}/secret",
                    "Replace the secret of a connected system and end what people allowed it",
                    description:
                        "The old secret stops working at once, and people have to sign in to the system again.",
                    for: [.administrator],
                    answers: [.json("The system and its new secret.", secret).tagged],
                    problems: [Resource<ConnectedSystemEntity>.changed], keys: .refused,
                    handler: changeConnectedSystemSecret),
            ]
    }

    func addConnectedSystem(_ request: Request, _ caller: Caller) async throws -> Response {
        let secret = Token()
        let (id, rows) = try await Self.connectedSystems.create(request, caller, in: database) {
            $0.set("secret_digest", to: secret.digest)
        }
        return try .object(rows, secret: ("clientSecret", secret.text), status: 201)
            .located(at: "\(Self.connectedSystems.names.path)/\(id.uuid)")
    }

    func changeConnectedSystemSecret(
        _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let secret = Token()
        let rows = try await Self.connectedSystems.change(request, caller, in: database) { id in
            [
                .changeSecret(of: id, to: secret, in: caller.organizationID),
                .auditConnectedSystem(id, "secret"),
            ]
        }
        return try .object(rows, secret: ("clientSecret", secret.text))
    }
}

extension Statement {
    fileprivate static func changeSecret(
        of id: ConnectedSystemID, to secret: Token, in organization: OrganizationID
    ) -> Statement {
        """
        update school.connected_system
           set secret_digest = \(secret.digest), secret_changed_at = school.moment()
         where organization_id = \(organization) and connected_system_id = \(id)
        """
    }

    fileprivate static func removeConnectedSystem(
        _ id: ConnectedSystemID, of organization: OrganizationID
    ) -> Statement {
        """
        update school.connected_system set removed_at = school.moment()
         where organization_id = \(organization) and connected_system_id = \(id)
        """
    }

    fileprivate static func auditConnectedSystem(
        _ id: ConnectedSystemID, _ change: String
    ) -> Statement {
        .audit(
            "connectedSystemChange", subjectKind: "connectedSystem", subject: id.uuid,
            details: ["change": .text(change)])
    }
}
