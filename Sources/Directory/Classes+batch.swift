import JSONBytes
import Postgres
import School
import Values

extension Directory {
    private static let classItem = DirectoryShapes.newClass.item("ClassItem")

    var classBatch: Endpoint {
        .batch(
            "/v1/classes/batch", "Create or replace up to 1,000 classes by sourceId",
            for: Self.classWriters, of: Self.classItem, handler: putClasses)
    }

    func putClasses(_ request: Request, _ caller: Caller) async throws -> Response {
        var sent = try await Batch(request, of: Self.classItem)
        let items = try sent.read { try NewClass(Sent(body: $0, path: nil)) }
        sent.refuseRepeated(items, by: \.sourceID)
        let organization = caller.organizationID
        return try await database.transaction(as: caller) { [sent] session in
            var batch = sent
            let found = try await ClassReferences(items, &batch, session, organization)
            try await checkClasses(items, found, &batch, session, caller)
            try await batch.write(
                items, in: session, row: { $0.value.row(found, $0.position) },
                by: { .putClasses($0, of: organization) })
            try await putRosters(of: items, found, &batch, session, organization)
            return try batch.response()
        }
    }

    /// Refuses items for what their classes are already: in a closed term, archived, brought by an import; and
    /// for rosters that are larger than a class may be.
    private func checkClasses(
        _ items: [Batch.Item<NewClass>], _ found: ClassReferences, _ batch: inout Batch,
        _ session: Session, _ caller: Caller
    ) async throws {
        let organization = caller.organizationID
        let terms = Array(Set(found.terms.values.flatMap { $0 })).sorted { $0.uuid < $1.uuid }
        let results = try await session.query([
            .closedTerms(among: terms),
            .classes(named: items.compactMap(\.value.sourceID), of: organization),
            .classSizes(of: organization),
        ])
        let closed = Set(try results[0].map { try $0.uuid("id") })
        var present: [String: Row] = [:]
        for row in results[1] { present[try row.text("source_id")] = row }
        let sizes = try ClassSizes(results[2][0])
        let seated = try await seated(in: items, beyond: sizes, found, session, organization)
        for item in items {
            let now = item.value.sourceID.flatMap { present[$0] }
            let isImported = try now?.text("origin") == "import"
            if isImported, caller.standing == .manager {
                batch.refuse(
                    item.position, "/sourceId", "class_imported",
                    Problem.classImported.detail ?? "")
            }
            if let term = found.terms[item.position]?.first, closed.contains(term.uuid),
                try now?.optionalUUID("term_id") != term.uuid
            {
                batch.refuse(item.position, "/termId", "term_closed", Problem.termClosed.title)
            }
            for role in SeatRole.allCases where found.people[role]?[item.position] != nil {
                let people = Set(found.people[role]?[item.position] ?? [])
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

    /// Who sits in the classes whose rosters would be larger than a class may be: those who do stay, and nobody joins
    /// them.
    private func seated(
        in items: [Batch.Item<NewClass>], beyond sizes: ClassSizes, _ found: ClassReferences,
        _ session: Session, _ organization: OrganizationID
    ) async throws -> [Int: [SeatRole: Set<PersonID>]] {
        let crowded = items.filter { item in
            SeatRole.allCases.contains {
                Set(found.people[$0]?[item.position] ?? []).count > sizes[$0]
            }
        }
        guard !crowded.isEmpty else { return [:] }
        let positions = Dictionary(
            crowded.compactMap { item in item.value.sourceID.map { ($0, item.position) } },
            uniquingKeysWith: { first, _ in first })
        let rows = try await session.query(
            .seats(inClassesNamed: Array(positions.keys), of: organization))
        var seated: [Int: [SeatRole: Set<PersonID>]] = [:]
        for row in rows {
            guard let position = positions[try row.text("source_id")],
                let role = SeatRole(rawValue: try row.text("role"))
            else { continue }
            let person = PersonID(try row.uuid("person_id"))
            seated[position, default: [:]][role, default: []].insert(person)
        }
        return seated
    }

    /// Replaces the rosters that items hold; a class whose roster changes is updated by that.
    private func putRosters(
        of items: [Batch.Item<NewClass>], _ found: ClassReferences, _ batch: inout Batch,
        _ session: Session, _ organization: OrganizationID
    ) async throws {
        var rosters: [JSONValue] = []
        var positions: [UUID: Int] = [:]
        for item in batch.left(of: items) {
            guard let id = batch.results[item.position]?.id else { continue }
            positions[id] = item.position
            for role in SeatRole.allCases {
                guard let people = found.people[role]?[item.position] else { continue }
                rosters.append([
                    "class_id": .text(id.description), "role": .text(role.rawValue),
                    "person_ids": .array(Set(people).map { .text($0.uuid.description) }),
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

extension SeatRole {
    /// The field of a class that holds the roster.
    var pointer: String { "/\(rawValue)Ids" }
}

/// What the classes of a batch refer to, by the positions of their items.
private struct ClassReferences {
    let locations: [Int: [LocationID]]
    let courses: [Int: [CourseID]]
    let terms: [Int: [TermID]]
    /// Only for items that hold the roster of the role; empty where it is to be empty.
    private(set) var people: [SeatRole: [Int: [PersonID]]] = [:]

    init(
        _ items: [Batch.Item<NewClass>], _ batch: inout Batch, _ session: Session,
        _ organization: OrganizationID
    ) async throws {
        let locations = BatchReferences(items) { $0.location }
        let courses = BatchReferences(items) { $0.course }
        let terms = BatchReferences(items) { $0.term }
        let teachers = BatchReferences(items) { $0.teachers }
        let students = BatchReferences(items) { $0.students }
        let rows = try await session.query([
            .resolve(locations.referring, in: organization),
            .resolve(courses.referring, in: organization),
            .resolve(terms.referring, in: organization),
            .resolve(teachers.referring, in: organization),
            .resolve(students.referring, in: organization),
        ])
        self.locations = try locations.found(in: rows[0], &batch)
        self.courses = try courses.found(in: rows[1], &batch)
        self.terms = try terms.found(in: rows[2], &batch)
        people[.teacher] = try teachers.found(in: rows[3], &batch)
        people[.student] = try students.found(in: rows[4], &batch)
        for item in items {
            if item.value.teachers?.pointers.isEmpty == true {
                people[.teacher]?[item.position] = []
            }
            if item.value.students?.pointers.isEmpty == true {
                people[.student]?[item.position] = []
            }
        }
    }
}

extension NewClass {
    /// What the database reads; keys are columns.
    fileprivate func row(_ found: ClassReferences, _ position: Int) -> JSONValue {
        [
            "source_id": .text(orNull: sourceID),
            "location_id": .text(orNull: found.locations[position]?[0].uuid.description),
            "course_id": .text(orNull: found.courses[position]?[0].uuid.description),
            "term_id": .text(orNull: found.terms[position]?[0].uuid.description),
            "name": .text(name), "number": .text(orNull: number),
            "display_name": .text(orNull: displayName), "room": .text(orNull: room),
        ]
    }
}
