import JSONBytes
import Postgres
import School
import Values

extension Directory {
    /// Refuses items for what their classes are already: in a closed term, archived, brought by an import; and
    /// for rosters that are larger than a class may be.
    @Sendable static func checkClasses(
        _ items: inout BatchRules<ClassEntity>.Items, _ batch: inout Batch, _ session: Session,
        _ caller: Caller
    ) async throws {
        let organization = caller.organizationID
        try await findPeople(of: &items, &batch, session, organization)
        let terms = Set(items.compactMap { $0.value[term] }).sorted { $0.uuid < $1.uuid }
        let results = try await session.query([
            .closedTerms(among: terms),
            .classes(named: items.compactMap { $0.value[.sourceID] }, of: organization),
            .classSizes(of: organization),
        ])
        let closed = Set(try results[0].map { try $0.uuid("id") })
        var present: [String: Row] = [:]
        for row in results[1] { present[try row.text("source_id")] = row }
        let sizes = try ClassSizes(results[2][0])
        let seated = try await seated(in: items, beyond: sizes, session, organization)
        for item in items {
            let now = item.value[.sourceID].flatMap { present[$0] }
            let isImported = try now?.text("origin") == "import"
            if isImported, caller.standing == .manager {
                batch.refuse(
                    item.position, "/sourceId", "class_imported",
                    Problem.classImported.detail ?? "")
            }
            if let term = item.value[term], closed.contains(term.uuid),
                try now?.optionalUUID("term_id") != term.uuid
            {
                batch.refuse(item.position, "/termId", "term_closed", Problem.termClosed.title)
            }
            for role in SeatRole.allCases {
                guard let people = item.value.people(role) else { continue }
                if try now?.optionalTimestamp("archived_at") != nil {
                    batch.refuse(
                        item.position, role.pointer, "class_archived", Problem.classArchived.title)
                } else if people.count > sizes[role],
                    !people.isSubset(of: seated[item.position]?[role] ?? [])
                {
                    batch.refuse(
                        item.position, role.pointer, "class_full",
                        "A class holds at most \(sizes[role]) \(role.segment), not \(people.count)."
                    )
                }
            }
        }
    }

    private static func findPeople(
        of items: inout BatchRules<ClassEntity>.Items, _ batch: inout Batch, _ session: Session,
        _ organization: OrganizationID
    ) async throws {
        for role in SeatRole.allCases {
            let named = BatchReferences(items) { $0.roster(role) }
            let rows = try await session.query(.resolve(named.referring, in: organization))
            let found = try named.found(in: rows, &batch)
            for index in items.indices where items[index].value.roster(role) != nil {
                let people = found[items[index].position] ?? []
                items[index].value.related[role.rawValue] = people.map(\.uuid)
            }
        }
    }

    /// Who sits in the classes whose rosters would be larger than a class may be: those who do stay, and nobody joins
    /// them.
    private static func seated(
        in items: BatchRules<ClassEntity>.Items, beyond sizes: ClassSizes, _ session: Session,
        _ organization: OrganizationID
    ) async throws -> [Int: [SeatRole: Set<UUID>]] {
        let crowded = items.filter { item in
            SeatRole.allCases.contains {
                (item.value.people($0)?.count ?? 0) > sizes[$0]
            }
        }
        guard !crowded.isEmpty else { return [:] }
        let positions = Dictionary(
            crowded.compactMap { item in item.value[.sourceID].map { ($0, item.position) } },
            uniquingKeysWith: { first, _ in first })
        let rows = try await session.query(
            .seats(inClassesNamed: Array(positions.keys), of: organization))
        var seated: [Int: [SeatRole: Set<UUID>]] = [:]
        for row in rows {
            guard let position = positions[try row.text("source_id")],
                let role = SeatRole(rawValue: try row.text("role"))
            else { continue }
            seated[position, default: [:]][role, default: []].insert(try row.uuid("person_id"))
        }
        return seated
    }

    /// Replaces the rosters that items hold; a class whose roster changes is updated by that.
    @Sendable static func putRosters(
        _ items: BatchRules<ClassEntity>.Items, _ batch: inout Batch, _ session: Session,
        _ caller: Caller
    ) async throws {
        let organization = caller.organizationID
        var rosters: [JSONValue] = []
        var positions: [UUID: Int] = [:]
        for item in batch.left(of: items) {
            guard let id = batch.results[item.position]?.id else { continue }
            positions[id] = item.position
            for role in SeatRole.allCases {
                guard let people = item.value.people(role) else { continue }
                rosters.append([
                    "class_id": .text(id.description), "role": .text(role.rawValue),
                    "person_ids": .array(people.map { .text($0.description) }),
                ])
            }
        }
        guard !rosters.isEmpty else { return }
        let sent = JSONDocument(JSONValue.array(rosters).bytes)
        let results = try await session.query([
            .endSeats(butOf: sent, of: organization), .beginSeats(of: sent, of: organization),
            .seat(sent, of: organization),
        ])
        let changes = try RosterChanges(left: results[0], joined: [results[1], results[2]])
        for id in changes.classes {
            if let position = positions[id] { batch.note(position, .updated) }
        }
        _ = try await session.query(changes.events())
    }
}

extension Draft<ClassEntity> {
    /// Whom the roster of a role is to hold, once `findPeople` has found them; `nil`: those that it holds.
    fileprivate func people(_ role: SeatRole) -> Set<UUID>? {
        related[role.rawValue].map(Set.init)
    }
}
