import API
import HTTPServer
import HTTPWire
import Images
import JSONBytes
import Log
import School

/// What apps offer: developer teams, the contexts they publish, and the catalog that teachers browse.
package struct Catalog: Feature {
    package let meaning = "What apps offer to assign: developer teams, contexts, thumbnails."
    let database: Database
    let developers: DeveloperAuthenticator
    let worker: QueueWorker

    package init(database: Database, log: Log? = nil) {
        self.database = database
        developers = DeveloperAuthenticator(database: database)
        let images = ImageProcess(path: ImageProcess.homeroom, arguments: ["read-image"])
        // Ten minutes, in case the database is unreachable or the reader was stopped.
        let patience = QueueWorker.Patience(seconds: 1, retries: 600, logsEach: false)
        worker = QueueWorker(trouble: "thumbnails not read", patience, log: log) {
            target, isStopped in
            let queue = try ThumbnailQueue(target: target, images: images)
            try QueueWorker.drain(queue.look, until: isStopped)
        }
    }

    /// Resumes the pictures that were left behind when the last process ended.
    package func start() {
        worker.wake(target: database.target)
    }

    package func stop() { worker.stop() }

    package var endpoints: [Endpoint] {
        teamEndpoints + publishingEndpoints + thumbnailEndpoints + browsingEndpoints
            + nativeEndpoints + nativeThumbnailEndpoints + developmentEndpoints + developerEndpoints
    }

    package var constraints: [String: Problem] {
        [
            "developer_team_pkey": Problem(
                409, "team_exists", "This team is registered already.",
                detail: "Change it with PUT /v1/developer-teams/{teamId}."),
            "developer_bundle_has_one_team": Problem(
                409, "bundle_id_taken", "A bundle id belongs to one team only.",
                detail: "Another registered team publishes one of these bundle ids."),
            "developer_key_pkey": .invalid(
                "/keys", "duplicate_key", "A keyId is listed more than once."),
            "developer_bundle_pkey": .invalid(
                "/bundleIds", "duplicate_bundle_id", "A bundle id is listed more than once."),
            "developer_bundle_is_no_tool": .nameOfTool("/bundleIds"),
            "context_is_no_tools": .nameOfTool(""),
        ]
    }

    static let environmentParameter = Endpoint.Parameter.required(
        "environment", .word(Environment.allCases.map(\.rawValue)), "The environment.")

    static let refusals = [
        (status: 400, meaning: "The call is wrong: {id, code, message}."),
        (status: 403, meaning: "The token is wrong: {id, code, message}."),
    ]

    private var publishingEndpoints: [Endpoint] {
        let environment = Catalog.environmentParameter
        let key: [Endpoint.Parameter] = [
            environment,
            .required("identifierPath", .text(1...4000), "A JSON array; the bundle id first."),
            .required("locale", .text(1...35), "Such as en-us."),
        ]
        return [
            Endpoint(
                developer: .post, "/v1/contexts", "Publish up to 200 contexts, all or none",
                description: """
                    Replaces contexts that exist. The parent of a context must be published, or be in the same \
                    call.
                    """,
                query: [environment], body: .json(.object(CatalogShapes.contexts)),
                answers: [.empty(201, "They are published.")] + CatalogError.answers,
                problems: Catalog.refusals, refusal: CatalogError.translating,
                handler: publish),
            Endpoint(
                developer: .get, "/v1/contexts", "Find a published context", query: key,
                answers: [.json("The context.", .object(CatalogShapes.publishedContexts))]
                    + CatalogError.answers, problems: Catalog.refusals,
                refusal: CatalogError.translating,
                handler: readContext),
            Endpoint(
                developer: .delete, "/v1/contexts", "Remove a context and its descendants",
                description:
                    "Only in this locale. Handouts that assign one of them keep it, with its last title.",
                query: key, answers: [.empty(204, "They are removed.")] + CatalogError.answers,
                problems: Catalog.refusals, refusal: CatalogError.translating,
                handler: withdraw),
        ]
    }
}
