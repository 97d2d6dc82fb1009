import JSONBytes
import Postgres
import School
import Values

extension Statement {
    /// Whether too many wrong tries lock the person out at this moment; whoever is deactivated is just that.
    static let isLocked: Statement = """
        (p.deactivated_at is null and p.person_id = any ((select school.locked_person_ids())::uuid[]))
        """

    /// What the ETag is made of: a lock begins and ends without a change of the person, and shows.
    private static let personVersion: Statement = """
        p.version * 2 + \(fragment: isLocked)::integer as version
        """

    static let personColumns: Statement = """
        select p.person_id as "id", p.source_id as "sourceId", p.given_name as "givenName",
               p.middle_name as "middleName", p.family_name as "familyName",
               p.person_number as "personNumber", p.managed_id as "managedId", p.email, p.grade,
               p.password_policy as "passwordPolicy",
               case when \(fragment: isLocked) then 'locked' else p.status end as "status",
               (select coalesce(json_agg(json_build_object('role', r.role, 'locationId', r.location_id)
                                         order by r.role, r.location_id), '[]')
                  from school.person_role as r
                 where r.organization_id = p.organization_id and r.person_id = p.person_id) as "roles",
               p.is_progress_paused as "progressPaused", p.created_at as "createdAt",
               p.updated_at as "updatedAt", \(fragment: personVersion)
          from school.person as p
        """

    static func person(
        _ reference: Reference<PersonEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: personColumns)
         where p.organization_id = \(organization) and \(fragment: reference.names("p"))
        """
    }

    static func lockPerson(
        _ reference: Reference<PersonEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id as "id", p.status, \(fragment: isLocked) as "isLocked",
               \(fragment: personVersion)
          from school.person as p
         where p.organization_id = \(organization) and \(fragment: reference.names("p"))
           for update
        """
    }

    static func add(
        _ person: NewPerson, _ id: PersonID, managedID: String, to organization: OrganizationID
    ) -> Statement {
        """
        insert into school.person
               (organization_id, person_id, source_id, given_name, middle_name, family_name,
                person_number, managed_id, email, grade, password_policy)
        values (\(organization), \(id), \(person.sourceID), \(person.givenName), \(person.middleName),
                \(person.familyName), \(person.personNumber), \(managedID), \(person.email),
                \(person.grade), \(person.passwordPolicy))
        """
    }

    /// Replaces everything but the managed ID, which stays where it is `nil`.
    ///
    /// - Parameter isByHand: an edit of more than managed ID, roles and password makes an imported person a
    ///   manual one, whom imports no longer deactivate, as in Apple School Manager.
    static func replace(
        _ id: PersonID, by person: NewPerson, managedID: String?, isByHand: Bool,
        of organization: OrganizationID
    ) -> Statement {
        """
        update school.person
           set source_id = \(person.sourceID), given_name = \(person.givenName),
               middle_name = \(person.middleName), family_name = \(person.familyName),
               person_number = \(person.personNumber), managed_id = coalesce(\(managedID), managed_id),
               email = \(person.email), grade = \(person.grade),
               password_policy = \(person.passwordPolicy),
               origin = case when \(isByHand)
                              and (source_id, given_name, middle_name, family_name, person_number,
                                   email, grade)
                                  is distinct from
                                  (\(person.sourceID), \(person.givenName), \(person.middleName),
                                   \(person.familyName), \(person.personNumber), \(person.email),
                                   \(person.grade))
                             then 'manual' else origin end
         where organization_id = \(organization) and person_id = \(id)
        """
    }
}

// MARK: Managed IDs

extension Statement {
    static func makeManagedID(
        for person: NewPerson, _ id: PersonID, of organization: OrganizationID
    ) -> Statement {
        """
        select managed_id
          from school.make_managed_ids(
               \(organization), \([id]), \([person.givenName]), \([person.middleName]),
               \([person.familyName]), \([person.personNumber]), \([person.sourceID]),
               \([person.email]), \([person.grade]))
        """
    }

    static func reserve(
        _ managedID: String, for id: PersonID, of organization: OrganizationID
    ) -> Statement {
        """
        select outcome from school.reserve_managed_ids(\(organization), \([id]), \([managedID]))
        """
    }

    static func releaseManagedIDs(of id: PersonID, of organization: OrganizationID) -> Statement {
        """
        select school.release_managed_ids(\(organization), \([id]))
        """
    }

    static func managedID(of id: PersonID, of organization: OrganizationID) -> Statement {
        """
        select managed_id from school.person
         where organization_id = \(organization) and person_id = \(id)
        """
    }
}

// MARK: Roles

extension Statement {
    static func roles(of id: PersonID, of organization: OrganizationID) -> Statement {
        """
        select role, location_id from school.person_role
         where organization_id = \(organization) and person_id = \(id)
        """
    }

    static func give(
        _ roles: [HeldRole], to id: PersonID, of organization: OrganizationID
    ) -> Statement {
        """
        insert into school.person_role (organization_id, person_id, location_id, role)
        select \(organization), \(id), w.location_id, w.role
          from unnest(\(roles.map(\.locationID)), \(roles.map(\.role))) as w (location_id, role)
        """
    }

    static func take(
        _ roles: [HeldRole], from id: PersonID, of organization: OrganizationID
    ) -> Statement {
        """
        delete from school.person_role as r
         using unnest(\(roles.map(\.locationID)), \(roles.map(\.role))) as w (location_id, role)
         where r.organization_id = \(organization) and r.person_id = \(id)
           and r.location_id = w.location_id and r.role = w.role
        """
    }

    static func auditRoles(of id: PersonID, given: [HeldRole], taken: [HeldRole]) -> Statement {
        func list(_ roles: [HeldRole]) -> JSONValue {
            .array(
                roles.map {
                    [
                        "role": .text($0.role),
                        "locationId": .text($0.locationID.uuid.description),
                    ]
                })
        }
        return .audit(
            "roleChange", subjectKind: "person", subject: id.uuid,
            details: ["given": list(given), "taken": list(taken)])
    }

    static func auditPerson(_ id: PersonID, change: String) -> Statement {
        .audit(
            "personChange", subjectKind: "person", subject: id.uuid,
            details: ["change": .text(change)])
    }
}
