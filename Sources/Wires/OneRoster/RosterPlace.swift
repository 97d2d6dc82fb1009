import Postgres
import School

/// A place in the order of a collection: behind one of its objects.
///
/// It stays where it is however many objects before it come and go, and whether or not its own object is still there.
struct RosterPlace: Sendable, Equatable {
    let sourcedID: String
    /// As text, what the object is sorted by; `nil` where it has nothing, or the order is that of sourcedIds.
    var sortedBy: String?
}

/// A place that a client has read to.
struct ReadPlace: Sendable, Equatable {
    let place: RosterPlace
    /// How many objects the client counts before it.
    let offset: Int
    /// The revision of which all pages before it are; `nil` if they are of several, or of what has none.
    let revision: String?
}

/// What a page leaves for the next one.
struct PageEnd: Sendable {
    let place: RosterPlace
    /// The revision of which this page and all before it are; `nil` if they are of several, or of what has none.
    let revision: String?
}

/// What names a traversal, beside the account that makes it: the digest of path, filter and order.
struct TraversalName: Sendable {
    /// Of several traversals of one account, each has a token of its own, mostly.
    let token: String
    let request: [UInt8]
}

/// How far clients have read, for those that count: all of it is asked on the primary, in the name of the caller.
struct ReadPlaces: Sendable {
    let database: Database

    /// The place to which the caller has read, if it is at that offset.
    func place(
        at offset: Int, of name: TraversalName, _ caller: Caller
    ) async throws -> ReadPlace? {
        let rows = try await database.patientQuery(
            """
            select p.sourced_id, p.sorted_by, p.revision
              from school.read_place(\(name.token), \(name.request), \(offset)) as p
            """, as: caller.onPrimary)
        return try rows.first.map { row in
            ReadPlace(
                place: RosterPlace(
                    sourcedID: try row.text("sourced_id"),
                    sortedBy: try row.optionalText("sorted_by")),
                offset: offset, revision: try row.optionalText("revision"))
        }
    }

    func note(_ read: ReadPlace, of name: TraversalName, _ caller: Caller) async throws {
        _ = try await database.patientQuery(
            """
            select school.note_read_place(
                       \(name.token), \(name.request), \(read.offset), \(read.place.sourcedID), \(read.place.sortedBy),
                       \(read.revision))
            """, as: caller.onPrimary)
    }
}
