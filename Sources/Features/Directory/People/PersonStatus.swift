import API
import HTTPWire
import Postgres
import School

/// Whether a person can sign in; uses the same four words as Apple School Manager.
enum PersonStatus: String, CaseIterable {
    /// Never signed in.
    case new
    /// Signed in once or more.
    case active
    /// Cannot sign in, but keeps seats and roles in case of reactivation.
    case deactivated
    /// Too many wrong tries. Ends by itself, with a temporary password, or with DELETE …/sign-in-lock.
    case locked

    static let words = allCases.map(\.rawValue)
}

extension Directory {
    var personStatusEndpoints: [Endpoint] {
        let answers = [
            Endpoint.Answer.json("As it is now.", .object(Self.people.shape)).tagged
        ]
        let higher = (403, "The person has a role you may not give.")
        let changed = (412, "It changed since you read it.")
        let path = "/v1/people/{id}/deactivation"
        let deactivation = Endpoint(
            .put, path, "Deactivate a person",
            description: """
                The person is signed out everywhere and cannot sign in. Roles, classes and records stay; \
                licences that can be returned are taken back if the organization says so. Repeating the call \
                changes nothing.
                """,
            for: Self.peopleWriters, answers: answers,
            problems: [higher, (409, "The person is the only active administrator."), changed],
            handler: deactivatePerson)
        let reactivation = Endpoint(
            .delete, path, "Reactivate a person",
            description: """
                Roles and classes are still there; licences that were taken back are not. The call changes \
                nothing for someone who can sign in.
                """,
            for: Self.peopleWriters, answers: answers,
            problems: [higher, (409, "The person is locked, not deactivated."), changed],
            handler: reactivatePerson)
        return [
            deactivation, deactivation.formerly(.post, path),
            reactivation, reactivation.formerly(.post, "/v1/people/{id}/reactivation"),
            Endpoint(
                .delete, "/v1/people/{id}", "Remove a person nothing refers to",
                description: """
                    Only for people who are new or deactivated. To remove a person with all records, use `POST \
                    /v1/people/{id}/erasure`.
                    """,
                for: Self.peopleWriters, answers: [.empty(204, "Removed.")],
                problems: [
                    higher,
                    (
                        409,
                        "The person is active, or other records refer to the person; `detail` says which."
                    ),
                    changed,
                ], handler: deletePerson),
        ]
    }

    /// Deactivates a person; has no effect when repeated.
    func deactivatePerson(_ request: Request, _ caller: Caller) async throws -> Response {
        try await change(request, caller) { session, id, found in
            guard try found.text("status") != PersonStatus.deactivated.rawValue else { return }
            _ = try await session.query([
                .deactivate(id, of: caller.organizationID), .auditPerson(id, change: "deactivated"),
            ])
        }
    }

    /// Reactivates a person; has no effect on someone who can sign in.
    func reactivatePerson(_ request: Request, _ caller: Caller) async throws -> Response {
        try await change(request, caller) { session, id, found in
            if try found.bool("is_locked") { throw Problem.personLocked }
            guard try found.text("status") == PersonStatus.deactivated.rawValue else { return }
            _ = try await session.query([
                .reactivate(id, of: caller.organizationID), .auditPerson(id, change: "reactivated"),
            ])
        }
    }

    /// Deletes a person who is new or deactivated and to whom nothing refers.
    func deletePerson(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        return try await database.transaction(as: caller) { session in
            let (id, found) = try await lock(reference, request, session, caller)
            guard
                [PersonStatus.new, .deactivated].map(\.rawValue).contains(try found.text("status"))
            else { throw Problem.personIsActive }
            let hanging = try await session.query(.deletePerson(id)).map {
                "\(try $0.text("kind")) (\(try $0.int("total")))"
            }
            guard hanging.isEmpty else { throw Problem.personInUse(hanging) }
            return .noContent
        }
    }

    private func change(
        _ request: Request, _ caller: Caller,
        _ body: (Session, PersonID, Row) async throws -> Void
    ) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        return try await database.transaction(as: caller) { session in
            let (id, found) = try await lock(reference, request, session, caller)
            try await body(session, id, found)
            return try .object(
                try await session.query(Self.people.find(.id(id), of: caller.organizationID)))
        }
    }

    /// The person, locked until the transaction ends, if the caller may change him or her.
    private func lock(
        _ reference: Reference<PersonEntity>, _ request: Request, _ session: Session,
        _ caller: Caller
    ) async throws -> (PersonID, Row) {
        let rows = try await session.query(
            Self.people.lock(reference, of: caller.organizationID))
        guard rows.count > 0 else { throw Problem.notFound }
        try request.checkMatch(version: try rows[0].int("version"))
        let id = PersonID(try rows[0].uuid("id"))
        try Self.checkMayManage(try await Self.heldRoles(of: id, session, caller), caller)
        return (id, rows[0])
    }
}

extension Problem {
    static let lastAdministrator = Problem(
        409, "last_administrator", "An organization needs an active administrator.",
        detail: "Make someone else an administrator first.")

    static let personLocked = Problem(
        409, "person_locked", "The person is locked, not deactivated.",
        detail: "The lock ends by itself. DELETE …/sign-in-lock lifts it at once.")

    static let personIsActive = Problem(
        409, "person_active", "This person is active.",
        detail:
            "Deactivate the person first with POST /v1/people/{id}/deactivation. Deactivated people "
            + "cannot sign in, and their records stay.")

    /// - Parameter hanging: what refers to the person, with counts.
    static func personInUse(_ hanging: [String]) -> Problem {
        Problem(
            409, "person_in_use", "Other records refer to this person.",
            detail: "There are \(hanging.joined(separator: ", ")). Leave the person deactivated: "
                + "deactivated people cannot sign in, and their records stay.")
    }
}

extension Statement {
    static func deactivate(_ id: PersonID, of organization: OrganizationID) -> Statement {
        """
        select school.set_deactivated(\(organization), \([id]), school.moment())
        """
    }

    static func reactivate(_ id: PersonID, of organization: OrganizationID) -> Statement {
        """
        select school.set_deactivated(\(organization), \([id]), null)
        """
    }

    static func deletePerson(_ id: PersonID) -> Statement {
        """
        select kind, total from school.delete_person(\(id))
        """
    }
}
