import API
import JSONBytes
import Postgres
import School
import Values

/// A role at a location.
struct HeldRole: Hashable, Comparable {
    let role: String
    let locationID: LocationID

    static func < (left: HeldRole, right: HeldRole) -> Bool {
        (left.role, left.locationID.uuid) < (right.role, right.locationID.uuid)
    }
}

extension Draft<PersonEntity> {
    /// The roles in the body, without their locations; `nil` keeps the current roles.
    fileprivate var roleWords: [String]? { body.objects("roles")?.map { $0.text("role") ?? "" } }

    /// The locations of the roles in the body.
    fileprivate var roleLocations: Referring<LocationEntity>? {
        body.objects("roles").map { roles in
            Referring(
                roles.map { $0.text("locationId") ?? "" },
                pointers: roles.indices.map { "/roles/\($0)/locationId" })
        }
    }

    /// The distinct roles in the body, once their locations have been found.
    fileprivate var wantedRoles: Set<HeldRole>? {
        guard let words = roleWords, let locations = related["locations"] else { return nil }
        return Set(zip(words, locations).map { HeldRole(role: $0, locationID: ID($1)) })
    }
}

extension Directory {
    static func heldRoles(
        of id: PersonID, _ session: Session, _ caller: Caller
    ) async throws -> [HeldRole] {
        try await session.query(.roles(of: id, of: caller.organizationID)).map {
            HeldRole(role: try $0.text("role"), locationID: ID(try $0.uuid("location_id")))
        }
    }

    /// A caller may not change people who hold a role that the caller may not give.
    static func checkMayManage(_ roles: [HeldRole], _ caller: Caller) throws {
        for role in roles where !caller.standing.mayManage(role.role) {
            throw Problem.mayNotManage(role.role, as: caller.standing)
        }
    }

    /// Finds the locations of the roles, and refuses roles that the caller may not give or take.
    static func checkRoles(
        of person: inout Draft<PersonEntity>, _ session: Session, _ caller: Caller
    ) async throws {
        let held =
            person.present == nil ? [] : try await heldRoles(of: person.id, session, caller)
        if let locations = person.roleLocations {
            let rows = try await session.query(.resolve(locations, in: caller.organizationID))
            person.related["locations"] = try locations.resolved(by: rows).map(\.uuid)
        }
        try checkMayManage((person.wantedRoles ?? []).union(held).sorted(), caller)
    }

    /// Adds missing roles and removes surplus ones.
    static func replaceRoles(
        of person: Draft<PersonEntity>, _ session: Session, _ caller: Caller
    ) async throws {
        guard let wanted = person.wantedRoles else { return }
        let held = Set(
            person.present == nil ? [] : try await heldRoles(of: person.id, session, caller))
        let (given, taken) = (wanted.subtracting(held).sorted(), held.subtracting(wanted).sorted())
        guard !given.isEmpty || !taken.isEmpty else { return }
        try await session.query(.putRoles(of: person.id, given: given, taken: taken))
    }
}

// MARK: Batches

extension Directory {
    @Sendable static func checkPeople(
        _ items: inout BatchRules<PersonEntity>.Items, _ batch: inout Batch, _ session: Session,
        _ caller: Caller
    ) async throws {
        for item in items { refuseHigherRoles(of: item, &batch, caller) }
        let locations = BatchReferences(items) { $0.roleLocations }
        let rows = try await session.query(
            .resolve(locations.referring, in: caller.organizationID))
        let found = try locations.found(in: rows, &batch)
        for index in items.indices {
            items[index].value.related["locations"] =
                (found[items[index].position] ?? []).map(\.uuid)
            let roles = JSONValue.list((items[index].value.wantedRoles ?? []).sorted())
            items[index].value.set("roles", to: JSONDocument(roles.bytes))
            items[index].value.set("managed_id", to: items[index].value.body.text("managedId"))
        }
    }

    private static func refuseHigherRoles(
        of item: Batch.Item<Draft<PersonEntity>>, _ batch: inout Batch, _ caller: Caller
    ) {
        for (index, role) in (item.value.roleWords ?? []).enumerated()
        where !caller.standing.mayManage(role) {
            batch.refuse(
                item.position, "/roles/\(index)/role", "forbidden",
                Problem.mayNotManage(role, as: caller.standing).detail ?? "")
        }
    }

    /// The mistakes for the refusals of `put_people`.
    @Sendable static func refusals(_ caller: Caller) -> [String: Problem.Invalid] {
        [
            "forbidden": Problem.Invalid(
                pointer: "", code: "forbidden",
                detail:
                    "As \(caller.standing.rawValue) you may not change a person with this person's roles."
            ),
            "guardedEmail": Problem.guardedSignIn("/email").errors[0],
            "guardedManagedId": Problem.guardedSignIn("/managedId").errors[0],
            "taken": Problem.managedIDTaken.errors[0],
            "foreignDomain": Problem.foreignDomain.errors[0],
            "lastAdministrator": Problem.Invalid(
                pointer: "/roles", code: "last_administrator",
                detail: Problem.lastAdministrator.title),
        ]
    }
}

extension JSONValue {
    fileprivate static func list(_ roles: [HeldRole]) -> JSONValue {
        .array(
            roles.map {
                ["role": .text($0.role), "locationId": .text($0.locationID.uuid.description)]
            })
    }
}

// MARK: Statements

extension Statement {
    static func putPeople(_ rows: JSONDocument, isByHand: Bool) -> Statement {
        """
        select place as position, id, outcome from school.put_people(\(rows), \(isByHand))
        """
    }

    static func roles(of id: PersonID, of organization: OrganizationID) -> Statement {
        """
        select role, location_id from school.person_role
         where organization_id = \(organization) and person_id = \(id)
        """
    }

    /// Gives and takes roles, with an audit event.
    fileprivate static func putRoles(
        of id: PersonID, given: [HeldRole], taken: [HeldRole]
    ) -> Statement {
        let plan: JSONValue = [
            "person": .text(id.uuid.description), "given": .list(given), "taken": .list(taken),
        ]
        return "select school.put_people_roles(\(JSONDocument(JSONValue.array([plan]).bytes)))"
    }

    static func auditPerson(_ id: PersonID, change: String) -> Statement {
        .audit(
            "personChange", subjectKind: "person", subject: id.uuid,
            details: ["change": .text(change)])
    }
}
