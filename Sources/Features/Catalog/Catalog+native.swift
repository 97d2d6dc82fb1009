import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

extension Catalog {
    var nativeEndpoints: [Endpoint] {
        let isForApps = [(status: 403, meaning: "Only apps have contexts of their own.")]
        return [
            Endpoint(
                .post, "/v1/me/contexts",
                "Save contexts of your app, replacing those that exist",
                for: [.app], body: .json(.object(NativeShapes.saved)),
                answers: [
                    .json(
                        """
                        Saved for every person alike: up to 5,000 contexts of the app, and 2,000 below \
                        one of them. What no handout assigns is forgotten 30 days after it was last saved.
                        """, NativeShapes.taken, status: 202)
                ], problems: isForApps, handler: saveNative),
            Endpoint(
                .get, "/v1/me/contexts",
                "Look up the contexts on a path, or list everything that changed",
                for: [.app],
                query: Endpoint.Parameter.page + [
                    .optional(
                        "path", .text(2...4000),
                        "A JSON array that begins below the app; [] is the app itself."),
                    .optional(
                        "children", .boolean, "true: the children of the last context instead."),
                    .optional(
                        "descendants", .boolean,
                        """
                        Everything that is published for your app or that it saved, in the order in which it \
                        changed: for a copy on the device. What handouts assign is found by its path only.
                        """),
                    .optional(
                        "updatedSince", .text(1...2000),
                        "Only with `descendants`: changes after the answer that gave you this text."
                    ),
                ],
                answers: [
                    .json(
                        """
                        The contexts: saved, published or assigned. With `descendants`, apply page after page: drop \
                        your copy if it starts over, then what is removed, and replace the rest by its path.
                        """, NativeShapes.foundPage
                    ).paged.negotiated
                ],
                problems: isForApps, handler: lookUpNative),
            Endpoint(
                .delete, "/v1/me/contexts",
                "Remove what your app saved at a path, and its descendants",
                description: """
                    Only what was saved for this person. Handouts that assign one of them keep it, with its last \
                    title.
                    """, for: [.app],
                query: [
                    .required(
                        "path", .text(2...4000),
                        "A JSON array that begins below the app, of at least one identifier.")
                ], answers: [.empty(204, "Removed.")], problems: isForApps,
                keys: .honoured, handler: removeNative),
        ]
    }

    /// Returns the same answer, byte for byte, whatever was stored.
    func saveNative(_ request: Request, caller: Caller) async throws -> Response {
        let contexts = try await request.body().objects("contexts") ?? []
        let document = try NativeContext.documents(contexts, of: caller.app ?? "")
        _ = try await database.longQuery(
            .saveNative(JSONDocument(document.bytes)), as: caller, alone: true)
        return .json(Array("{}".utf8), status: 202)
    }

    func lookUpNative(_ request: Request, caller: Caller) async throws -> Response {
        if request.queryBoolean("descendants") ?? false {
            return try await listChanges(request, caller: caller)
        }
        guard request.query("updatedSince") == nil else {
            throw Problem.invalidParameter("updatedSince", "It needs descendants=true.")
        }
        let path = try ContextPath.read(request)
        let page = try request.page()
        let isAskedForChildren = request.queryBoolean("children") ?? false
        let after = try ContextPath.position(page)
        let rows = try await database.query(
            isAskedForChildren
                ? .nativeChildren(
                    of: path, in: caller.organizationID, languages: request.languages,
                    after: after, limit: page.limitPlusOne)
                : .onPath(
                    path, in: caller.organizationID, languages: request.languages,
                    after: after?.path, limit: page.limitPlusOne),
            as: caller)
        return try page.response(rows, key: ContextPath.key, request: request)
            .varying(by: "Accept-Language")
    }

    func removeNative(_ request: Request, caller: Caller) async throws -> Response {
        let path = try ContextPath.read(request)
        guard !path.isEmpty else {
            throw Problem.invalidParameter("path", "The app's own context cannot be removed.")
        }
        _ = try await database.longQuery(.removeNative(path), as: caller, alone: true)
        return .noContent
    }
}
