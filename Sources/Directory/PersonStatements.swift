import JSONBytes
import Postgres
import School
import Values

extension Statement {
    static let personColumns: Statement = """
        select p.person_id as "id", p.source_id as "sourceId", p.given_name as "givenName",
               p.middle_name as "middleName", p.family_name as "familyName",
               p.person_number as "personNumber", p.managed_id as "managedId", p.email, p.grade,
               p.password_policy as "passwordPolicy", p.status,
               (select coalesce(json_agg(json_build_object('role', r.role, 'locationId', r.location_id)
                                         order by r.role, r.location_id), '[]')
                  from school.person_role as r
                 where r.organization_id = p.organization_id and r.person_id = p.person_id) as "roles",
               p.is_progress_paused as "progressPaused", p.created_at as "createdAt",
               p.updated_at as "updatedAt", p.version
          from school.person as p
        """

    static func people(
        of organization: OrganizationID, _ filter: PersonFilter, after: UUID?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map { "and p.person_id > \($0)" }
        return """
            \(fragment: personColumns)
             where p.organization_id = \(organization)
               \(fragment: conditions(filter, of: organization)) \(optional: next)
             order by p.person_id limit \(limit)
            """
    }

    private static func conditions(
        _ filter: PersonFilter, of organization: OrganizationID
    ) -> Statement {
        let source: Statement? = filter.sourceID.map { "and p.source_id = \($0)" }
        let managedID: Statement? = filter.managedID.map {
            "and p.managed_id_key = \($0.lowercased())"
        }
        let status: Statement? = filter.status.map { "and p.status = \($0)" }
        let grade: Statement? = filter.grade.map { "and p.grade = \($0)" }
        let updated: Statement? = filter.updatedSince.map { "and p.updated_at >= \($0)" }
        return """
            \(optional: source) \(optional: managedID) \(optional: status) \(optional: grade)
            \(optional: updated) \(optional: role(filter, of: organization))
            \(optional: seat(filter, of: organization))
            """
    }

    /// A role and a location that are asked for together are one role at that location.
    private static func role(
        _ filter: PersonFilter, of organization: OrganizationID
    ) -> Statement? {
        guard filter.role != nil || filter.location != nil else { return nil }
        let role: Statement? = filter.role.map { "and r.role = \($0)" }
        let place: Statement? = filter.location.map {
            "and r.location_id = \(fragment: idOfLocation($0, of: organization))"
        }
        return """
            and exists (select from school.person_role as r
                         where r.organization_id = p.organization_id and r.person_id = p.person_id
                           \(optional: role) \(optional: place))
            """
    }

    private static func seat(
        _ filter: PersonFilter, of organization: OrganizationID
    ) -> Statement? {
        filter.classReference.map { reference in
            """
            and p.person_id in (
                select s.person_id from school.seat as s
                 where s.organization_id = \(organization)
                   and s.class_id = \(fragment: idOfClass(reference, of: organization))
                   and s.joined_at <= now() and (s.left_at is null or s.left_at > now()))
            """
        }
    }

    static func person(
        _ reference: Reference<PersonEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: personColumns)
         where p.organization_id = \(organization) and \(fragment: named(reference))
        """
    }

    static func lockPerson(
        _ reference: Reference<PersonEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id as "id", p.version from school.person as p
         where p.organization_id = \(organization) and \(fragment: named(reference))
           for update
        """
    }

    static func named(_ reference: Reference<PersonEntity>) -> Statement {
        switch reference {
        case .id(let id): "p.person_id = \(id)"
        case .source(let source): "p.source_id = \(source)"
        }
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
    static func replace(
        _ id: PersonID, by person: NewPerson, managedID: String?, of organization: OrganizationID
    ) -> Statement {
        """
        update school.person
           set source_id = \(person.sourceID), given_name = \(person.givenName),
               middle_name = \(person.middleName), family_name = \(person.familyName),
               person_number = \(person.personNumber), managed_id = coalesce(\(managedID), managed_id),
               email = \(person.email), grade = \(person.grade),
               password_policy = \(person.passwordPolicy)
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
               \([person.email]))
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

    /// Signs the person out everywhere: a token lives no longer than the roles it was given for.
    static func endSessions(of id: PersonID) -> Statement {
        """
        select school.end_sessions(\([id]), 'roleChange')
        """
    }
}
