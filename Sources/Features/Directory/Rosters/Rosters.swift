import API
import Crypto
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// The role of a person in a class.
enum SeatRole: String, CaseIterable {
    case teacher
    case student

    /// The last segment of the roster's path.
    var segment: String { rawValue + "s" }
}

extension Directory {
    var rosterEndpoints: [Endpoint] { SeatRole.allCases.flatMap(endpoints) + [seatEndpoint] }

    private func endpoints(of role: SeatRole) -> [Endpoint] {
        let path = "/v1/classes/{id}/\(role.segment)"
        let changed = (412, "The class was changed in the meantime.")
        let archived = (409, "The class is archived or full.")
        return [
            Endpoint(
                .get, path, "List the \(role.segment) of a class", for: Self.readersAndTeachers,
                query: [DirectoryShapes.dayParameter] + Endpoint.Parameter.page,
                answers: [
                    .page(
                        "People in the order of family name and given name. `PUT` takes the ETag in `If-Match`.",
                        of: Self.people.shape
                    ).tagged,
                    .unchanged,
                ],
                reads: .replica, handler: { try await listRoster(role, $0, $1) }),
            Endpoint(
                .put, path, "Replace all \(role.segment) of a class",
                description: """
                    People who are left out leave the class now, and new ones join now. Who was there before, \
                    and when, stays on record.
                    """, for: Self.classWriters,
                body: .json(.object(DirectoryShapes.newRoster)),
                answers: [
                    .json("The roster as it is now.", .object(DirectoryShapes.roster)).tagged
                ],
                problems: [archived, changed], handler: { try await putRoster(role, $0, $1) }),
            Endpoint(
                .put, path + "/{personId}", "Add a \(role.rawValue) to a class",
                description: """
                    Without days, the person joins now, or stays as before if the person is in the class \
                    already.
                    """,
                for: Self.classWriters,
                body: .jsonIfAny(.object(DirectoryShapes.newSeat)),
                answers: [
                    .json("The seat, which existed already.", .object(DirectoryShapes.seat)).tagged,
                    .json("The new seat.", .object(DirectoryShapes.seat), status: 201).tagged,
                ],
                problems: [archived, changed], handler: { try await putSeat(role, $0, $1) }),
            Endpoint(
                .delete, path + "/{personId}", "Take a \(role.rawValue) out of a class",
                description:
                    "The seat ends now and stays on record; one that begins later never begins.",
                for: Self.classWriters, answers: [.empty(204, "Ended.")],
                problems: [archived, changed],
                handler: { try await deleteSeat(role, $0, $1) }),
        ]
    }

    func listRoster(
        _ role: SeatRole, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let reference: Reference<ClassEntity> = try request.reference("id")
        let page = try request.page()
        let after = try NamePosition(page)
        return try await database.read(as: caller) { session in
            let results = try await session.query([
                .classVersion(reference, of: caller.organizationID),
                page.of(
                    .roster(
                        of: reference, role, on: request.queryDay("asOf"),
                        of: caller.organizationID, after: after, limit: page.limitPlusOne)),
            ])
            guard results[0].count > 0 else { throw Problem.notFound }
            var response = try page.response(
                results[1], key: NamePosition.key, request: request)
            let tag = RosterTag(version: try results[0][0].int("version"), body: response.body)
            response.headers.append(ResponseField("ETag", tag.text))
            return response
        }
    }

    func putRoster(
        _ role: SeatRole, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let body = try await request.body()
        let people = Referring<PersonEntity>(body.texts("personIds") ?? [], at: "/personIds")
        return try await changeRoster(request, caller) { session, id in
            try await Self.replaceRoster(of: id, role, by: people, session, caller)
            return try .object(
                try await session.query(.personIDs(in: id, role, of: caller.organizationID)))
        }
    }

    func putSeat(
        _ role: SeatRole, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("personId")
        let seat = try NewSeat(try await request.bodyIfAny(), role)
        return try await changeRoster(request, caller) { session, id in
            let person = try await findPerson(reference, session, caller)
            return try await put(seat, of: person, in: id, session, caller.organizationID)
        }
    }

    func deleteSeat(
        _ role: SeatRole, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("personId")
        return try await changeRoster(request, caller) { session, id in
            let person = try await findPerson(reference, session, caller)
            let ended = try await session.query(.endSeat(of: person, in: id, role))
            guard try ended[0].bool("has_ended") else { throw Problem.notFound }
            return .noContent
        }
    }

    /// Replaces everyone with that role in a class by the people in the body.
    static func replaceRoster(
        of id: ClassID, _ role: SeatRole, by people: Referring<PersonEntity>, _ session: Session,
        _ caller: Caller
    ) async throws {
        let organization = caller.organizationID
        let rows = try await session.query(.resolve(people, in: organization))
        let wanted = try people.resolved(by: rows)
        let roster = WantedRoster(
            position: 0, id: id.uuid, sourceID: nil, role: role, people: Set(wanted.map(\.uuid)))
        let crowded = try await session.query(.crowdedRosters([roster]))
        guard crowded.count == 0 else {
            throw Problem.classFull(
                id, role, most: try crowded[0].int("most"), wanted: try crowded[0].int("wanted"))
        }
        try await session.query(.replaceRosters([roster]))
    }

    /// Runs a change with its class locked. The class must be visible, unchanged and not archived.
    private func changeRoster(
        _ request: Request, _ caller: Caller,
        _ change: (Session, ClassID) async throws -> Response
    ) async throws -> Response {
        let reference: Reference<ClassEntity> = try request.reference("id")
        try await Self.checkMayChange(request, caller, database)
        return try await database.transaction(as: caller) { session in
            let found = try await session.query(
                Self.classes.lock(reference, of: caller.organizationID))
            guard found.count > 0 else { throw Problem.notFound }
            let version = try found[0].int("version")
            guard
                RosterTag.isMatch(
                    EntityTags(request.http.headers, "if-match"), version: version)
            else {
                throw Problem.preconditionFailed
            }
            try Self.checkOpen(found[0])
            return try await change(session, ID(try found[0].uuid("id")))
        }
    }

    private func findPerson(
        _ reference: Reference<PersonEntity>, _ session: Session, _ caller: Caller
    ) async throws -> PersonID {
        let rows = try await session.query(.id(of: reference, in: caller.organizationID))
        guard rows.count > 0 else { throw Problem.notFound }
        return ID(try rows[0].uuid("id"))
    }
}

/// The entity tag of a roster: the version of its class, which `If-Match` is compared with, and a digest of the page,
/// because names change without their classes.
struct RosterTag {
    let text: String

    init(version: Int, body: HTTPResponse.Body) {
        guard case .bytes(let bytes) = body else {
            text = ETag(version: version).text
            return
        }
        let digest = Base64.encodeURL(Array(SHA256.digest(bytes).bytes.prefix(9)))
        text = "\"\(version)-\(digest)\""
    }

    /// Whether one of the tags of an `If-Match`, of a roster or of its class, has that version.
    static func isMatch(_ tags: EntityTags?, version: Int) -> Bool {
        tags?.match(version: version) ?? true
    }
}
