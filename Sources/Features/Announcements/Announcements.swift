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
                descriptions: [
                    .change: "Every teacher of the class may change it.",
                    .remove: "Every teacher of the class may remove it, for all who could read it.",
                ],
                creating: [Self.unfit], changing: [Self.unfit],
                removing: [(409, "The class is archived.")]))
    }

    package var constraints: [String: Problem] {
        ["class_has_room_for_announcements": .tooManyAnnouncements]
    }

    private static let unfit = (409, "The class is archived, or has 1,000 announcements.")

    /// Says why: for a policy, an announcement that nobody may change is one that is not there.
    @Sendable private static func refuseArchived(
        _ request: Request, _ caller: Caller, _ database: Database
    ) async throws {
        let found = try await database.query(
            .archiving(ofClassOf: try request.id("id"), in: caller.organizationID), as: caller)
        if try found.first?.bool("is_archived") == true { throw Problem.classArchived }
    }

    private static let classID = Column<ClassID>("class_id")

    static let announcements = Resource<AnnouncementEntity>(
        .init("announcement", "announcements", at: "/v1/announcements"),
        columns: [classID, Column<String>("text", .text(1...5000, lines: true))],
        computed: [
            Computed("author_id") { .orNull($0, .uuid, "The teacher who posted it.") }
        ],
        reaches: [
            Reach(of: [.teacher], by: "class_id", among: "school.my_taught_class_ids()"),
            Reach(of: [.student], by: "class_id", among: "school.my_class_ids()"),
        ],
        filters: [.refers(classID, "Only announcements to this class."), .updatedSince],
        rules: Rules {
            $0.before = refuseArchived
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

    fileprivate static func archiving(
        ofClassOf id: ID<AnnouncementEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select c.archived_at is not null as is_archived
          from school.announcement as a
          join school.class as c on c.organization_id = a.organization_id and c.class_id = a.class_id
         where a.organization_id = \(organization) and a.announcement_id = \(id)
        """
    }
}

extension Problem {
    fileprivate static let classArchived = Problem(
        409, "class_archived", "The class is archived, so its announcements cannot change.")

    fileprivate static let tooManyAnnouncements = Problem(
        409, "too_many_announcements", "A class has at most 1,000 announcements.",
        detail: "Remove older ones first.")
}
