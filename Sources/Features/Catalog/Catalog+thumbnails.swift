import API
import Crypto
import HTTPServer
import HTTPWire
import Images
import JSONBytes
import Postgres
import School

extension Catalog {
    var thumbnailEndpoints: [Endpoint] {
        let key: [Endpoint.Parameter] = [
            Catalog.environmentParameter,
            .required("thumbnailId", .text(1...256), "The id by which contexts refer to it."),
        ]
        let waits = Endpoint.Answer.empty(
            202, "It is still to be read; Location has the status, without a scheme."
        ).located
        return [
            Endpoint(
                developer: .post, "/v1/thumbnails",
                "Upload a thumbnail for contexts that name its id",
                description: """
                    Publish a context that names the id first. The picture is read afterwards; `GET \
                    /v1/status/{statusId}` says how that went.
                    """, query: key,
                body: .stream(
                    ["image/png", "image/jpeg"], maximumBytes: ImageLimits.bytesMax),
                answers: [.empty(201, "The picture is too small, and is ignored."), waits]
                    + CatalogError.answers,
                problems: Catalog.refusals, refusal: CatalogError.translating,
                handler: receiveThumbnail),
            Endpoint(
                developer: .get, "/v1/thumbnails", "Find a thumbnail", query: key,
                answers: [
                    .bytes("At most 330 pixels on a side.", ["image/png", "image/jpeg"]), waits,
                ] + CatalogError.answers,
                problems: Catalog.refusals, refusal: CatalogError.translating,
                handler: readThumbnail),
            Endpoint(
                developer: .delete, "/v1/thumbnails", "Remove a thumbnail", query: key,
                answers: [.empty(204, "Removed.")] + CatalogError.answers,
                problems: Catalog.refusals, refusal: CatalogError.translating,
                handler: removeThumbnail),
            Endpoint(
                developer: .get, "/v1/status/{statusId}",
                "Find the state of an uploaded thumbnail",
                description: "Kept for a day.",
                answers: [.json("The state of the picture.", .object(CatalogShapes.status))]
                    + CatalogError.answers,
                problems: Catalog.refusals, refusal: CatalogError.translating, handler: readStatus),
        ]
    }

    /// Checks the header of the picture, stores it, and leaves the rest to the worker.
    func receiveThumbnail(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let developer = try await developers.developer(request)
            let type = request.http.headers["content-type"]
            let bytes = try await request.http.body.collect(upTo: ImageLimits.bytesMax)
            let header = try Thumbnail.header(of: bytes, sentAs: type)
            // A picture that is too small is ignored, as in native contexts.
            let kept = header.isLargeEnough ? bytes : nil
            let statusID = Thumbnail.newStatusID()
            try await accept(kept, statusID, request, from: developer)
            guard kept != nil else { return Response(201) }
            let (worker, target) = (worker, database.target)
            database.afterCommit { worker.wake(target: target) }
            return Response(202).located(at: Catalog.path(ofStatus: statusID, request))
        }
    }

    /// Keeps the picture wherever a context of the team refers to it.
    private func accept(
        _ bytes: [UInt8]?, _ statusID: String, _ request: Request, from developer: Developer
    ) async throws {
        let environment = Catalog.environment(request)
        let id = request.query("thumbnailId") ?? ""
        var isReferenced = false
        try await database.transaction(as: developer, environment) { session, _ in
            let rows = try await session.query(
                .accept(bytes, as: id, environment, statusID: statusID))
            switch try rows[0].text("outcome") {
            case "accepted": isReferenced = true
            case "busy":
                throw CatalogError.tooManyRequests(
                    "\(Thumbnail.waitingMax) images of the team wait to be read; send the rest later.",
                    retryAfterSeconds: 1)
            default: break
            }
        }
        guard isReferenced else { throw CatalogError.thumbnailNotReferenced(id) }
    }

    func readThumbnail(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let environment = Catalog.environment(request)
            let id = request.query("thumbnailId") ?? ""
            let developer = try await developers.developer(request)
            var waiting: String?
            for registration in developer.registrations(in: environment) {
                let rows = try await database.query(
                    .thumbnail(id, environment, of: registration.organizationID, developer.team),
                    as: developer.caller(in: registration, environment))
                guard let row = rows.first else { continue }
                if let type = try row.optionalText("media_type") {
                    return Response(
                        200,
                        headers: [
                            ResponseField("Content-Type", type),
                            ResponseField("Cache-Control", "private, no-cache"),
                        ], body: .bytes(try row.bytes("bytes")))
                }
                waiting = try row.text("status_id")
            }
            guard let waiting else { throw CatalogError.thumbnailNotFound(id) }
            return Response(202).located(at: Catalog.path(ofStatus: waiting, request))
        }
    }

    func removeThumbnail(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let environment = Catalog.environment(request)
            let id = request.query("thumbnailId") ?? ""
            let developer = try await developers.developer(request)
            var isFound = false
            try await database.transaction(as: developer, environment) { session, _ in
                let rows = try await session.query(.removeThumbnail(id, environment))
                let isFoundHere = try rows[0].bool("is_found")
                isFound = isFound || isFoundHere
            }
            guard isFound else { throw CatalogError.thumbnailNotFound(id) }
            return .noContent
        }
    }

    /// The status of an upload over all organizations it went to: pending until it is read, an error if it is one
    /// anywhere.
    func readStatus(_ request: Request) async throws -> Response {
        try await CatalogError.answering {
            let id = request.path("statusId")
            let developer = try await developers.developer(request)
            var states: [String: Row] = [:]
            for registration in developer.registrations {
                let rows = try await database.query(
                    .status(id, of: registration.organizationID, developer.team),
                    as: developer.caller(in: registration, .production))
                if let row = rows.first { states[try row.text("state")] = row }
            }
            guard !states.isEmpty else { throw CatalogError.statusNotFound(id) }
            let state = ["error", "pending", "complete"].first { states[$0] != nil } ?? "pending"
            var members: [(String, JSONValue)] = [
                ("statusId", .text(id)), ("teamId", .text(developer.team)), ("state", .text(state)),
            ]
            if state != "pending" {
                members.append(("statusCode", state == "error" ? "400" : "201"))
            }
            if state == "error", let row = states["error"] {
                let error: JSONValue = [
                    "id": .text(id), "code": .text(try row.text("error_code")),
                    "message": .text(try row.text("error_message")),
                ]
                members.append(("error", error))
            }
            members.append(("location", .text(Catalog.path(ofStatus: id, request))))
            return .json(.object(JSONObject(members)))
        }
    }

    /// The status URL without a scheme, as in Apple's samples.
    private static func path(ofStatus id: String, _ request: Request) -> String {
        "\(request.http.headers["host"] ?? "")/v1/status/\(id)"
    }
}

/// The limits of pictures.
enum Thumbnail {
    /// The longest side of a picture as shown, in pixels.
    static let side = 330
    /// A picture whose shorter side is less than this is ignored, in pixels.
    static let sideMin = 80
    /// How many pictures of a team may wait to be read.
    static let waitingMax = 100

    /// Reads the picture's header; refuses what can never become a thumbnail.
    static func header(of bytes: [UInt8], sentAs type: String?) throws -> ImageHeader {
        guard let header = ImageHeader(bytes) else {
            throw CatalogError.invalidThumbnail("\(ImageError.unknownFormat)")
        }
        guard type?.isMediaType(header.format.rawValue) ?? true else {
            throw CatalogError.invalidThumbnail(
                "The image is \(header.format.rawValue), and Content-Type says something else.")
        }
        guard header.width > 0, header.height > 0 else {
            throw CatalogError.invalidThumbnail("\(ImageError.broken)")
        }
        guard max(header.width, header.height) <= ImageLimits.sideMax else {
            throw CatalogError.invalidThumbnail("\(ImageError.tooLarge)")
        }
        return header
    }

    /// Twenty-six letters and digits that cannot be guessed.
    static func newStatusID() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var generator = SecureGenerator()
        return String((0..<26).compactMap { _ in alphabet.randomElement(using: &generator) })
    }
}

extension ImageHeader {
    var isLargeEnough: Bool { min(width, height) >= Thumbnail.sideMin }
}

extension CatalogError {
    static func invalidThumbnail(_ message: String) -> CatalogError {
        CatalogError(status: 400, code: "INVALID_THUMBNAIL", message: message)
    }

    static func thumbnailNotReferenced(_ id: String) -> CatalogError {
        CatalogError(
            status: 400, code: "THUMBNAIL_NOT_REFERENCED",
            message: "No context refers to thumbnailId '\(id)'; post a context with that id first.")
    }

    static func thumbnailNotFound(_ id: String) -> CatalogError {
        CatalogError(
            status: 400, code: "THUMBNAIL_NOT_FOUND", message: "There is no image '\(id)'.")
    }

    static func statusNotFound(_ id: String) -> CatalogError {
        CatalogError(
            status: 400, code: "STATUS_NOT_FOUND",
            message: "There is no status '\(id)', or it is older than a day.")
    }
}
