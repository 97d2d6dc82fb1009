import API
import Postgres
import School

/// What other systems of the school say of students' work, and which systems may use the gradebook of which class.
///
/// `SQL/policies/gradebook.sql` decides who reads which grades, and who makes grants.
package struct Grades: Feature {
    package let meaning =
        """
        Grades that other systems of the school wrote over OneRoster. Their teachers and students read them here, and \
        teachers see which systems use the gradebook of their class.
        """
    let database: Database
    private let viewings: Viewings

    package init(database: Database, viewings: Viewings) {
        self.database = database
        self.viewings = viewings
    }

    package var endpoints: [Endpoint] {
        Self.grades.endpoints(
            database, readers: [.teacher, .student], writers: [],
            ResourceTexts(summaries: [.list: "List grades: of your classes, or your own"]),
            noting: noting)
            + Self.items.endpoints(
                database, readers: [.teacher, .student], writers: [],
                ResourceTexts(summaries: [
                    .list: "List the graded items of your classes, or those you have grades for"
                ])) + grantEndpoints
    }

    /// Whose grades teachers read. Those that students read are their own.
    private var noting: Resource<GradeEntity>.Noting {
        { [viewings] rows, caller in
            guard caller.standing == .teacher else { return }
            let shown = try rows.map { row in
                (
                    taught: ClassID(try row.uuid("class_id")),
                    student: PersonID(try row.uuid("person_id"))
                )
            }
            await viewings.note(ViewedWork.shown(shown), as: caller)
        }
    }

    package var constraints: [String: Problem] {
        ["gradebook_grant_is_made_once": .grantMadeTwice]
    }

    private static let classID = Column<ClassID>("class_id")
    private static let personID = Column<PersonID>("person_id")
    private static let number = Shape.number(
        -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)

    static let items = Resource<GradebookItemEntity>(
        .init("graded item", "graded items", at: "/v1/graded-items"),
        columns: [classID],
        computed: [
            Computed("title") { .required($0, .text(1...512)) },
            Computed("description") { .orNull($0, .text(0...20_000, lines: true)) },
            Computed("assigned_at") { .required($0, .timestamp) },
            Computed("due_at") { .required($0, .timestamp) },
            Computed("value_min") { .orNull($0, number, "The lowest score.") },
            Computed("value_max") {
                .orNull($0, number, "The highest score, though some results exceed it.")
            },
            system(of: "gradebook_item"),
        ],
        reaches: [
            taught,
            Reach(
                of: [.student],
                among: """
                    array(select g.gradebook_item_id from school.grade as g
                                     where g.organization_id = (select school.my_organization())
                                       and g.person_id = (select school.my_person()))
                    """),
        ],
        filters: [.refers(classID, "Only of this class."), .updatedSince],
        without: [.create, .change, .remove])

    static let grades = Resource<GradeEntity>(
        .init("grade", "grades", at: "/v1/grades"),
        columns: [classID, personID],
        computed: [
            Computed(
                "grade.gradebook_item_id as item_id",
                .required("itemId", .uuid, "The id of the graded item.")),
            Computed("status") {
                .required(
                    $0, .text(1...256),
                    "fully graded, partially graded, submitted, not submitted, exempt, or ext: and a word of the system."
                )
            },
            Computed("score") { .orNull($0, number) },
            Computed("text_score") { .orNull($0, .text(0...256)) },
            Computed("scored_on") { .required($0, .day) },
            Computed("comment") { .orNull($0, .text(0...10_000, lines: true)) },
            Computed("is_late") { .orNull($0, .boolean) },
            Computed("is_missing") { .orNull($0, .boolean) },
            system(of: "grade"),
            Computed(
                """
                (select coalesce(c.display_name, c.name) from school.class as c
                         where c.organization_id = grade.organization_id and c.class_id = grade.class_id) as class_name
                """,
                .nullable(
                    "className", .line(), "Only in lists; null if you no longer see the class."),
                isListedOnly: true),
        ],
        reaches: [
            taught, Reach(of: [.student], by: "person_id", among: "array[school.my_person()]"),
        ],
        filters: [
            .refers(classID, "Only of this class."), .refers(personID, "Only of this student."),
            .updatedSince,
        ],
        without: [.create, .change, .remove])

    private static let taught = Reach(
        of: [.teacher], by: "class_id", among: "school.my_taught_class_ids()")

    /// Lists alone have the name, which changes without the row.
    private static func system(of table: Statement) -> Computed {
        Computed(
            "school.gradebook_system(\(fragment: table).service_account_id) as system_name",
            .optional(
                "systemName", .line(), "The name of the system that wrote it; only in lists."),
            isListedOnly: true)
    }
}

package enum GradebookItemEntity: ResourceEntity {
    package static let table: Statement = "gradebook_item"
}

package enum GradeEntity: ResourceEntity {
    package static let table: Statement = "grade"
}

extension Problem {
    fileprivate static let grantMadeTwice = Problem(
        422, "grant_made_twice", "The gradebook of a class or a location is granted twice.",
        detail: "Name each class and each location once.")
}
