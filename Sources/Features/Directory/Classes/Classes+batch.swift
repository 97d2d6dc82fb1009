import API
import JSONBytes
import Postgres
import School
import Values

extension Directory {
    /// Refuses items whose classes are archived, in a closed term, or brought by an import, and items with rosters
    /// that are larger than a class may be.
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
            .crowdedRosters(rosters(items)),
        ])
        let closed = Set(try results[0].map { try $0.uuid("id") })
        var present: [String: Row] = [:]
        for row in results[1] { present[try row.text("source_id")] = row }
        var limits: [Int: [String: Int]] = [:]
        for row in results[2] {
            limits[try row.int("place"), default: [:]][try row.text("role")] = try row.int("most")
        }
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
                } else if let most = limits[item.position]?[role.rawValue] {
                    batch.refuse(
                        item.position, role.pointer, "class_full",
                        "A class holds at most \(most) \(role.segment), not \(people.count).")
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

    /// The rosters in the items, by the source ids of their classes.
    private static func rosters(_ items: BatchRules<ClassEntity>.Items) -> [WantedRoster] {
        items.flatMap { item in
            SeatRole.allCases.compactMap { role in
                item.value.people(role).map { people in
                    WantedRoster(
                        position: item.position, id: nil, sourceID: item.value[.sourceID],
                        role: role,
                        people: people)
                }
            }
        }
    }

    /// Replaces the rosters in the items; a class whose roster changes counts as updated.
    @Sendable static func putRosters(
        _ items: BatchRules<ClassEntity>.Items, _ batch: inout Batch, _ session: Session,
        _ caller: Caller
    ) async throws {
        var positions: [UUID: Int] = [:]
        for item in batch.left(of: items) {
            if let id = batch.results[item.position]?.id { positions[id] = item.position }
        }
        let indices = Dictionary(uniqueKeysWithValues: positions.map { ($0.value, $0.key) })
        let rosters = rosters(items).compactMap { roster in
            indices[roster.position].map { roster.of($0) }
        }
        guard !rosters.isEmpty else { return }
        for row in try await session.query(.replaceRosters(rosters)) {
            if let position = positions[try row.uuid("id")] { batch.note(position, .updated) }
        }
    }
}

extension Draft<ClassEntity> {
    /// The people to put on the roster of a role, once `findPeople` has found them; `nil` keeps the current ones.
    fileprivate func people(_ role: SeatRole) -> Set<UUID>? {
        related[role.rawValue].map(Set.init)
    }
}
