import JSONBytes
import Postgres
import School
import Values

extension Statement {
    /// The id of a location.
    static func id(
        of reference: Reference<LocationEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select l.location_id as "id" from school.location as l
         where l.organization_id = \(organization) and \(fragment: reference.names("l"))
        """
    }

    static let privilegeSettings: Statement = """
        select coalesce(json_agg(json_build_object(
                   'privilege', p.name, 'locationId', p.location_id, 'granted', p.is_granted,
                   'inherited', not p.is_own)
                   order by p.name, l.name nulls first, p.location_id), '[]') as items
          from school.privileges_of_locations() as p
          left join school.location as l
            on l.organization_id = school.my_organization() and l.location_id = p.location_id
        """

    static func set(
        _ privilege: Privilege, at location: LocationID?, _ isGranted: Bool,
        of organization: OrganizationID
    ) -> Statement {
        """
        insert into school.privilege (organization_id, name, location_id, is_granted)
        values (\(organization), \(privilege.rawValue), \(location), \(isGranted))
            on conflict on constraint privilege_is_set_once
            do update set is_granted = excluded.is_granted
        """
    }

    static func inherit(
        _ privilege: Privilege, at location: LocationID?, of organization: OrganizationID
    ) -> Statement {
        """
        delete from school.privilege
         where organization_id = \(organization) and name = \(privilege.rawValue)
           and location_id = \(location)
        """
    }

    /// - Parameter isGranted: `nil` if the location follows the organization again.
    static func audit(
        _ privilege: Privilege, at location: LocationID?, granted isGranted: Bool?
    ) -> Statement {
        let granted: JSONValue = isGranted.map { .bool($0) } ?? .null
        return .audit(
            "privilegeChange", subjectKind: location == nil ? "organization" : "location",
            subject: location?.uuid,
            details: ["privilege": .text(privilege.rawValue), "granted": granted])
    }

    // MARK: Holding

    static let ownPrivileges: Statement = """
        select coalesce(json_agg(json_build_object(
                   'privilege', p.name, 'locationId', p.location_id, 'locationName', l.name)
                   order by l.name, p.location_id, p.name), '[]') as items
          from school.my_privileges() as p
          join school.location as l
            on l.organization_id = school.my_organization() and l.location_id = p.location_id
        """

    static func privileges(in id: ClassID) -> Statement {
        """
        select \(id)::uuid as class_id, may_change as "change",
               may_reset_passwords as "resetPasswords"
          from school.privileges_in_class(\(id))
        """
    }

    // MARK: Classes

    static func make(
        _ id: ClassID, at location: LocationID, in term: TermID?, _ name: String,
        _ number: String?, _ room: String?
    ) -> Statement {
        """
        select school.make_class(\(id), \(location), \(term), \(name), \(number), \(room)) as outcome
        """
    }

    static func madeClass(_ id: ClassID, of organization: OrganizationID) -> Statement {
        """
        select c.class_id as "id", c.name, c.number, c.room, c.location_id, c.term_id, c.created_at,
               c.updated_at, c.version
          from school.class as c
         where c.organization_id = \(organization) and c.class_id = \(id)
        """
    }

    /// Locks a class that teachers made: `outcome` and `version`.
    static func hold(_ id: ClassID) -> Statement {
        "select outcome, version from school.hold_made_class(\(id))"
    }

    static func change(_ id: ClassID, _ changes: JSONDocument) -> Statement {
        "select school.change_made_class(\(id), \(changes)) as outcome"
    }

    static func delete(_ id: ClassID) -> Statement {
        "select school.delete_made_class(\(id)) as outcome"
    }

    // MARK: Rosters

    /// `outcome` in the first row, then people.
    static func candidates(for id: ClassID, _ role: String, _ query: String) -> Statement {
        """
        select outcome, person_id, given_name, family_name, name_order, grade
          from school.search_candidates(\(id), \(role), \(query))
        """
    }

    static func put(_ person: PersonID, as role: String, in id: ClassID) -> Statement {
        "select school.put_made_seat(\(id), \(role), \(person)) as outcome"
    }

    static func end(_ person: PersonID, as role: String, in id: ClassID) -> Statement {
        "select school.end_made_seat(\(id), \(role), \(person)) as outcome"
    }
}
