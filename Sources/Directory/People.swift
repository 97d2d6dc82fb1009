import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Directory {
    var personEndpoints: [Endpoint] {
        let person = Shape.object(DirectoryShapes.person)
        let body = Endpoint.Body.json(.object(DirectoryShapes.newPerson))
        return [
            Endpoint(
                .get, "/v1/people", "List people; teachers get the people in their classes",
                for: Self.readersAndTeachers, query: Self.personFilters + Endpoint.Parameter.page,
                answers: [.page("People in the order of their ids.", of: DirectoryShapes.person)],
                handler: listPeople),
            Endpoint(
                .post, "/v1/people", "Add a person", for: Self.peopleWriters, body: body,
                answers: [.json("The new person.", person, status: 201).tagged.located],
                problems: [
                    (403, "You may not give one of the roles."),
                    (409, "Someone else has this sourceId or managed ID."),
                ], handler: addPerson),
            Endpoint(
                .get, "/v1/people/{id}", "Read a person", for: Self.readersAndTeachers,
                answers: [.json("The person.", person).tagged, .unchanged], handler: findPerson),
            Endpoint(
                .put, "/v1/people/{id}", "Replace a person, or create one by source:ID",
                for: Self.peopleWriters, body: body,
                answers: [
                    .json("Replaced.", person).tagged,
                    .json("Created.", person, status: 201).tagged,
                ],
                problems: [
                    (403, "The person has, or would get, a role you may not give."),
                    (409, Self.personConflict),
                    (412, "It changed since you read it."),
                ], handler: putPerson),
            Endpoint(
                .patch, "/v1/people/{id}", "Change fields of a person", for: Self.peopleWriters,
                body: .json(DirectoryShapes.newPerson.change("PersonChange")),
                answers: [.json("As it is now.", person).tagged],
                problems: [
                    (403, "The person has, or would get, a role you may not give."),
                    (409, Self.personConflict),
                    (412, "It changed since you read it."),
                ], handler: changePerson),
        ]
    }

    private static let personConflict =
        "Someone else has this sourceId or managed ID, or nobody would be administrator."

    private static let personFilters: [Endpoint.Parameter] = [
        .optional("locationId", .reference, "Only people with a role at this location."),
        .optional(
            "role", .word(DirectoryShapes.roles), "Only who holds this role there or anywhere."),
        .optional(
            "status", .word(PersonStatus.allCases.map(\.rawValue)), "Only of this status."),
        .optional("grade", .text(1...64), "Only of this grade."),
        .optional("classId", .reference, "Only people who are in this class now or teach it."),
        .optional("managedId", .text(1...128), "Only the person with this managed ID."),
        .optional(
            "q", .text(1...256),
            "Only whose name has every one of these words, the beginning or a part of it, without "
                + "regard to accents, case and order; one or two letters only at the beginning."),
        DirectoryShapes.sourceParameter, DirectoryShapes.updatedParameter,
    ]

    func listPeople(_ request: Request, _ caller: Caller) async throws -> Response {
        let filter = PersonFilter(request)
        return try await page(request, caller, isLong: filter.isSelective) { after, limit in
            .people(of: caller.organizationID, filter, after: after, limit: limit)
        }
    }

    func findPerson(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        return try .object(
            try await database.query(.person(reference, of: caller.organizationID), as: caller))
    }

    func addPerson(_ request: Request, _ caller: Caller) async throws -> Response {
        try await post(request, caller, personKind(caller))
    }

    func putPerson(_ request: Request, _ caller: Caller) async throws -> Response {
        try await put(request, caller, personKind(caller))
    }

    func changePerson(_ request: Request, _ caller: Caller) async throws -> Response {
        try await patch(request, caller, personKind(caller))
    }

    private func personKind(_ caller: Caller) -> Kind<PersonEntity> {
        Kind(
            shape: DirectoryShapes.newPerson,
            find: { .lockPerson($0, of: caller.organizationID) },
            create: { session, id, sent in
                try await add(try NewPerson(sent), id, session, caller)
            },
            replace: { session, id, sent, _ in
                try await replace(id, by: try NewPerson(sent), session, caller)
            },
            read: { .person(.id($0), of: caller.organizationID) },
            sourceConstraint: "person_source_id_is_unique")
    }

    private func add(
        _ person: NewPerson, _ id: PersonID, _ session: Session, _ caller: Caller
    ) async throws {
        let roles = try await roles(of: person, session, caller)
        try checkMayManage(roles, caller)
        let managedID = try await reserveManagedID(for: person, id, session, caller)
        _ = try await session.query([
            .add(person, id, managedID: managedID, to: caller.organizationID),
            .give(roles, to: id, of: caller.organizationID),
            .auditRoles(of: id, given: roles, taken: []),
        ])
    }

    private func replace(
        _ id: PersonID, by person: NewPerson, _ session: Session, _ caller: Caller
    ) async throws {
        let held = Set(try await heldRoles(of: id, session, caller))
        let wanted = Set(try await roles(of: person, session, caller))
        try checkMayManage(held.union(wanted).sorted(), caller)
        let changed = try await changedManagedID(of: id, person, session, caller)
        try await session.query(
            .replace(
                id, by: person, managedID: changed, isByHand: caller.standing != .provisioner,
                of: caller.organizationID))
        if changed != nil {
            _ = try await session.query([
                .releaseManagedIDs(of: id, of: caller.organizationID),
                .auditPerson(id, change: "managedId"),
            ])
        }
        let given = wanted.subtracting(held).sorted()
        let taken = held.subtracting(wanted).sorted()
        guard !given.isEmpty || !taken.isEmpty else { return }
        // Given first: who moves to another location is administrator all the time.
        _ = try await session.query([
            .give(given, to: id, of: caller.organizationID),
            .take(taken, from: id, of: caller.organizationID),
            .auditRoles(of: id, given: given, taken: taken),
        ])
    }

    func heldRoles(
        of id: PersonID, _ session: Session, _ caller: Caller
    ) async throws -> [HeldRole] {
        try await session.query(.roles(of: id, of: caller.organizationID)).map {
            HeldRole(role: try $0.text("role"), locationID: ID(try $0.uuid("location_id")))
        }
    }

    /// The roles that a body gives, its locations found.
    private func roles(
        of person: NewPerson, _ session: Session, _ caller: Caller
    ) async throws -> [HeldRole] {
        let rows = try await session.query(.resolve(person.locations, in: caller.organizationID))
        let locations = try person.locations.resolved(by: rows)
        return Set(zip(person.roles, locations).map { HeldRole(role: $0, locationID: $1) }).sorted()
    }

    /// Whoever holds a role that is not the caller's to give is not the caller's to change at all.
    func checkMayManage(_ roles: [HeldRole], _ caller: Caller) throws {
        for role in roles where !caller.standing.mayManage(role.role) {
            throw Problem.mayNotManage(role.role, as: caller.standing)
        }
    }
}

/// A role at a location.
struct HeldRole: Hashable, Comparable {
    let role: String
    let locationID: LocationID

    static func < (left: HeldRole, right: HeldRole) -> Bool {
        (left.role, left.locationID.uuid) < (right.role, right.locationID.uuid)
    }
}

extension Standing {
    /// Whether it may give and take a role (`Sources/facts/apple-school-manager.md`); SQL's
    /// `may_give_role` refuses the same.
    func mayManage(_ role: String) -> Bool {
        switch self {
        case .administrator: true
        case .siteManager, .peopleManager: role != Standing.administrator.rawValue
        case .provisioner, .manager: ["staff", "teacher", "student"].contains(role)
        default: false
        }
    }
}
