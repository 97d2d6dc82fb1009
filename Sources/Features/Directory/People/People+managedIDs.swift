import API
import Postgres
import School

extension Directory {
    /// Reserves the managed ID from the body, or makes one for a new person without one.
    static func setManagedID(
        of person: inout Draft<PersonEntity>, _ session: Session, _ caller: Caller
    ) async throws {
        let organization = caller.organizationID
        guard let wanted = person.body.text("managedId") else {
            guard person.present == nil else { return }
            let made = try await session.query(.makeManagedID(for: person, of: organization))
            return person.set("managed_id", to: try made[0].text("managed_id"))
        }
        guard try person.present?.text("managed_id") != wanted else { return }
        let rows = try await session.query(.reserve(wanted, for: person.id, of: organization))
        switch try rows[0].text("outcome") {
        case "reserved": person.set("managed_id", to: wanted)
        case "taken": throw Problem.managedIDTaken
        default: throw Problem.foreignDomain
        }
    }

    /// Releases the managed ID that a new one has replaced.
    static func completeManagedID(
        of person: Draft<PersonEntity>, _ session: Session, _ caller: Caller
    ) async throws {
        guard let present = person.present, let wanted = person.body.text("managedId"),
            try present.text("managed_id") != wanted
        else { return }
        _ = try await session.query(
            .releaseManagedIDs(of: person.id, of: caller.organizationID))
    }

    /// Refuses an email or a managed ID with which the caller could become the person.
    ///
    /// A `PUT` without an email keeps one that the caller may not erase: scripts replace people with what they know.
    static func checkSignIn(of person: inout Draft<PersonEntity>, _ session: Session) async throws {
        guard let present = person.present else { return }
        let was = [
            try present.optionalText("email"), try present.optionalText("managed_id"),
        ].map { $0?.lowercased() }
        let becomes = [person[email], person.body.text("managedId") ?? was[1]]
            .map { $0?.lowercased() }
        for (index, name) in ["email", "managedId"].enumerated() where was[index] != becomes[index]
        {
            let rows = try await session.query(.mayBecome(name, person.id))
            if try rows[0].bool("may") { continue }
            guard name == "email", !person.body.has(name) else {
                throw Problem.guardedSignIn("/\(name)")
            }
            person[email] = try present.optionalText(name)
        }
    }
}

extension Statement {
    fileprivate static func mayBecome(_ way: String, _ id: PersonID) -> Statement {
        "select school.may_become(\(way), \(id)) as may"
    }

    fileprivate static func makeManagedID(
        for person: Draft<PersonEntity>, of organization: OrganizationID
    ) -> Statement {
        func value(_ name: String) -> [String?] { [person.body.text(name)] }
        return """
            select managed_id
              from school.make_managed_ids(
                   \(organization), \([person.id]), \(value("givenName")), \(value("middleName")),
                   \(value("familyName")), \(value("personNumber")), \([person[.sourceID]]),
                   \(value("email")), \(value("grade")))
            """
    }

    fileprivate static func reserve(
        _ managedID: String, for id: PersonID, of organization: OrganizationID
    ) -> Statement {
        """
        select outcome from school.reserve_managed_ids(\(organization), \([id]), \([managedID]))
        """
    }

    fileprivate static func releaseManagedIDs(
        of id: PersonID, of organization: OrganizationID
    ) -> Statement {
        """
        select school.release_managed_ids(\(organization), \([id]))
        """
    }
}
