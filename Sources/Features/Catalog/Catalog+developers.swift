import API
import HTTPServer
import HTTPWire
import JSONBytes
import School
import Values

/// The development environment for developers. They use the token with which they publish, for an organization that
/// registered its key. Errors have the form of the Catalog API's.
extension Catalog {
    var developerEndpoints: [Endpoint] {
        let path = "/v1/developer/organizations/{organizationId}/development"
        return [
            developerCall(
                .get, "/v1/developer/organizations", "List organizations that registered your key",
                answers: [.json("The organizations.", DevelopmentShapes.organizations)],
                handler: listOrganizations),
            developerCall(
                .get, path, "Read the development environment of an organization",
                answers: [.json("The development environment.", DevelopmentShapes.environment)],
                handler: developing(readDevelopment)),
            developerCall(
                .put, path, "Turn the development environment on", answers: Catalog.turnedOn,
                handler: developing(turnOnDevelopment)),
            developerCall(
                .delete, path, "Turn the development environment off and remove all of it",
                answers: [.empty(204, "The development environment is off.")],
                handler: developing(turnOffDevelopment)),
            developerCall(
                .post, "\(path)/reset", "Clear handouts and work from the development environment",
                answers: [.empty(204, "It is as it was at the start.")],
                handler: developing(resetDevelopment)),
            developerCall(
                .post, "\(path)/tokens", "Get a token for a made-up teacher or student",
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
            problems: Catalog.refusals, refusal: CatalogError.translating
        ) { request in
            try await CatalogError.answering { try await handler(request) }
        }
    }

    private func listOrganizations(_ request: Request) async throws -> Response {
        let developer = try await developers.developer(request)
        return .json([
            "items": .array(
                developer.registrations(in: .production).map { registration in
                    [
                        "organizationId": .text(registration.organizationID.uuid.description),
                        "bundleIds": .array(
                            registration.bundleIDs.sorted().map(JSONValue.text)),
                    ]
                })
        ])
    }

    /// Runs an administrator's call on behalf of a developer. If the environment is off, the error has the Catalog
    /// API's form.
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

    /// The registration at the organization in the path.
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
