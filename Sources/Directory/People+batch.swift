import JSONBytes
import Postgres
import School
import Values

extension Directory {
    var personBatch: Endpoint {
        .batch(
            "/v1/people/batch", "Create or replace up to 1,000 people by sourceId",
            for: Self.peopleWriters, of: DirectoryShapes.newPerson.item("PersonItem"),
            problems: [(409, "The organization has no domain for managed IDs yet.")],
            handler: putPeople)
    }

    func putPeople(_ request: Request, _ caller: Caller) async throws -> Response {
        var sent = try await Batch(request, of: DirectoryShapes.newPerson.item("PersonItem"))
        let items = try sent.read { try NewPerson(Sent(body: $0, path: nil)) }
        sent.refuseRepeated(items, by: \.sourceID)
        for item in items { Self.refuseHigherRoles(of: item, &sent, caller) }
        return try await database.transaction(as: caller) { [sent] session in
            var batch = sent
            let places = BatchReferences(items) { $0.locations }
            let rows = try await session.query(
                .resolve(places.referring, in: caller.organizationID))
            let locations = try places.found(in: rows, &batch)
            try await batch.write(
                items, in: session,
                row: { $0.value.columns(at: locations[$0.position] ?? []) },
                refusals: Self.refusals(caller),
                by: { .putPeople($0, isByHand: caller.standing != .provisioner) })
            return try batch.response()
        }
    }

    private static func refuseHigherRoles(
        of item: Batch.Item<NewPerson>, _ batch: inout Batch, _ caller: Caller
    ) {
        for (index, role) in item.value.roles.enumerated()
        where !caller.standing.mayManage(role) {
            batch.refuse(
                item.position, "/roles/\(index)/role", "forbidden",
                Problem.mayNotManage(role, as: caller.standing).detail ?? "")
        }
    }

    /// What `put_people` says no with.
    private static func refusals(_ caller: Caller) -> [String: Problem.Invalid] {
        [
            "forbidden": Problem.Invalid(
                pointer: "", code: "forbidden",
                detail:
                    "As \(caller.standing.rawValue) you may not change a person with this person's roles."
            ),
            "taken": Problem.managedIDTaken.errors[0],
            "foreignDomain": Problem.foreignDomain.errors[0],
            "lastAdministrator": Problem.Invalid(
                pointer: "/roles", code: "last_administrator",
                detail: Problem.lastAdministrator.title),
        ]
    }
}

extension NewPerson {
    /// The columns of a row of a batch; each role once.
    fileprivate func columns(at locations: [LocationID]) -> JSONValue {
        let held = Set(zip(roles, locations).map { HeldRole(role: $0, locationID: $1) }).sorted()
        return [
            "source_id": .text(orNull: sourceID), "given_name": .text(givenName),
            "middle_name": .text(orNull: middleName), "family_name": .text(familyName),
            "person_number": .text(orNull: personNumber), "managed_id": .text(orNull: managedID),
            "email": .text(orNull: email), "grade": .text(orNull: grade),
            "password_policy": .text(orNull: passwordPolicy),
            "roles": .array(
                held.map {
                    [
                        "role": .text($0.role),
                        "locationId": .text($0.locationID.uuid.description),
                    ]
                }),
        ]
    }
}

extension Statement {
    static func putPeople(_ rows: JSONDocument, isByHand: Bool) -> Statement {
        """
        select place as position, id, outcome from school.put_people(\(rows), \(isByHand))
        """
    }
}
