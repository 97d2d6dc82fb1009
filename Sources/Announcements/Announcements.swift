import API
import Postgres
import School

/// What teachers announce to their classes, without a task: "Bring your atlas tomorrow."
///
/// `SQL/policies/announcements.sql` decides who may read, post, change and remove which.
package struct Announcements: Feature {
    package let meaning = "Messages from a teacher to a class."
    private let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        Self.announcements.endpoints(
            database, readers: [.teacher, .student], writers: [.teacher],
            ResourceTexts(
                summaries: [
                    .list: "List the announcements to your classes",
                    .create: "Post an announcement to a class",
                ],
                creating: [(409, "The class is archived.")],
                changing: [(409, "The class is archived.")]))
    }

    private static let classID = Column<ClassID>("class_id")

    static let announcements = Resource<AnnouncementEntity>(
        .init("announcement", "announcements", at: "/v1/announcements"),
        columns: [classID, Column<String>("text", .text(1...5000, lines: true))],
        computed: [
            Computed("author_id") { .orNull($0, .uuid, "The teacher who posted it.") }
        ],
        filters: [.refers(classID, "Only to this class."), .updatedSince],
        rules: Rules {
            $0.check = { draft, session, caller in
                let found = try await session.query(
                    .archiving(of: draft[classID], of: caller.organizationID))
                if try found.first?.bool("is_archived") == true { throw Problem.classArchived }
                if draft.present == nil { draft.set("author_id", to: caller.personID) }
            }
        })
}

package enum AnnouncementEntity: ResourceEntity {
    package static let table: Statement = "announcement"
}

extension Statement {
    fileprivate static func archiving(
        of id: ClassID, of organization: OrganizationID
    ) -> Statement {
        """
        select archived_at is not null as is_archived from school.class
         where organization_id = \(organization) and class_id = \(id)
        """
    }
}

extension Problem {
    fileprivate static let classArchived = Problem(
        409, "class_archived", "The class is archived, so nothing can be posted to it.")
}
