import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The gradebook: what other systems of the school grade, and what the tasks of handouts came to.
///
/// Who may use which class's gradebook is decided in `SQL/policies/gradebook.sql`.
extension OneRoster {
    func gradebookEndpoints(_ edition: Edition) -> [Endpoint] {
        let collections = RosterCollection.gradebook(in: edition)
        return readingEndpoints(collections, NestedCollection.gradebook, edition)
            + GradebookKind.all(in: edition).flatMap { [put($0, edition), delete($0, edition)] }
            + (edition == .v1p2 ? GradebookPosting.all.map(post) : [])
    }

    private func put(_ kind: GradebookKind, _ edition: Edition) -> Endpoint {
        Endpoint(
            .put, "\(edition.path(of: .gradebook))/\(kind.collection)/{sourcedId}",
            "Create or replace one of \(kind.collection) (\(edition.name))", for: [.rosterReader],
            body: .json(
                .fields("\(kind.bodyName)Body", [.required(kind.key, kind.shape)])),
            answers: [.empty(201, "Stored: created or replaced.")] + StatusInfo.answersToWrites,
            scopes: [edition.right("gradebook.createput")], needsScope: true
        ) { request, caller in
            try await StatusInfo.answering {
                let sourcedID = request.path("sourcedId")
                let object = try await request.body().fields(kind.key)!
                if let own = object.text("sourcedId"), own != sourcedID {
                    throw StatusInfo.unfit("\(kind.key)/sourcedId", "This differs from the path.")
                }
                try await store([object.object], kind, sourcedID, kind.key, caller)
                return Response(201)
            }
        }
    }

    private func delete(_ kind: GradebookKind, _ edition: Edition) -> Endpoint {
        Endpoint(
            .delete, "\(edition.path(of: .gradebook))/\(kind.collection)/{sourcedId}",
            "Remove one of \(kind.collection) (\(edition.name))", for: [.rosterReader],
            answers: [.empty(204, "Removed.")] + StatusInfo.answersToWrites,
            scopes: [edition.right("gradebook.delete")], needsScope: true
        ) { request, caller in
            try await StatusInfo.answering {
                let sourcedID = try Self.sourcedID(request)
                let rows = try await database.transaction(as: caller) {
                    try await $0.query(kind.remove(sourcedID))
                }
                switch try rows[0].text("outcome") {
                case "removed": return .noContent
                case "foreign": throw StatusInfo.foreign
                default: throw StatusInfo.unknownObject
                }
            }
        }
    }

    private func post(_ posting: GradebookPosting) -> Endpoint {
        let kind = posting.kind
        return Endpoint(
            .post, "\(Edition.v1p2.path(of: .gradebook))/\(posting.path)",
            "Create \(posting.meaning) (\(Edition.v1p2.name))", for: [.rosterReader],
            body: .json(
                .fields(
                    "\(kind.bodyName)ListBody",
                    [.required(kind.collection, .array(kind.shape, count: 1...1000))])),
            answers: [
                .json("The sourcedIds that they got.", GradebookPosting.pairs, status: 201)
            ] + StatusInfo.answersToWrites,
            cost: 5, scopes: [Edition.v1p2.right("gradebook.createpost")], needsScope: true
        ) { request, caller in
            try await StatusInfo.answering {
                let ids = posting.parameters.map(request.path)
                let objects = try await request.body().objects(kind.collection)!.map {
                    posting.completed($0.object, ids)
                }
                guard try await exists(posting.parents(ids), caller) else {
                    throw StatusInfo.unknownObject
                }
                let made = try await store(objects, kind, nil, kind.collection, caller)
                return .json(GradebookPosting.pairs(objects, made), status: 201)
            }
        }
    }

    /// Stores all of the objects or none, and returns the ids for new ones.
    ///
    /// - Parameters:
    ///   - sourcedID: as the caller names the one object; `nil` if each gets our id.
    ///   - pointer: where the object is in the body, or the list of them.
    @discardableResult
    private func store(
        _ objects: [JSONObject], _ kind: GradebookKind, _ sourcedID: String?, _ pointer: String,
        _ caller: Caller
    ) async throws -> [UUID] {
        if let sourcedID { try Self.check(sourcedID) }
        let ids = objects.map { _ in UUID.v7() }
        do {
            try await database.transaction(as: caller) { session in
                for (place, object) in objects.enumerated() {
                    let stored = kind.put(object, as: sourcedID, id: ids[place])
                    let outcome = try await session.query(stored)[0].text("outcome")
                    let path = sourcedID == nil ? "\(pointer)/\(place)" : pointer
                    switch outcome {
                    case "stored": continue
                    case "foreign": throw StatusInfo.foreign
                    default: throw StatusInfo.unknown("\(path)/\(outcome)")
                    }
                }
            }
        } catch let error as PostgresError where error.sqlState?.hasPrefix("22") == true {
            throw StatusInfo.unfit(pointer, "A number or a character in it cannot be stored.")
        }
        return ids
    }

    private static func sourcedID(_ request: Request) throws(StatusInfo) -> String {
        let sourcedID = request.path("sourcedId")
        try check(sourcedID)
        return sourcedID
    }

    private static func check(_ sourcedID: String) throws(StatusInfo) {
        guard (1...255).contains(sourcedID.unicodeScalars.count),
            sourcedID.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw .unfit("sourcedId", "This should be 1 to 255 printable characters.") }
    }
}

extension GradebookKind {
    fileprivate var bodyName: String {
        "OneRosterNew\(key.prefix(1).uppercased())\(key.dropFirst())"
    }
}

extension StatusInfo {
    static let foreign = StatusInfo(
        status: 403, minor: .forbidden,
        "A handout, Homeroom or another system wrote this, so you cannot change it.")

    /// - Parameter pointer: where in the body.
    static func unknown(_ pointer: String) -> StatusInfo {
        unfit(pointer, "This refers to something that does not exist or that you may not use.")
    }

    static func unfit(_ pointer: String, _ why: String) -> StatusInfo {
        StatusInfo(status: 422, minor: .invalidData, "\(pointer): \(why)")
    }
}
