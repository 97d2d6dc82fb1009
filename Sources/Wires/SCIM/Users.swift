import API
import Crypto
import JSONBytes
import Postgres
import School
import Values

/// Who asks, and by which URL.
struct Asking: Sendable {
    let caller: Caller
    /// What addresses of resources begin with.
    let root: String
    /// For all operations of the request.
    let patches = PatchBudget()

    var organization: OrganizationID { caller.organizationID }
}

/// Writes users in one transaction.
struct Users {
    let session: Session
    let asking: Asking

    // MARK: Creating

    /// A new user, or one whom the identity provider had removed, with what he or she had.
    func create(_ body: JSONObject) async throws -> ScimResource {
        var draft = try UserDraft(ResourceType.user.normalized(body))
        draft.userName = try await withDomain(draft.userName)
        let found = try await session.query(
            .lockPerson(managedID: draft.userName, of: asking.organization))
        if let row = found.first {
            guard try row.bool("is_withdrawn") else {
                throw Refusal(409, .uniqueness, "userName: another user has it.")
            }
            let id = try row.uuid("id")
            draft.isActive = draft.isActive ?? true
            if draft.roles?.isEmpty == true { draft.roles = nil }
            try await session.query(.takeUp(id, of: asking.organization))
            return try await change(try await read(id), to: draft)
        }
        let id = UUID.v7()
        try await reserve(draft.userName, for: id)
        try await session.query(.insert(id, draft, of: asking.organization))
        if draft.externalID != nil { try await call(id, draft.externalID) }
        let roles = draft.roles ?? []
        let plan = RolePlan(
            id, held: [], words: roles.isEmpty ? ["staff"] : roles, location: nil,
            home: try await location(draft.location))
        try await give(plan)
        if draft.isActive == false { try await setActive(false, id) }
        return try await read(id)
    }

    // MARK: Changing

    func change(
        _ id: UUID, unlessChanged tags: EntityTags?, to wanted: WantedResource
    ) async throws -> ScimResource {
        let locked = try await session.query(.lockPerson(id, of: asking.organization))
        guard locked.count > 0 else { throw Refusal.notFound }
        let present = try await read(id)
        try present.check(tags)
        var was = try ResourceType.user.normalized(present.object)
        // Entra knows one role, the primary one, and replaces it: with that, all that the person has.
        if let roles = was["roles"]?.array {
            was["roles"] = .array(
                roles.map { ["value": $0["value"] ?? .null, "primary": true] })
        }
        var draft = try UserDraft(
            wanted.object(of: id, from: was), includesUnsentFields: wanted.includesUnsentFields)
        if !wanted.includesUnsentFields, draft.externalID == nil {
            // Clients find the user by it, and some send it only once.
            draft.externalID = present.object["externalId"]?.text
        }
        draft.userName = try await withDomain(draft.userName)
        return try await change(present, to: draft)
    }

    private func change(
        _ present: ScimResource, to draft: UserDraft
    ) async throws -> ScimResource {
        let was = try UserDraft(ResourceType.user.normalized(present.object))
        let hasNewFields = draft.columns != was.columns
        let isActive = draft.isActive == was.isActive ? nil : draft.isActive
        let plan = try await plan(present.id, from: was, to: draft)
        let isCalledAnew = draft.externalID != was.externalID
        if isCalledAnew { try await call(present.id, draft.externalID) }
        guard hasNewFields || isActive != nil || plan != nil else {
            return isCalledAnew ? try await read(present.id) : present
        }
        try await checkMayChange([present.id], "userName")
        if hasNewFields { try await update(present.id, from: was, to: draft) }
        if let plan { try await give(plan) }
        if let isActive { try await setActive(isActive, present.id) }
        return try await read(present.id)
    }

    private func update(
        _ id: UUID, from was: UserDraft, to draft: UserDraft
    ) async throws {
        let isRenamed = was.userName.lowercased() != draft.userName.lowercased()
        try await checkMayBecome(id, isRenamed ? "managedId" : nil, "userName")
        let hasNewEmail = was.email?.lowercased() != draft.email?.lowercased()
        try await checkMayBecome(id, hasNewEmail ? "email" : nil, "emails")
        if isRenamed { try await reserve(draft.userName, for: id) }
        try await session.query(.update(id, draft, of: asking.organization))
        guard isRenamed else { return }
        _ = try await session.query(.releaseManagedIDs(of: id, of: asking.organization))
    }

    /// Refuses a name with which an account at a sign-in provider could become the person's.
    ///
    /// - Parameter way: as `ways_in` in SQL names it; `nil` where the name stays.
    private func checkMayBecome(_ id: UUID, _ way: String?, _ attribute: String) async throws {
        guard let way, try await !session.query(.mayBecome(way, id))[0].bool("may") else { return }
        throw Problem.forbidden(
            "\(attribute): this person teaches or taught and has signed in. An administrator changes it in Homeroom."
        )
    }

    /// Keeps what the client calls a user; `nil` for nothing. It is the client’s own, whatever role the person holds.
    private func call(_ id: UUID, _ externalID: String?) async throws {
        try await session.query(.call(.person, id, externalID, by: asking.caller))
    }

    /// What happens to the roles of a user; `nil` for nothing.
    private func plan(
        _ id: UUID, from was: UserDraft, to draft: UserDraft
    ) async throws -> RolePlan? {
        let hasNewRoles = draft.roles != nil && draft.roles != (was.roles ?? [])
        let isMoved = draft.location != nil && draft.location != was.location
        guard hasNewRoles || isMoved else { return nil }
        let rows = try await session.query(.roles(of: [id], of: asking.organization))
        let held = try rows.map {
            RoleAtLocation(role: try $0.text("role"), location: try $0.uuid("location_id"))
        }
        let place = try await isMoved ? location(draft.location) : nil
        let home: UUID
        if let first = held.first {
            home = first.location
        } else {
            home = try await location(draft.location)
        }
        let plan = RolePlan(id, held: held, words: draft.roles, location: place, home: home)
        return plan.isEmpty ? nil : plan
    }

    private func setActive(_ isActive: Bool, _ id: UUID) async throws {
        _ = try await session.query([
            .setActive(isActive, id, of: asking.organization),
            .auditPerson(id, change: isActive ? "reactivated" : "deactivated"),
        ])
    }

    // MARK: Removing

    /// Deactivates a user, whom the identity provider no longer sees from then on.
    func remove(_ id: UUID, unlessChanged tags: EntityTags?) async throws {
        let locked = try await session.query(.lockPerson(id, of: asking.organization))
        guard locked.count > 0 else { throw Refusal.notFound }
        let present = try await read(id)
        try present.check(tags)
        try await checkMayChange([id], "id")
        var statements: [Statement] = [.withdraw(id, of: asking.organization)]
        if present.object["active"] == true {
            statements.append(.auditPerson(id, change: "deactivated"))
        }
        statements.append(.auditPerson(id, change: "withdrawn"))
        _ = try await session.query(statements)
    }

    // MARK: Steps

    func read(_ id: UUID) async throws -> ScimResource {
        let rows = try await session.query(.resource(.user, id, .all))
        guard let row = rows.first else { throw Refusal.notFound }
        return try ScimResource(row, of: .user, root: asking.root)
    }

    /// Refuses to change people with roles that the caller may not give.
    func checkMayChange(_ ids: [UUID], _ attribute: String) async throws {
        let rows = try await session.query(.higher(ids, of: asking.organization))
        guard rows.count == 0 else {
            throw Problem.forbidden(
                "\(attribute): this person holds a role that people give. Change the person in Homeroom."
            )
        }
    }

    func give(_ plan: RolePlan) async throws {
        guard !plan.isEmpty else { return }
        let standing = asking.caller.standing
        guard (plan.given + plan.taken).allSatisfy({ standing.mayManage($0.role) }) else {
            throw Problem.forbidden(
                "roles: only staff, student and teacher can be given and taken over SCIM.")
        }
        try await session.query(.putRoles([plan]))
    }

    /// The location that a text names; without a text, that of the service account or the only one of the organization.
    func location(_ text: String?) async throws -> UUID {
        let rows = try await session.query(.location(text, of: asking.organization))
        guard let row = rows.first else {
            throw Refusal.value(
                "organization", "your organization has no location of this name or id.")
        }
        guard rows.count == 1 else {
            throw Refusal.value(
                "organization",
                text == nil
                    ? "say which location it is, or give the service account a default location."
                    : "several locations have this name.")
        }
        return try row.uuid("id")
    }

    /// A managed ID in the first domain of the organization, unless it has one.
    private func withDomain(_ userName: String) async throws -> String {
        guard !userName.contains("@") else { return userName }
        let rows = try await session.query(.firstDomain(of: asking.organization))
        guard let domain = try rows.first?.text("domain") else {
            throw Refusal.value("userName", "the organization has no domain for managed IDs yet.")
        }
        let managedID = "\(userName)@\(domain)"
        guard EmailAddress.isValid(managedID), managedID.unicodeScalars.count <= 128 else {
            throw Refusal.value("userName", "cannot be made a managed ID.")
        }
        return managedID
    }

    private func reserve(_ managedID: String, for id: UUID) async throws {
        let rows = try await session.query(
            .reserve(managedID, for: id, of: asking.organization))
        switch try rows[0].text("outcome") {
        case "reserved": return
        case "taken": throw Refusal(409, .uniqueness, "userName: another user has it.")
        default:
            throw Refusal.value("userName", "this domain is not one of your organization’s.")
        }
    }
}
