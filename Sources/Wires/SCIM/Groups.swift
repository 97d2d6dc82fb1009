import API
import Crypto
import JSONBytes
import Postgres
import School
import Values

/// What a group is to be.
struct GroupDraft {
    let name: String
    /// What the client calls the group.
    var externalID: String?
    /// As the client names it; `nil` for where it was.
    let location: String?
    /// `nil` for those it had.
    let members: [UUID]?

    /// - Parameters:
    ///   - object: what was sent, or the resource after changes, as `ResourceType.normalized` leaves it.
    ///   - includesUnsentFields: whether members that are absent were removed, and not only left out.
    init(_ object: JSONObject, includesUnsentFields: Bool = false) throws(Refusal) {
        guard let name = try UserDraft.lineIfAny(object["displayName"], "displayName", 256) else {
            throw .value("displayName", "is required.")
        }
        self.name = name
        externalID = try UserDraft.lineIfAny(object["externalId"], "externalId", 255)
        location = try UserDraft.lineIfAny(
            object[Schema.schoolGroup.id]?["location"], "location", 256)
        members = try Self.members(object["members"]?.array) ?? (includesUnsentFields ? [] : nil)
    }

    /// The columns of the class; all others stay as they are.
    ///
    /// - Parameter location: where the class is from now on; `nil` for where it is.
    func columns(at location: UUID?) -> JSONObject {
        var columns = JSONObject([("name", .text(name))])
        if let location { columns["location_id"] = .text(location.description) }
        return columns
    }

    private static func members(_ values: [JSONValue]?) throws(Refusal) -> [UUID]? {
        guard let values else { return nil }
        var members: [UUID] = []
        for value in values {
            let text = value["value"]?.text ?? ""
            guard let id = UUID(text) else {
                throw .value("members.value", "\(text.prefix(100)) is not the id of a user.")
            }
            if let type = value["type"]?.text, type.lowercased() != "user" {
                throw .value("members.type", "members are users.")
            }
            members.append(id)
        }
        return members
    }
}

/// Writes groups in one transaction.
struct Groups {
    let session: Session
    let asking: Asking

    private var organization: OrganizationID { asking.organization }
    private var users: Users { Users(session: session, asking: asking) }

    // MARK: Creating

    /// A new class.
    func create(_ body: JSONObject) async throws -> ScimResource {
        let draft = try GroupDraft(ResourceType.group.normalized(body))
        let id = UUID.v7()
        let place = try await users.location(draft.location)
        try await session.query(.insertClass(id, draft, at: place, of: organization))
        if draft.externalID != nil { try await call(.class, id, draft.externalID) }
        let present = try await read(id)
        try await setMembers(of: present, from: [], to: draft.members ?? [])
        return try await read(id)
    }

    // MARK: Changing

    /// Changes a group that is locked until the transaction ends: of two who add members at once, both do.
    func change(
        _ id: UUID, unlessChanged tags: EntityTags?, to wanted: WantedResource
    ) async throws -> ScimResource {
        let present = try await lock(id)
        try present.check(tags)
        let was = try ResourceType.group.normalized(present.object)
        var draft = try GroupDraft(
            wanted.object(of: id, from: was), includesUnsentFields: wanted.includesUnsentFields)
        let former = try GroupDraft(was, includesUnsentFields: true)
        if !wanted.includesUnsentFields, draft.externalID == nil {
            draft.externalID = former.externalID
        }
        let isMoved = draft.location != nil && draft.location != former.location
        if draft.name != former.name || isMoved {
            try await update(present, draft, isMoved: isMoved)
        }
        if draft.externalID != former.externalID {
            try await call(present.isClass ? .class : .location, id, draft.externalID)
        }
        if let members = draft.members {
            try await setMembers(of: present, from: former.members ?? [], to: members)
        }
        return try await read(id)
    }

    private func update(
        _ present: ScimResource, _ draft: GroupDraft, isMoved: Bool
    ) async throws {
        guard present.isClass else {
            guard !isMoved else {
                throw Refusal(400, .mutability, "location: a location is where it is.")
            }
            try await session.query(.updateLocation(present.id, draft, of: organization))
            return
        }
        let place = try await isMoved ? users.location(draft.location) : nil
        try await session.query(.updateClass(present.id, draft, at: place, of: organization))
    }

    private func call(_ kind: CalledKind, _ id: UUID, _ externalID: String?) async throws {
        try await session.query(.call(kind, id, externalID, by: asking.caller))
    }

    // MARK: Removing

    /// Removes a class without handouts; one with handouts is archived, since reports name it.
    func remove(_ id: UUID, unlessChanged tags: EntityTags?) async throws {
        let present = try await lock(id)
        try present.check(tags)
        guard present.isClass else {
            throw Problem.forbidden("Locations are made and removed in Homeroom.")
        }
        let hanging = try await session.query(.handouts(ofClass: id))
        let isFree = try hanging[0].int("handouts") == 0
        _ = try await session.query([
            isFree ? .deleteClass(id) : .archiveClass(id, of: organization),
            .audit(
                "removal", subjectKind: "class", subject: id,
                details: isFree ? [:] : ["change": "archived"]),
        ])
    }

    // MARK: Members

    private func setMembers(
        of group: ScimResource, from former: [UUID], to wanted: [UUID]
    ) async throws {
        let (was, becomes) = (Set(former), Set(wanted))
        let joining = becomes.subtracting(was).sorted { $0.description < $1.description }
        let leaving = was.subtracting(becomes).sorted { $0.description < $1.description }
        if !leaving.isEmpty {
            if group.isClass {
                try await session.query(.endSeats(of: leaving, in: group.id))
            } else {
                try await leave(leaving, group.id)
            }
        }
        guard !joining.isEmpty else { return }
        let known = try await session.query(.users(joining))
        for row in known {
            guard try row.isNull("id") else { continue }
            throw Refusal.value(
                "members.value", "user \(try row.uuid("wanted")) does not exist.")
        }
        if group.isClass {
            try await seat(known, in: group.id)
        } else {
            try await join(joining, group.id)
        }
    }

    private func seat(_ people: Rows, in id: UUID) async throws {
        let rows = try people.enumerated().map { position, row in
            let role = try row.bool("learns") ? "student" : "teacher"
            return [
                "position": .number(JSONNumber(Int64(position))),
                "class_id": .text(id.description), "role": .text(role),
                "person_id": .text(try row.uuid("id").description),
            ] as JSONValue
        }
        let outcomes = try await session.query(
            .putSeats(JSONDocument(JSONValue.array(rows).bytes)))
        for row in outcomes {
            switch try row.text("outcome") {
            case "created", "updated", "unchanged": continue
            case "full":
                throw Refusal(
                    409, nil,
                    "members: the class holds at most \(try row.int("most")) of this role.")
            case let outcome:
                throw Refusal(409, nil, "members: a seat cannot be given (\(outcome)).")
            }
        }
    }

    /// People come to a location in the roles that they hold elsewhere.
    private func join(_ people: [UUID], _ location: UUID) async throws {
        try await users.checkMayChange(people, "members")
        let held = try await heldRoles(people)
        let plans = people.map { person in
            let words = Set((held[person] ?? []).map(\.role))
            return RolePlan(
                person,
                given: (words.isEmpty ? ["staff"] : words.sorted()).map {
                    RoleAtLocation(role: $0, location: location)
                }, taken: [])
        }
        try await session.query(.putRoles(plans))
    }

    private func leave(_ people: [UUID], _ location: UUID) async throws {
        try await users.checkMayChange(people, "members")
        let held = try await heldRoles(people)
        let plans = people.map { person in
            RolePlan(
                person, given: [],
                taken: (held[person] ?? []).filter { $0.location == location })
        }
        try await session.query(.putRoles(plans))
    }

    private func heldRoles(_ people: [UUID]) async throws -> [UUID: [RoleAtLocation]] {
        var held: [UUID: [RoleAtLocation]] = [:]
        for row in try await session.query(.roles(of: people, of: organization)) {
            held[try row.uuid("person_id"), default: []].append(
                RoleAtLocation(
                    role: try row.text("role"), location: try row.uuid("location_id")))
        }
        return held
    }

    // MARK: Steps

    private func lock(_ id: UUID) async throws -> ScimResource {
        let locked = try await session.query([
            .lockClass(id, of: organization), .lockLocation(id, of: organization),
        ])
        guard locked.contains(where: { $0.count > 0 }) else { throw Refusal.notFound }
        return try await read(id)
    }

    func read(_ id: UUID) async throws -> ScimResource {
        let rows = try await session.query(.resource(.group, id, .all))
        guard let row = rows.first else { throw Refusal.notFound }
        return try ScimResource(row, of: .group, root: asking.root)
    }
}

extension ScimResource {
    /// Whether a group is a class, not a location.
    fileprivate var isClass: Bool { object[Schema.schoolGroup.id]?["kind"] == "class" }
}
