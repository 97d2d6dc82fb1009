import Postgres
import School
import Values

extension Statement {
    private static let columns: Statement = """
        select l.location_id as "id", l.source_id as "sourceId", l.name,
               l.time_zone as "timeZone", l.password_policy as "passwordPolicy", l.created_at as "createdAt",
               l.updated_at as "updatedAt", l.version
          from school.location as l
        """

    static func locations(
        of organization: OrganizationID, name: String?, sourceID: String?, updatedSince: Timestamp?,
        after: UUID?,
        limit: Int
    ) -> Statement {
        let named: Statement? = name.map {
            "and l.location_id = any (school.find_named('location', \($0)))"
        }
        let source: Statement? = sourceID.map { "and l.source_id = \($0)" }
        let updated: Statement? = updatedSince.map { "and l.updated_at >= \($0)" }
        let next: Statement? = after.map { "and l.location_id > \($0)" }
        return """
            \(fragment: columns)
             where l.organization_id = \(organization)
               \(optional: named) \(optional: source) \(optional: updated) \(optional: next)
             order by l.location_id limit \(limit)
            """
    }

    static func location(
        _ reference: Reference<LocationEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: columns)
         where l.organization_id = \(organization) and \(fragment: reference.names("l"))
        """
    }

    static func lockLocation(
        _ reference: Reference<LocationEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select l.location_id as "id", l.version from school.location as l
         where l.organization_id = \(organization) and \(fragment: reference.names("l"))
           for update
        """
    }

    static func add(
        _ location: NewLocation, _ id: LocationID, to organization: OrganizationID
    ) -> Statement {
        """
        insert into school.location
               (organization_id, location_id, source_id, name, time_zone, password_policy)
        values (\(organization), \(id), \(location.sourceID), \(location.name), \(location.timeZone),
                \(location.passwordPolicy))
        """
    }

    static func replace(
        _ id: LocationID, by location: NewLocation, of organization: OrganizationID
    ) -> Statement {
        """
        update school.location
           set source_id = \(location.sourceID), name = \(location.name),
               time_zone = \(location.timeZone), password_policy = \(location.passwordPolicy)
         where organization_id = \(organization) and location_id = \(id)
        """
    }

    static func hanging(on id: LocationID, of organization: OrganizationID) -> Statement {
        """
        select (select count(*) from school.person_role
                 where organization_id = \(organization) and location_id = \(id)) as "roles of people",
               (select count(*) from school.course
                 where organization_id = \(organization) and location_id = \(id)) as "courses",
               (select count(*) from school.class
                 where organization_id = \(organization) and location_id = \(id)) as "classes"
        """
    }

    static func remove(_ id: LocationID, of organization: OrganizationID) -> Statement {
        """
        delete from school.location where organization_id = \(organization) and location_id = \(id)
        """
    }
}
