import API
import Postgres
import School

extension Directory {
    /// For courses and classes.
    static let location = Column<LocationID>("location_id")

    /// Subjects of classes, such as a subject of a grade.
    static let courses = Resource<CourseEntity>(
        .init("course", "courses", at: "/v1/courses"),
        columns: [
            Column<String>("name", .line()), Column<String?>.sourceID,
            Column<String?>("number", .line()), location,
        ],
        filters: [
            .refers(location, "Only at this location."), .name, .sourceID, .updatedSince,
        ],
        rules: Rules {
            $0.removed = Rules.auditRemoval
            $0.dependents = { id, organization in
                """
                select count(*) as "classes" from school.class
                 where organization_id = \(organization) and course_id = \(id)
                """
            }
        })

    var courseEndpoints: [Endpoint] {
        Self.courses.endpoints(
            database, readers: Self.readersAndTeachers, writers: Self.writers,
            ResourceTexts(summaries: [.remove: "Remove a course without classes"]))
    }
}
