import Postgres
import School
import Values

extension Statement {
    private static let columns: Statement = """
        select c.course_id as "id", c.source_id as "sourceId", c.location_id as "locationId", c.name,
               c.number, c.created_at as "createdAt", c.updated_at as "updatedAt", c.version
          from school.course as c
        """

    static func courses(
        of organization: OrganizationID, at location: Reference<LocationEntity>?, name: String?,
        sourceID: String?,
        updatedSince: Timestamp?, after: UUID?, limit: Int
    ) -> Statement {
        let place: Statement? = location.map {
            "and c.location_id = \(fragment: $0.value(in: organization))"
        }
        let named: Statement? = name.map {
            "and c.course_id = any (school.find_named('course', \($0)))"
        }
        let source: Statement? = sourceID.map { "and c.source_id = \($0)" }
        let updated: Statement? = updatedSince.map { "and c.updated_at >= \($0)" }
        let next: Statement? = after.map { "and c.course_id > \($0)" }
        return """
            \(fragment: columns)
             where c.organization_id = \(organization)
               \(optional: place) \(optional: named) \(optional: source) \(optional: updated)
               \(optional: next)
             order by c.course_id limit \(limit)
            """
    }

    static func course(
        _ reference: Reference<CourseEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: columns)
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
        """
    }

    static func lockCourse(
        _ reference: Reference<CourseEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select c.course_id as "id", c.version from school.course as c
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
           for update
        """
    }

    static func add(
        _ course: NewCourse, _ id: CourseID, at location: LocationID,
        to organization: OrganizationID
    ) -> Statement {
        """
        insert into school.course (organization_id, course_id, source_id, location_id, name, number)
        values (\(organization), \(id), \(course.sourceID), \(location), \(course.name),
                \(course.number))
        """
    }

    static func replace(
        _ id: CourseID, by course: NewCourse, at location: LocationID,
        of organization: OrganizationID
    ) -> Statement {
        """
        update school.course
           set source_id = \(course.sourceID), location_id = \(location), name = \(course.name),
               number = \(course.number)
         where organization_id = \(organization) and course_id = \(id)
        """
    }

    static func hanging(on id: CourseID, of organization: OrganizationID) -> Statement {
        """
        select count(*) as "classes" from school.class
         where organization_id = \(organization) and course_id = \(id)
        """
    }

    static func remove(_ id: CourseID, of organization: OrganizationID) -> Statement {
        """
        delete from school.course where organization_id = \(organization) and course_id = \(id)
        """
    }
}
