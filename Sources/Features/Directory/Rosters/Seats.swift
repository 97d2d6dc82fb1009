import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// From when until when a person is to learn or teach in a class, as sent.
struct NewSeat {
    let role: SeatRole
    let joinedOn: Day?
    /// The first day on which the person is no longer there.
    let leftOn: Day?

    /// - Throws: 422 if the days are in the wrong order.
    init(_ body: Fields, _ role: SeatRole) throws {
        self.role = role
        joinedOn = body.day("joinedOn")
        leftOn = body.day("leftOn")
        if let joinedOn, let leftOn, leftOn <= joinedOn {
            throw Problem.invalid([SeatRefusal.leavesFirst])
        }
    }

    /// The row that `putSeats` reads; keys are column names.
    func row(of person: PersonID?, in id: ClassID?) -> JSONValue {
        [
            "class_id": .text(orNull: id?.uuid.description),
            "person_id": .text(orNull: person?.uuid.description), "role": .text(role.rawValue),
            "joined_on": .text(orNull: joinedOn?.description),
            "left_on": .text(orNull: leftOn?.description),
        ]
    }
}

/// Why a seat cannot be set as requested: the other outcomes of `putSeats`.
enum SeatRefusal {
    static let leavesFirst = Problem.Invalid(
        pointer: "/leftOn", code: "leaves_first",
        detail: "leftOn is the first day after the person was there, so it must be after joinedOn.")

    static let all: [String: Problem.Invalid] = [
        "archived": Problem.Invalid(
            pointer: "/classId", code: "class_archived", detail: Problem.classArchived.title),
        "imported": Problem.Invalid(
            pointer: "/classId", code: "class_imported", detail: Problem.classImported.detail ?? ""),
        "leaves_first": leavesFirst,
        "begun": Problem.Invalid(
            pointer: "/joinedOn", code: "already_joined",
            detail: "The person is already in the class. End that before you begin it later."),
        "overlaps": Problem.Invalid(
            pointer: "/joinedOn", code: "overlaps_stay",
            detail: "The person was already in the class at that time, and left."),
        "full": Problem.Invalid(
            pointer: "/classId", code: "class_full", detail: Problem.classFull.title),
    ]
}

extension Directory {
    var seatEndpoint: Endpoint {
        Endpoint(
            .get, "/v1/classes/{id}/seats",
            "List who was in a class, and from when to when",
            for: Self.readersAndTeachers,
            query: [
                .optional(
                    "role", .word(SeatRole.allCases.map(\.rawValue)), "Only stays in this role."),
                .optional("personId", .reference, "Only stays of this person."),
                DirectoryShapes.dayParameter,
            ] + Endpoint.Parameter.page,
            answers: [
                .page(
                    "Stays in the order in which they began; those that begin later come last.",
                    of: DirectoryShapes.seat)
            ],
            reads: .replica, handler: listSeats)
    }

    func listSeats(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<ClassEntity> = try request.reference("id")
        let page = try request.page()
        let after = try SeatPosition(page)
        let organization = caller.organizationID
        return try await database.read(as: caller) { session in
            let found = try await session.query(.classVersion(reference, of: organization))
            guard found.count > 0 else { throw Problem.notFound }
            let rows = try await session.query(
                page.of(
                    .seats(
                        in: ClassID(try found[0].uuid("id")), SeatFilter(request),
                        of: organization, after: after, limit: page.limitPlusOne)))
            return try page.response(
                rows,
                key: {
                    [
                        try $0.timestamp("joined_at").description,
                        try $0.uuid("person_id").description, try $0.text("role"),
                    ]
                }, request: request)
        }
    }

    /// Creates, moves or ends one person's seat in a class that is locked.
    func put(
        _ seat: NewSeat, of person: PersonID, in id: ClassID, _ session: Session,
        _ organization: OrganizationID
    ) async throws -> Response {
        var row = seat.row(of: person, in: id).object ?? JSONObject()
        row["position"] = 0
        let rows = try await session.query(
            .putSeats(JSONDocument(JSONValue.array([.object(row)]).bytes)))
        guard rows.count == 1 else { throw Problem.contended }
        let outcome = try rows[0].text("outcome")
        switch outcome {
        case "archived": throw Problem.classArchived
        case "imported": throw Problem.classImported
        case "full":
            let most = try rows[0].int("most")
            throw Problem.classFull(id, seat.role, most: most, wanted: most + 1)
        default:
            if let refusal = SeatRefusal.all[outcome] { throw Problem.invalid([refusal]) }
        }
        let read = try await session.query(
            .seat(
                of: person, in: id, seat.role, joinedAt: try rows[0].timestamp("joined_at"),
                of: organization))
        return try .object(read, status: outcome == "created" ? 201 : 200)
    }
}

/// Which stays a list contains.
struct SeatFilter {
    let role: String?
    let person: Reference<PersonEntity>?
    /// Only people who were there on this day.
    let day: Day?

    init(_ request: Request) {
        role = request.query("role")
        person = request.queryReference("personId")
        day = request.queryDay("asOf")
    }
}

/// Where a page of stays begins: after a stay.
struct SeatPosition {
    let joinedAt: Timestamp
    let person: UUID
    let role: String

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard let joined = page.after(0).flatMap({ Timestamp($0) }),
            let person = page.after(1).flatMap({ UUID($0) }), let role = page.after(2)
        else { throw Problem.foreignPageToken }
        joinedAt = joined
        self.person = person
        self.role = role
    }
}

extension DirectoryShapes {
    static let dayParameter = Endpoint.Parameter.optional(
        "asOf", .day, "Who was there on this day, in the time zone of the class's location.")

    static let seatDays: [Field] = [
        .optional(
            "joinedOn", .day,
            "The first day. When absent, that of a seat stays as it is, and a new seat begins today."
        ),
        .optional("leftOn", .day, "The day after the last day. Leave it out for no end."),
    ]
    static let newSeat = ObjectShape("NewSeat", seatDays)
    static let rosterItem = ObjectShape(
        "RosterItem",
        [
            .required("classId", .reference), .required("personId", .reference),
            .required("role", .word(["student", "teacher"])),
        ] + seatDays)
    static let seat = ObjectShape(
        "Seat",
        [
            .required("classId", .uuid), .required("personId", .uuid),
            .required("role", .word(["student", "teacher"])), .required("joinedAt", .timestamp),
            .orNull("leftAt", .timestamp, "When the person leaves; null for no end."),
            .required("joinedOn", .day),
            .orNull("leftOn", .day, "The day after the last day in the class."),
        ])
}

extension Problem {
    static let classFull = Problem(409, "class_full", "The class has no room for that many people.")

    static func classFull(_ id: ClassID, _ role: SeatRole, most: Int, wanted: Int) -> Problem {
        classFull.with(
            detail: "The class \(id.uuid) holds at most \(most) \(role.segment), and would have "
                + "\(wanted). The organization's classSizeLimits say so.")
    }
}

extension JSONValue {
    /// A text, or null if it is `nil`.
    fileprivate static func text(orNull text: String?) -> JSONValue {
        text.map(JSONValue.text) ?? .null
    }
}
