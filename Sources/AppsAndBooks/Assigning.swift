import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Assigning licences, taking them back, and what became of it.
///
/// A request is done when it is answered: its event says so at the first reading.
extension AppsAndBooks {
    static let accepted = Endpoint.Answer.json(
        "The event that says what became of it.",
        .fields("ContentEventID", [.required("eventId", .uuid)] + ContentLibrary.fields))

    var assigningEndpoints: [Endpoint] {
        [
            endpoint(
                .post, "assets/associate", "Assign licences to users and devices",
                answer: Self.accepted, cost: 5
            ) { request, caller in
                let wanted = try await assignments(request)
                return try await event(caller) { session in
                    try await check(wanted, session, caller) { asset in
                        let isForDevices = try asset.bool("is_device_assignable")
                        return wanted.serialNumbers.isEmpty || isForDevices ? nil : .notForDevices
                    }
                    return .associate(wanted)
                }
            },
            endpoint(
                .post, "assets/disassociate", "Take licences back from users and devices",
                answer: Self.accepted, cost: 5
            ) { request, caller in
                let wanted = try await assignments(request)
                return try await event(caller) { session in
                    try await check(wanted, session, caller) { asset in
                        try asset.bool("is_revocable") ? nil : .notRevocable
                    }
                    return .disassociate(wanted)
                }
            },
            endpoint(
                .post, "assets/revoke", "Take back every licence of users and devices",
                answer: Self.accepted, cost: 5
            ) { request, caller in
                let wanted = try await assignments(request, hasAssets: false)
                return try await event(caller) { _ in .revoke(wanted) }
            },
            endpoint(
                .get, "status", "Read what became of a request",
                query: [.required("eventId", .text(1...100), "As the request was answered.")],
                answer: .json("The event.", Self.status), handler: readEvent),
        ]
    }

    private func assignments(
        _ request: Request, hasAssets: Bool = true
    ) async throws -> WantedAssignments {
        try WantedAssignments(
            try await request.json(maximumBytes: 1 << 20), hasAssets: hasAssets)
    }

    /// Refuses assets that the location does not have, and those that the request cannot be done with.
    ///
    /// - Parameter refusal: why an asset is refused; `nil` if it is not.
    private func check(
        _ wanted: WantedAssignments, _ session: Session, _ caller: Caller,
        refusal: @Sendable (Row) throws -> ContentError?
    ) async throws {
        let found = try await session.query(
            .assets(wanted.adamIDs, in: caller.organizationID))
        var known: Set<String> = []
        var refused: [ContentError: [String]] = [:]
        for asset in found {
            let id = try asset.text("adam_id")
            known.insert(id)
            if let number = try refusal(asset) { refused[number, default: []].append(id) }
        }
        let unknown = wanted.adamIDs.filter { !known.contains($0) }
        guard unknown.isEmpty else {
            throw ContentRefusal(
                .badArgument, "The location has no licences of this asset.",
                about: (.assets, unknown))
        }
        if let (number, ids) = refused.first {
            throw ContentRefusal(number, about: (.assets, ids.sorted()))
        }
    }

    // MARK: Events

    private func readEvent(_ request: Request, _ caller: Caller) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let library = try await library(session, caller)
            guard let id = UUID(request.query("eventId") ?? "") else {
                throw ContentRefusal(.unknownEvent)
            }
            let rows = try await session.query(
                .contentEvent(id, of: caller.organizationID))
            guard let row = rows.first else { throw ContentRefusal(.unknownEvent) }
            let failures = try Self.failures(try JSONValue(parsing: row.bytes("failures")))
            var answer = library.common
            answer["eventStatus"] = failures.isEmpty ? "COMPLETE" : "FAILED"
            answer["eventType"] = .text(try row.text("kind"))
            answer["numRequested"] = .number(JSONNumber(Int64(try row.int("requested_count"))))
            answer["numCompleted"] = .number(JSONNumber(Int64(try row.int("completed_count"))))
            answer["failures"] = .array(failures)
            return .json(.object(answer))
        }
    }

    /// Failures with the message of their number.
    private static func failures(_ stored: JSONValue) throws -> [JSONValue] {
        (stored.array ?? []).map { failure in
            let number = failure["errorNumber"]?.int64 ?? 0
            let error = ContentError(rawValue: Int(number)) ?? .internalError
            return [
                "errorNumber": .number(JSONNumber(number)), "errorMessage": .text(error.message),
                "errorInfo": failure["errorInfo"] ?? [:],
            ]
        }
    }

    private static let status = Shape.fields(
        "ContentEvent",
        [
            .required("eventStatus", .word(["PENDING", "COMPLETE", "FAILED"])),
            .required(
                "eventType",
                .word(["ASSOCIATE", "DISASSOCIATE", "REVOKE", "CREATE", "UPDATE", "RETIRE"])),
            .required(
                "numRequested", .integer(0...1_000_000), "Assets times users and devices, or users."
            ),
            .required("numCompleted", .integer(0...1_000_000)),
            .required(
                "failures",
                .array(
                    .fields(
                        "ContentFailure",
                        [
                            .required("errorNumber", .integer(9600...9999)),
                            .required("errorMessage", .text(1...400)),
                            .required("errorInfo", ContentRefusal.info),
                        ]), count: 0...100)),
        ] + ContentLibrary.fields)
}
