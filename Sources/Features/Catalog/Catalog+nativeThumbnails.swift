import API
import Crypto
import HTTPServer
import HTTPWire
import Images
import Postgres
import School

/// Pictures that an app gives to the contexts it saved; read by the same worker as those of the catalog.
extension Catalog {
    var nativeThumbnailEndpoints: [Endpoint] {
        let path = Endpoint.Parameter.required(
            "path", .text(2...4000),
            "A JSON array that begins below the app; [] is the app itself.")
        let types = ["image/png", "image/jpeg"]
        return [
            Endpoint(
                .put, "/v1/me/contexts/thumbnail",
                "Upload a thumbnail for a context that your app saved",
                for: [.app], query: [path],
                body: .stream(types, maximumBytes: ImageLimits.bytesMax),
                answers: [
                    .json(
                        "The picture will be read soon. If a side has less than 80 pixels, it is ignored.",
                        NativeShapes.takenThumbnail, status: 202)
                ],
                problems: [
                    (403, "Only apps have contexts of their own."),
                    (404, "Your app has not saved a context at this path."),
                    (
                        409,
                        "\(NativeThumbnail.countMax) contexts of the app have one already (`too_many_thumbnails`)."
                    ),
                    (413, "The picture has more than 8 MiB."),
                    (422, "The picture is not a PNG or JPEG image (`invalid_thumbnail`)."),
                    (429, "\(NativeThumbnail.waitingMax) pictures of the person wait to be read."),
                ], keys: .honoured, cost: 5, receive: receiveNativeThumbnail),
            Endpoint(
                .get, "/v1/me/contexts/thumbnail",
                "Find the thumbnail of a context that your app saved or can see",
                for: [.app], query: [path],
                answers: [
                    .bytes("At most 330 pixels on a side.", types).tagged.negotiated,
                    .unchanged.negotiated,
                ],
                problems: [(404, "No thumbnail exists, or it has not been read yet.")],
                handler: showNativeThumbnail),
            Endpoint(
                .delete, "/v1/me/contexts/thumbnail",
                "Remove the thumbnail of a context that your app saved",
                for: [.app], query: [path], answers: [.empty(204, "The context has no thumbnail.")],
                keys: .honoured, handler: removeNativeThumbnail),
        ]
    }

    func receiveNativeThumbnail(_ request: Request) async throws -> Endpoint.Received {
        let path = try ContextPath.read(request)
        let type = request.http.headers["content-type"]
        let bytes = try await request.http.body.collect(upTo: ImageLimits.bytesMax)
        let isLargeEnough: Bool
        do {
            isLargeEnough = try Thumbnail.header(of: bytes, sentAs: type).isLargeEnough
        } catch let error as CatalogError {
            throw Problem.invalidThumbnail(error.message)
        }
        return Endpoint.Received(digest: SHA256.digest(bytes)) { caller in
            try await take(isLargeEnough ? bytes : nil, at: path, caller)
        }
    }

    /// - Parameter bytes: `nil` for a picture that is too small.
    private func take(_ bytes: [UInt8]?, at path: [String], _ caller: Caller) async throws
        -> Response
    {
        let rows = try await database.longQuery(
            .acceptNative(bytes, at: path), as: caller, alone: true)
        switch try rows[0].text("outcome") {
        case "unknown": throw Problem.notFound
        case "full": throw Problem.tooManyThumbnails
        case "busy": throw Problem.tooManyThumbnailsWaiting
        default: break
        }
        let (worker, target) = (worker, database.target)
        if bytes != nil { database.afterCommit { worker.wake(target: target) } }
        return .json(Array("{}".utf8), status: 202)
    }

    func showNativeThumbnail(_ request: Request, caller: Caller) async throws -> Response {
        let found = Statement.contextForApp(
            try ContextPath.read(request), languages: request.languages)
        let rows = try await database.query(
            .picture(of: found, in: caller.organizationID), as: caller)
        guard let row = rows.first else { throw Problem.notFound }
        return try .picture(row).varying(by: "Accept-Language")
    }

    func removeNativeThumbnail(_ request: Request, caller: Caller) async throws -> Response {
        _ = try await database.longQuery(
            .removeNativeThumbnail(at: try ContextPath.read(request)), as: caller, alone: true)
        return .noContent
    }
}

/// The limits of pictures that apps send for a person.
enum NativeThumbnail {
    /// How many contexts of an app may have one.
    static let countMax = 500
    /// How many pictures of a person may wait to be read.
    static let waitingMax = 20
}

extension Problem {
    fileprivate static func invalidThumbnail(_ detail: String) -> Problem {
        Problem(422, "invalid_thumbnail", "This cannot become a thumbnail.", detail: detail)
    }

    fileprivate static let tooManyThumbnails = Problem(
        409, "too_many_thumbnails", "Too many contexts of the app have a thumbnail.",
        detail: "At most \(NativeThumbnail.countMax) can have one; remove others first.")

    fileprivate static let tooManyThumbnailsWaiting = Problem(
        429, "too_many_thumbnails_waiting", "Too many thumbnails wait to be read.",
        detail: "Send the rest after the time in Retry-After.",
        headers: [ResponseField("Retry-After", "1")])
}
