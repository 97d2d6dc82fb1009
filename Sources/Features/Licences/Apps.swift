import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

enum AppEntity: ResourceEntity {
    typealias Key = TextKey
    static let table: Statement = "app"
    static let key: Statement = "adam_id"
}

extension Licences {
    static let adamID = Shape.text(1...20)
    private static let productType = Column<String>("product_type", .word(["App", "Book"]))
    private static let bundleID = Column<String?>(
        "bundle_id", .line(255), "Required, except for a book.")
    private static let isDeviceAssignable = Column<Bool?>(
        "is_device_assignable", as: "device_assignable", nil,
        "Whether devices can hold licences; true for an app when absent, always false for a book."
    ).withDefault
    private static let isRevocable = Column<Bool?>(
        "is_revocable", as: "revocable", nil,
        "Whether licences can be given back; true for an app when absent, always false for a book."
    ).withDefault
    private static let platforms = Column<[String]?>(
        "platforms", .array(.word(["iOS", "macOS", "tvOS", "visionOS", "watchOS"]), count: 0...5)
    ).withDefault

    /// Apps and books. Their key is the store's, so a `PUT` may also create one.
    static let apps = Resource<AppEntity>(
        .init("app", "apps", at: "/v1/apps"),
        key: ClientKey(
            .required("adamId", adamID, "The id in the store, in digits."),
            repeated: .optional("adamId", adamID, "The same as in the path.")),
        columns: [
            Column<String>("name", .line()), productType, bundleID, isDeviceAssignable,
            isRevocable, platforms,
        ],
        computed: [
            Computed(
                "contexts.works as works_with_schoolwork",
                .required(
                    "worksWithSchoolwork", .boolean,
                    "Whether it has contexts to assign: published ones, your own, or some that a handout assigns."
                )),
            Computed("seats.total as total_count", LicenceShapes.totalCount),
            Computed("seats.assigned as assigned_count", LicenceShapes.assignedCount),
            Computed(
                "seats.total - seats.assigned as available_count", LicenceShapes.availableCount),
            Computed(
                """
                coalesce(((select jsonb_object_agg(w.adam_id, w.student_count)
                             from school.waiting_students(null) as w where w.location_id is null)
                          ->> app.adam_id)::integer, 0) as waiting_count
                """,
                LicenceShapes.waitingCount, isListedOnly: true),
        ],
        // The row's version counts its changes and those of its pools; the last bit says whether it has contexts.
        version: "app.version * 2 + contexts.works::integer",
        joins: seatsAndContexts,
        // The counts of its pools wait for this lock, and nothing else does.
        lockedFor: "no key update", isListLong: true,
        filters: appFilters,
        rules: Rules {
            $0.validate = checkID
            $0.check = { app, _, _ in try complete(&app) }
        },
        without: [.remove])

    var appEndpoints: [Endpoint] {
        let devices = (
            status: 409, meaning: "Devices hold licences, which the change would not allow."
        )
        return Self.apps.endpoints(
            database, readers: Self.standings, writers: Self.standings,
            ResourceTexts(
                summaries: [
                    .list: "List the apps and books", .create: "Create an app or a book",
                    .find: "Find an app and its seat counts", .replace: "Create or replace an app",
                ],
                answers: [.list: "In the order of their adamIds."],
                creating: [(409, "It exists already.")], changing: [devices])) + [
                Endpoint(
                    .delete, "/v1/apps/{adamId}", "Remove an app that has no assigned licences",
                    description: "Its pools are removed with it.",
                    for: Self.standings, answers: [.empty(204, "Removed.")],
                    problems: [
                        (409, "Licences of this app are assigned."), Resource<AppEntity>.changed,
                    ],
                    handler: removeApp)
            ]
    }

    /// Removes the app with its pools; the database refuses that while someone holds a licence.
    func removeApp(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = TextKey(text: request.path("adamId"))
        try await database.transaction(as: caller) { session in
            // Pools before their app: granting licences locks them in this order, too. No rule of a resource runs
            // before the lock of its row.
            try await session.query(.lockPools(of: id.text, in: caller.organizationID))
            let found = try await session.query(Self.apps.lock(.id(id), of: caller.organizationID))
            guard let row = found.first else { throw Problem.notFound }
            try request.checkMatch(version: try row.int("version"))
            let now = try await session.query(Self.apps.find(.id(id), of: caller.organizationID))
            let assigned = try now[0].int("assigned_count")
            guard assigned == 0 else { throw Problem.licencesAssigned(assigned) }
            _ = try await session.query([
                Self.apps.delete(id, of: caller.organizationID),
                .audit("poolChange", details: ["adamId": .text(id.text), "change": "appRemoved"]),
            ])
        }
        return .noContent
    }
}

// MARK: Rules

extension Licences {
    /// Refuses what is not an id of the store, and a body that names another app than the path.
    @Sendable private static func checkID(of app: Draft<AppEntity>) throws {
        let id = app.id.text
        guard (1...20).contains(id.utf8.count), id.utf8.allSatisfy(isDigit) else {
            throw Problem.invalid(
                "/adamId", "malformed", "An id in the store has 1 to 20 digits.")
        }
        if let sent = app.body.text("adamId"), sent != id {
            throw Problem.invalid("/adamId", "contradicts_path", "The path names another adamId.")
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Gives values to fields that the body leaves out. Books stay with their readers (Apple's App and Book
    /// Management API).
    private static func complete(_ app: inout Draft<AppEntity>) throws {
        let isBook = app[productType] == "Book"
        app[isDeviceAssignable] = app[isDeviceAssignable] ?? !isBook
        app[isRevocable] = app[isRevocable] ?? !isBook
        // In alphabetical order, each once.
        app[platforms] = Set(app[platforms] ?? []).sorted()
        if isBook, app[isDeviceAssignable] == true {
            throw Problem.invalid(
                "/deviceAssignable", "not_for_books", "Devices cannot hold books.")
        }
        if isBook, app[isRevocable] == true {
            throw Problem.invalid(
                "/revocable", "not_for_books", "Books cannot be returned.")
        }
        if !isBook, app[bundleID] == nil {
            throw Problem.invalid("/bundleId", "missing", "An app needs a bundleId.")
        }
        if app[bundleID]?.isNameOfTool == true { throw Problem.nameOfTool("/bundleId") }
    }
}

// MARK: Lists and joins

extension Licences {
    private static let appFilters: [Filter<AppEntity>] = [
        .equals(productType, "Only apps, or only books."),
        .equals(isDeviceAssignable, "Only what devices can hold (true) or cannot (false)."),
        .equals(isRevocable, "Only what can be given back (true) or cannot (false)."),
        Filter(
            .optional(
                "worksWithSchoolwork", .boolean,
                "Only what has contexts to assign (true) or has none (false).")
        ) { request, _ in
            request.queryBoolean("worksWithSchoolwork").map { "and contexts.works = \($0)" }
        },
        .equals(bundleID, "Only the app with this bundle id."),
        Filter(
            .optional(
                "locationId", .reference, "Only apps and books that this location has a pool of.")
        ) {
            request, organization in
            let location: Reference<LocationEntity>? = request.queryReference("locationId")
            return location.map {
                """
                and exists (select from school.pool as p
                             where p.organization_id = app.organization_id and p.adam_id = app.adam_id
                               and p.location_id = \(fragment: $0.value(in: organization)))
                """
            }
        },
        .updatedSince,
    ]

    /// The sums of the app's pools, and whether it has contexts: if its catalog has any in the caller's environment,
    /// if the app saved some for the caller, or if a handout assigns some that it saved.
    private static let seatsAndContexts: Statement = """
        cross join lateral (
               select coalesce(sum(p.total_count), 0)::bigint as total,
                      coalesce(sum(p.assigned_count), 0)::bigint as assigned
                 from school.pool as p
                where p.organization_id = app.organization_id and p.adam_id = app.adam_id) as seats
         cross join lateral (
               select exists (select from school.context as c
                               where c.organization_id = app.organization_id
                                 and c.bundle_id = app.bundle_id
                                 and c.environment = (select school.my_environment())
                                 and c.kind = 'catalog' and c.deleted_at is null)
                   or exists (select from school.context as c
                               where c.organization_id = app.organization_id
                                 and c.bundle_id = app.bundle_id
                                 and c.environment = (select school.my_environment())
                                 and c.kind = 'native' and c.person_id = (select school.my_person())
                                 and c.deleted_at is null)
                   -- Many books have none.
                   or coalesce(app.bundle_id = any ((select school.assigned_native_apps())::text[]), false)
                   as works) as contexts
        """
}
