import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The calls of one type of resource.
extension SCIM {
    func resourceEndpoints(_ type: ResourceType) -> [Endpoint] {
        readingEndpoints(type) + writingEndpoints(type)
    }

    private static func answer(_ meaning: String, status: Int = 200) -> Endpoint.Answer {
        .document(meaning, mediaType, .map(.anything), status: status).tagged
    }

    private static let absent = (status: 404, meaning: "The resource does not exist.")
    private static let taken = (
        status: 409, meaning: "Another resource has this name or id, or the class is full."
    )

    private func readingEndpoints(_ type: ResourceType) -> [Endpoint] {
        let (several, one) = (type.segment, type.rawValue.lowercased())
        return [
            endpoint(
                .get, several, "List \(several.lowercased()) (SCIM)", query: Search.parameters,
                answers: [Self.listed] + Refusal.answers(), cost: 2
            ) { request, asking in
                try await find(try Search(request), among: [type], asking)
            },
            endpoint(
                .post, "\(several)/.search", "Search \(several.lowercased()) (SCIM)",
                body: Self.document, answers: [Self.listed] + Refusal.answers(), cost: 2
            ) { request, asking in
                let search = try Search(try await request.json(maximumBytes: 1 << 20))
                return try await find(search, among: [type], asking)
            },
            endpoint(
                .get, "\(several)/{id}", "Read a \(one) (SCIM)",
                query: Search.projectionParameters,
                answers: [Self.answer("The \(one)."), .unchanged]
                    + Refusal.answers([Self.absent])
            ) { request, asking in
                let projection = try request.projection(of: type)
                let rows = try await database.query(
                    .resource(type, try request.resourceID(), projection), as: asking.caller)
                guard let row = rows.first else { throw Refusal.notFound }
                return try ScimResource(row, of: type, root: asking.root).response(projection)
            },
        ]
    }

    private func writingEndpoints(_ type: ResourceType) -> [Endpoint] {
        let (several, one) = (type.segment, type.rawValue.lowercased())
        func changing(
            _ method: HTTPMethod, _ summary: String,
            _ change:
                @escaping @Sendable (JSONObject, UUID, EntityTags?, Asking) async throws ->
                ScimResource
        ) -> Endpoint {
            endpoint(
                method, "\(several)/{id}", summary, query: Search.projectionParameters,
                body: Self.document,
                answers: [Self.answer("The \(one) as it is now.")]
                    + Refusal.answers([Self.absent, Self.taken])
            ) { request, asking in
                let projection = try request.projection(of: type)
                let id = try request.resourceID()
                let body = try await request.resource()
                return try await change(body, id, request.ifMatch, asking).response(projection)
            }
        }
        return [
            endpoint(
                .post, several, "Create a \(one) (SCIM)", query: Search.projectionParameters,
                body: Self.document,
                answers: [Self.answer("The new \(one).", status: 201).located]
                    + Refusal.answers([Self.taken])
            ) { request, asking in
                let projection = try request.projection(of: type)
                let body = try await request.resource()
                return try await create(type, body, asking).response(projection, status: 201)
            },
            changing(.put, "Replace a \(one) (SCIM)") { body, id, tags, asking in
                try await replace(type, id, body, tags, asking)
            },
            changing(.patch, "Change a \(one) (SCIM)") { body, id, tags, asking in
                try await patch(type, id, body, tags, asking)
            },
            endpoint(
                .delete, "\(several)/{id}", type.removal, description: type.afterRemoval,
                answers: [.empty(204, "Removed.")] + Refusal.answers([Self.absent])
            ) { request, asking in
                try await remove(type, try request.resourceID(), request.ifMatch, asking)
                return .noContent
            },
        ]
    }

    // MARK: What the calls do

    func create(
        _ type: ResourceType, _ body: JSONObject, _ asking: Asking
    ) async throws -> ScimResource {
        try await database.transaction(as: asking.caller) { session in
            switch type {
            case .user: try await Users(session: session, asking: asking).create(body)
            case .group: try await Groups(session: session, asking: asking).create(body)
            }
        }
    }

    func replace(
        _ type: ResourceType, _ id: UUID, _ body: JSONObject, _ tags: EntityTags?,
        _ asking: Asking
    ) async throws -> ScimResource {
        try await change(type, id, tags, asking, to: .whole(type.normalized(body)))
    }

    func patch(
        _ type: ResourceType, _ id: UUID, _ body: JSONObject, _ tags: EntityTags?,
        _ asking: Asking
    ) async throws -> ScimResource {
        let patch = try Patch(body, of: type, within: asking.patches)
        return try await change(type, id, tags, asking, to: .patched(patch))
    }

    private func change(
        _ type: ResourceType, _ id: UUID, _ tags: EntityTags?, _ asking: Asking,
        to wanted: WantedResource
    ) async throws -> ScimResource {
        try await database.transaction(as: asking.caller) { session in
            switch type {
            case .user:
                try await Users(session: session, asking: asking)
                    .change(id, unlessChanged: tags, to: wanted)
            case .group:
                try await Groups(session: session, asking: asking)
                    .change(id, unlessChanged: tags, to: wanted)
            }
        }
    }

    func remove(
        _ type: ResourceType, _ id: UUID, _ tags: EntityTags?, _ asking: Asking
    ) async throws {
        try await database.transaction(as: asking.caller) { session in
            switch type {
            case .user:
                try await Users(session: session, asking: asking).remove(id, unlessChanged: tags)
            case .group:
                try await Groups(session: session, asking: asking).remove(id, unlessChanged: tags)
            }
        }
    }
}

extension ResourceType {
    fileprivate var removal: String {
        switch self {
        case .user: "Deactivate a user and hide the user from SCIM"
        case .group: "Remove a class, or archive it if it has handouts (SCIM)"
        }
    }

    /// What becomes of the record.
    fileprivate var afterRemoval: String {
        switch self {
        case .user:
            "Nothing is erased: a new user with the same `userName` is the same person again, with seats and results."
        case .group: "Only classes: a group that is a location is refused."
        }
    }
}

extension Request {
    /// The id in the path; 404 for text that is not an id.
    fileprivate func resourceID() throws(Refusal) -> UUID {
        guard let id = UUID(path("id")) else { throw .notFound }
        return id
    }

    fileprivate var ifMatch: EntityTags? { EntityTags(http.headers, "if-match") }

    /// The body, which is an object.
    fileprivate func resource() async throws -> JSONObject {
        guard let object = try await json(maximumBytes: 1 << 20).object else {
            throw Refusal.syntax("The body should be an object.")
        }
        return object
    }
}
