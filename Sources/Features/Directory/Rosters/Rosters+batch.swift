import API
import Postgres
import School
import Values

extension Directory {
    var rosterBatch: Endpoint {
        .batch(
            "/v1/rosters/batch", "Add, move or end up to 1,000 seats in classes",
            description: """
                An item means the stay with exactly its days; else the one that is not over, if the days overlap \
                it or `joinedOn` is absent; else a new one.
                """,
            for: Self.classWriters, of: DirectoryShapes.rosterItem, handler: putSeats)
    }

    /// An item is about one person's seat in one role in one class; a second item about the same seat is refused.
    func putSeats(_ request: Request, _ caller: Caller) async throws -> Response {
        var sent = try await Batch(request, of: DirectoryShapes.rosterItem)
        let items = try sent.read { try RosterItem($0) }
        let organization = caller.organizationID
        let classes = BatchReferences(items) { $0.group }
        let people = BatchReferences(items) { $0.person }
        return try await database.transaction(as: caller) { [sent] session in
            var batch = sent
            let rows = try await session.query([
                .resolve(classes.referring, in: organization),
                .resolve(people.referring, in: organization),
            ])
            let groups = try classes.found(in: rows[0], &batch).compactMapValues(\.first)
            let persons = try people.found(in: rows[1], &batch).compactMapValues(\.first)
            refuseRepeated(items, groups, persons, &batch)
            try batch.check()
            let locked = Set(groups.values).sorted { $0.uuid < $1.uuid }
            try await session.query(.lockClasses(locked, of: organization))
            try await batch.write(
                items, in: session,
                row: { $0.value.seat.row(of: persons[$0.position], in: groups[$0.position]) },
                refusals: SeatRefusal.all, by: { .putSeats($0) })
            return try batch.response()
        }
    }

    private func refuseRepeated(
        _ items: [Batch.Item<RosterItem>], _ groups: [Int: ClassID], _ persons: [Int: PersonID],
        _ batch: inout Batch
    ) {
        let keyed = items.compactMap { item -> Batch.Item<SeatKey>? in
            guard let group = groups[item.position], let person = persons[item.position] else {
                return nil
            }
            return Batch.Item(
                position: item.position,
                value: SeatKey(group: group, person: person, role: item.value.seat.role))
        }
        batch.refuseRepeated(keyed, at: "/personId") { $0 }
    }
}

/// One item of a batch of rosters, as sent.
private struct RosterItem {
    let group: Referring<ClassEntity>
    let person: Referring<PersonEntity>
    let seat: NewSeat

    init(_ body: Fields) throws {
        group = Referring([body.text("classId")!], pointers: ["/classId"])
        person = Referring([body.text("personId")!], pointers: ["/personId"])
        seat = try NewSeat(body, SeatRole(rawValue: body.text("role")!)!)
    }
}

/// What an item is about.
private struct SeatKey: Hashable {
    let group: ClassID
    let person: PersonID
    let role: SeatRole
}

extension Statement {
    /// The ids of classes; null for what the caller does not see.
    static func resolve(
        _ references: Referring<ClassEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select coalesce(i.class_id, s.class_id) as "id"
          from unnest(\(references.ids), \(references.sources))
               with ordinality as w (id, source, position)
          left join school.class as i
            on i.organization_id = \(organization) and i.class_id = w.id
          left join school.class as s
            on s.organization_id = \(organization) and s.source_id = w.source
         order by w.position
        """
    }
}
