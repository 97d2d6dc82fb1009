import API
import JSONBytes

extension OpenAPI {
    /// The API document of features, one group each.
    package init(features: [any Feature], description: APIDescription) {
        let groups = features.map {
            Group(
                name: "\(type(of: $0))", meaning: $0.meaning,
                operations: $0.endpoints.map(\.operation))
        }
        self.init(groups: groups, description: description)
    }
}

extension Endpoint.Callers {
    /// How the API document says it.
    var access: Operation.Access {
        switch self {
        case .anyone: .anyone
        case .developer: .ownToken(Operation.Scheme("developerToken"))
        case .standings(let standings):
            .token(
                [Operation.Scheme("accessToken")]
                    + standings.filter(Standing.rolesOfServices.contains).map {
                        Operation.Scheme("serviceAccount", scopes: [$0.rawValue])
                    })
        }
    }

    /// The standings as a member of the API document's operation.
    var extensions: [(name: String, value: JSONValue)] {
        guard case .standings(let standings) = self else { return [] }
        return [("x-standings", .array(standings.map { .text($0.rawValue) }))]
    }
}

extension APIDescription {
    /// The security schemes that `Endpoint.Callers` names.
    package static let schemesOfCallers: JSONValue = [
        "accessToken": [
            "type": "http", "scheme": "bearer",
            "description": "An access token of POST /v1/sign-in or of `homeroom token create`.",
        ],
        "serviceAccount": [
            "type": "oauth2",
            "description": .text(
                "An access token that a service account gets for its client id and secret; the scope is "
                    + "its role."),
            "flows": [
                "clientCredentials": [
                    "tokenUrl": "/oauth/token",
                    "scopes": [
                        "provisioner": "Writes people, classes and rosters.",
                        "exporter": "Reads what the nightly export holds.",
                        "rosterReader":
                            "Reads the roster over OneRoster or Apple's Roster API, and uses the gradebook of classes that it is granted.",
                        "directoryWriter": "Writes people and classes over SCIM.",
                    ],
                ]
            ],
        ],
        "developerToken": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "An ES256 token signed with a developer team's key.",
        ],
    ]
}
