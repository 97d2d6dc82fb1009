import API
import HTTPWire
import Postgres
import School
import Values

/// The caller's own classes, whatever the caller's role.
extension Directory {
    var ownClassesEndpoint: Endpoint {
        Endpoint(
            .get, "/v1/me/classes", "List your own classes",
            description:
                "The classes that you teach or attend as a student, archived ones included.",
            for: [
                .teacher, .student, .administrator, .siteManager, .peopleManager, .contentManager,
                .manager,
            ],
            query: Endpoint.Parameter.page + [
                .optional(
                    "status", .word(["active", "archived"]), "Only those with this status.")
            ],
            answers: [.page("The classes.", of: Self.ownClass)], reads: .replica,
            handler: listOwnClasses)
    }

    private static let ownClass = ObjectShape(
        "OwnClass",
        [
            .required("id", .uuid), .required("name", .line()), .orNull("number", .line()),
            .orNull("displayName", .line()), .orNull("room", .line()),
            .orNull("courseId", .uuid), .orNull("termId", .uuid),
            .required("role", .word(SeatRole.allCases.map(\.rawValue)), "Yours in the class."),
            .required("status", .word(["active", "archived"])),
        ])

    private func listOwnClasses(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let statement = Statement.ownClasses(
            of: caller.organizationID, isActive: request.query("status").map { $0 == "active" },
            after: try page.afterID(), limit: page.limitPlusOne)
        return try page.response(
            try await database.query(page.of(statement), as: caller), request: request)
    }
}

extension Statement {
    /// A person who teaches a class and sits in it, too, teaches it.
    fileprivate static func ownClasses(
        of organization: OrganizationID, isActive: Bool?, after id: UUID?, limit: Int
    ) -> Statement {
        """
        select c.class_id as id, c.name, c.number, c.display_name, c.room, c.course_id, c.term_id,
               max(s.role) as role,
               case when c.archived_at is null then 'active' else 'archived' end as status
          from school.seat as s
          join school.class as c
            on c.organization_id = s.organization_id and c.class_id = s.class_id
         where s.organization_id = \(organization) and s.person_id = (select school.my_person())
           and school.is_seated(s, coalesce(c.archived_at, school.moment()))
           and coalesce((c.archived_at is null) = \(isActive), true)
           and (\(id)::uuid is null or s.class_id > \(id))
         group by c.organization_id, c.class_id
         order by c.class_id
         limit \(limit)
        """
    }
}
