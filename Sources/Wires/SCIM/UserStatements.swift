import JSONBytes
import Postgres
import School
import Values

extension Statement {
    /// One resource; no row if there is none.
    static func resource(
        _ type: ResourceType, _ id: UUID, _ projection: Projection
    ) -> Statement {
        """
        select \(fragment: type.columns(projection)) from \(fragment: type.source) as x where x.id = \(id)
        """
    }

    /// Locks a person by the managed ID.
    static func lockPerson(managedID: String, of organization: OrganizationID) -> Statement {
        """
        select p.person_id as id,
               p.deactivated_at is not null and p.withdrawn_at is not distinct from p.deactivated_at as is_withdrawn
          from school.person as p
         where p.organization_id = \(organization) and p.managed_id_key = lower(\(managedID))
           for no key update
        """
    }

    static func lockPerson(_ id: UUID, of organization: OrganizationID) -> Statement {
        """
        select p.person_id as id from school.person as p
         where p.organization_id = \(organization) and p.person_id = \(id)
           for no key update
        """
    }

    /// Those of the people who hold a role that the caller may not give.
    static func higher(_ ids: [UUID], of organization: OrganizationID) -> Statement {
        """
        select r.person_id from school.person_role as r
         where r.organization_id = \(organization) and r.person_id = any (\(ids)) and not school.may_give_role(r.role)
        """
    }

    /// Roles of people, in the order of their locations’ names.
    static func roles(of ids: [UUID], of organization: OrganizationID) -> Statement {
        """
        select r.person_id, r.role, r.location_id
          from school.person_role as r
          join school.location as l on l.organization_id = r.organization_id and l.location_id = r.location_id
         where r.organization_id = \(organization) and r.person_id = any (\(ids))
         order by l.name collate "C", l.location_id, r.role
        """
    }

    static func putRoles(_ plans: [RolePlan]) -> Statement {
        let document = JSONDocument(JSONValue.array(plans.map(\.json)).bytes)
        return "select school.put_people_roles(\(document))"
    }

    /// The locations that a text names: by our id, by the school’s own, or else by name. Without a text, all of them,
    /// but no more than two.
    static func location(_ text: String?, of organization: OrganizationID) -> Statement {
        guard let text else {
            return """
                select l.location_id as id
                  from school.location as l cross join (select school.my_default_location() as id offset 0) as d
                 where l.organization_id = \(organization) and (d.id is null or l.location_id = d.id)
                 limit 2
                """
        }
        return """
            select l.location_id as id
              from (select location_id, case when location_id::text = lower(\(text)) then 1
                                             when source_id = \(text) then 2
                                             when lower(name) = lower(\(text)) then 3 end as place,
                           min(case when location_id::text = lower(\(text)) then 1
                                    when source_id = \(text) then 2
                                    when lower(name) = lower(\(text)) then 3 end) over () as best
                      from school.location where organization_id = \(organization)) as l
             where l.place = l.best limit 2
            """
    }

    static func firstDomain(of organization: OrganizationID) -> Statement {
        """
        select domain from school.organization_domain
         where organization_id = \(organization) order by position, domain limit 1
        """
    }

    static func reserve(
        _ managedID: String, for id: UUID, of organization: OrganizationID
    ) -> Statement {
        """
        select outcome from school.reserve_managed_ids(\(organization), \([id]), \([managedID]))
        """
    }

    static func mayBecome(_ way: String, _ id: UUID) -> Statement {
        "select school.may_become(\(way), \(id)) as may"
    }

    static func releaseManagedIDs(of id: UUID, of organization: OrganizationID) -> Statement {
        "select school.release_managed_ids(\(organization), \([id]))"
    }

    static func insert(
        _ id: UUID, _ draft: UserDraft, of organization: OrganizationID
    ) -> Statement {
        "select school.add_rows('person', \(organization), \(rows(id, draft.columns)))"
    }

    static func update(
        _ id: UUID, _ draft: UserDraft, of organization: OrganizationID
    ) -> Statement {
        "select school.change_rows('person', \(organization), \(rows(id, draft.columns)))"
    }

    /// One row, for `add_rows` or `change_rows`.
    static func rows(_ id: UUID, _ columns: JSONObject) -> JSONDocument {
        var row = columns
        row["id"] = .text(id.description)
        return JSONDocument(JSONValue.array([.object(row)]).bytes)
    }

    static func setActive(
        _ isActive: Bool, _ id: UUID, of organization: OrganizationID
    ) -> Statement {
        """
        select school.set_deactivated(\(organization), \([id]), case when not \(isActive) then school.moment() end)
        """
    }

    /// Deactivates a person, and notes that the identity provider did.
    static func withdraw(_ id: UUID, of organization: OrganizationID) -> Statement {
        """
        update school.person set deactivated_at = coalesce(deactivated_at, school.moment()),
                                 withdrawn_at = coalesce(deactivated_at, school.moment())
         where organization_id = \(organization) and person_id = \(id)
        """
    }

    /// Shows a withdrawn person to the identity provider again, deactivated as before.
    static func takeUp(_ id: UUID, of organization: OrganizationID) -> Statement {
        """
        update school.person set withdrawn_at = null where organization_id = \(organization) and person_id = \(id)
        """
    }

    static func auditPerson(_ id: UUID, change: String) -> Statement {
        .audit(
            "personChange", subjectKind: "person", subject: id,
            details: ["change": .text(change)])
    }
}
