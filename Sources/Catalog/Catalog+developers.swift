import HTTPServer
import HTTPWire
import JSONBytes
import School
import Values

/// The development environment as developers reach it: with the token by which they publish, for an organization
/// that registered its key. Errors are told as the Catalog API does.
extension Catalog {
    var developerEndpoints: [Endpoint] {
        let path = "/v1/developer/organizations/{organizationId}/development"
        return [
            developerCall(
                .get, "/v1/developer/organizations", "List organizations that registered your key",
                answers: [.json("They.", DevelopmentShapes.organizations)],
                handler: listOrganizations),
            developerCall(
                .get, path, "Read the development environment of an organization",
                answers: [.json("It.", DevelopmentShapes.environment)],
                handler: developing(readDevelopment)),
            developerCall(
                .put, path, "Turn the development environment on", answers: Catalog.turnedOn,
                handler: developing(turnOnDevelopment)),
            developerCall(
                .delete, path, "Turn the development environment off and remove all of it",
                answers: [.empty(204, "It is off.")], handler: developing(turnOffDevelopment)),
            developerCall(
                .post, "\(path)/reset", "Clear handouts and work from the development environment",
                answers: [.empty(204, "It is as it was at the start.")],
                handler: developing(resetDevelopment)),
            developerCall(
                .post, "\(path)/tokens", "Get a token of a made-up teacher or student",
                body: .json(DevelopmentShapes.newToken),
                answers: [.json("The token. It is shown once.", DevelopmentShapes.token)],
                handler: developing(createDevelopmentToken)),
        ]
    }

    private func developerCall(
        _ method: HTTPMethod, _ path: String, _ summary: String, body: Endpoint.Body = .none,
        answers: [Endpoint.Answer], handler: @escaping Endpoint.OpenHandler
    ) -> Endpoint {
        Endpoint(
            developer: method, path, summary, body: body, answers: answers + CatalogError.answers,
            problems: Catalog.refusals, refusal: CatalogError.retelling
        ) { request in
            try await CatalogError.answering { try await handler(request) }
        }
    }

    private func listOrganizations(_ request: Request) async throws -> Response {
        let developer = try await developers.developer(request)
        return .json([
            "organizations": .array(
                developer.registrations(in: .production).map { registration in
                    [
                        "organizationId": .text(registration.organizationID.uuid.description),
                        "bundleIds": .array(
                            registration.bundleIDs.sorted().map(JSONValue.text)),
                    ]
                })
        ])
    }

    /// A call of an administrator, made by a developer. What is off is told in the words of the Catalog API.
    private func developing(
        _ handler: @escaping @Sendable (Request, Caller) async throws -> Response
    ) -> Endpoint.OpenHandler {
        { request in
            let developer = try await developers.developer(request)
            let registration = try Catalog.registration(of: developer, request)
            let caller = developer.caller(in: registration, .development)
            do {
                return try await handler(request, caller)
            } catch let problem as Problem where problem.status == 404 {
                throw CatalogError.developmentIsOff
            }
        }
    }

    /// What the organization of the path registered.
    private static func registration(
        of developer: Developer, _ request: Request
    ) throws -> Developer.Registration {
        let id = UUID(request.path("organizationId"))
        let registrations = developer.registrations(in: .production)
        guard let found = registrations.first(where: { $0.organizationID.uuid == id }) else {
            throw CatalogError.notAuthorized("The key is not registered by this organization.")
        }
        return found
    }
}
