import Postgres
import School
import TestKit

extension WriteTable {
    static let handouts: [WriteCase] = given + changed + inside

    private static let given: [WriteCase] = [
        WriteCase(.teacher, "gives his class a handout", give("Biology", by: "tom"), is: .done),
        WriteCase(
            .teacher, "gives a handout to a class that he does not teach",
            give("Chemistry", by: "tom"),
            is: .refused),
        WriteCase(
            .teacher, "gives a handout to an archived class", give("Old biology", by: "tom"),
            is: .refused),
        WriteCase(
            .teacher, "gives a handout in the name of a colleague", give("Biology", by: "cora"),
            is: .refused),
        WriteCase(
            .teacher, "gives a handout to a class elsewhere",
            give("Geography", in: "Elsewhere", by: "tom"), is: .refused),
        WriteCase(.student, "gives a handout", give("Biology", by: "sam"), is: .refused),
        WriteCase(.administrator, "gives a handout", give("Biology", by: "ada"), is: .refused),
        WriteCase(.manager, "gives a handout", give("Biology", by: "mara"), is: .refused),
    ]

    private static func give(
        _ group: String, in organization: String = "Hillside", by author: String
    ) -> Statement {
        """
        insert into school.handout (organization_id, handout_id, class_id, author_id, title)
        values (test.id(\(organization)), gen_random_uuid(), test.id(\(group)), test.id(\(author)), 'New')
        """
    }

    private static let changed: [WriteCase] = [
        WriteCase(
            by: .cora, "renames a published handout of her colleague", rename("published"),
            is: .done),
        WriteCase(
            by: .cora, "renames a scheduled handout of her colleague", rename("scheduled"),
            is: .done),
        WriteCase(by: .cora, "renames a draft of her colleague", rename("draft"), is: .nothing),
        WriteCase(
            by: .cora, "makes a published handout of her colleague a draft",
            "update school.handout set publish_at = null where handout_id = test.id('published')",
            is: .refused),
        WriteCase(.teacher, "renames his draft", rename("draft"), is: .done),
        WriteCase(.teacher, "renames a handout he deleted", rename("deleted"), is: .nothing),
        WriteCase(
            by: .tess, "renames a handout of another class", rename("published"), is: .nothing),
        WriteCase(
            by: .otto, "renames a handout of another school", rename("published"), is: .nothing),
        WriteCase(
            .teacher, "moves a handout to another class",
            "update school.handout set class_id = test.id('Chemistry')", is: .refused),
        WriteCase(
            .teacher, "gives a handout another author",
            "update school.handout set author_id = test.id('cora')", is: .refused),
        WriteCase(
            .teacher, "marks a handout deleted without the function that records it for the export",
            "update school.handout set deleted_at = now()", is: .refused),
        WriteCase(.teacher, "removes a handout", "delete from school.handout", is: .refused),
        WriteCase(.student, "renames a handout", rename("published"), is: .refused),
        WriteCase(.administrator, "renames a handout", rename("published"), is: .refused),
    ]

    private static func rename(_ handout: String) -> Statement {
        "update school.handout set title = 'New' where handout_id = test.id(\(handout))"
    }

    private static let inside: [WriteCase] = [
        WriteCase(
            .teacher, "adds a task to his handout", addTask("published", "Biology"), is: .done),
        WriteCase(
            .teacher, "adds a task to a colleague's draft", addTask("draft of cora", "Biology"),
            is: .refused),
        WriteCase(
            .teacher, "adds a task to a handout of another class", addTask("reaction", "Chemistry"),
            is: .refused),
        WriteCase(
            .teacher, "adds a task to a deleted handout", addTask("deleted", "Biology"),
            is: .refused),
        WriteCase(.student, "adds a task", addTask("published", "Biology"), is: .refused),
        WriteCase(
            .teacher, "adds a task for a native context of his own", addNativeTask(of: "tom"),
            is: .done),
        WriteCase(
            .teacher, "adds a task for a student's native context", addNativeTask(of: "sam"),
            is: .refused),
        WriteCase(
            .teacher, "adds a task for a colleague's native context", addNativeTask(of: "cora"),
            is: .refused),
        WriteCase(
            .teacher, "removes a task of his own",
            "delete from school.task where handout_id = test.id('scheduled')", is: .done),
        WriteCase(
            .teacher, "removes a task of another class",
            "delete from school.task where handout_id = test.id('reaction')", is: .nothing),
        WriteCase(
            .teacher, "points a task at another context",
            "update school.task set identifier_path = '{other}'", is: .refused),
        WriteCase(.teacher, "chooses a student of the class", choose("sue"), is: .done),
        WriteCase(.teacher, "chooses a student of another class", choose("ben"), is: .refused),
        WriteCase(.teacher, "chooses a student who left", choose("lea"), is: .refused),
        WriteCase(.teacher, "chooses a teacher", choose("cora"), is: .refused),
        WriteCase(
            by: .tess, "chooses a student in another class's handout", choose("sue"), is: .refused),
        WriteCase(.student, "chooses himself", choose("sam"), is: .refused),
        WriteCase(
            by: .tess, "takes a student back in another class's handout",
            "delete from school.handout_recipient", is: .nothing),
    ]

    private static func addTask(_ handout: String, _ group: String) -> Statement {
        """
        insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title, url)
        values (test.id('Hillside'), gen_random_uuid(), test.id(\(handout)), test.id(\(group)), 2, 'link',
                'Read', 'https://example.org')
        """
    }

    private static func addNativeTask(of owner: String) -> Statement {
        """
        insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                 bundle_id, identifier_path, context_owner_id)
        values (test.id('Hillside'), gen_random_uuid(), test.id('published'), test.id('Biology'), 2,
                'appActivity', 'Own', 'org.example.quizzler', '{own}', test.id(\(owner)))
        """
    }

    private static func choose(_ student: String) -> Statement {
        """
        insert into school.handout_recipient (organization_id, handout_id, person_id)
        values (test.id('Hillside'), test.id('for sam'), test.id(\(student)))
        on conflict do nothing
        """
    }

    static let assignments: [WriteCase] = [
        WriteCase(.student, "opens an assignment", begin("for sam", "sam"), is: .done),
        WriteCase(
            .student, "opens a fellow student's assignment", begin("published", "sue"), is: .refused
        ),
        WriteCase(.student, "opens one that is for others", begin("for sue", "sam"), is: .refused),
        WriteCase(
            .student, "opens an unpublished one", begin("scheduled", "sam"), is: .refused),
        WriteCase(.student, "opens a draft that chooses him", begin("draft", "sam"), is: .refused),
        WriteCase(
            .student, "opens another class's", begin("reaction", "sam"), is: .refused),
        WriteCase(.student, "is done", markDone("published", "sam"), is: .done),
        WriteCase(
            .student, "marks a deleted one done", markDone("deleted", "sam"), is: .nothing),
        WriteCase(
            .student, "marks a fellow student done", markDone("published", "sue"), is: .nothing),
        WriteCase(.teacher, "marks a student done", markDone("published", "sam"), is: .refused),
        WriteCase(
            .app, "marks a student done, bypassing the function", markDone("published", "sam"),
            is: .refused),
    ]

    private static func begin(_ handout: String, _ student: String) -> Statement {
        """
        insert into school.assignment (organization_id, task_id, person_id, opened_at)
        values (test.id('Hillside'), test.id(\("task of " + handout)), test.id(\(student)), now())
        """
    }

    private static func markDone(_ handout: String, _ student: String) -> Statement {
        """
        update school.assignment set done_at = now()
         where task_id = test.id(\("task of " + handout)) and person_id = test.id(\(student))
        """
    }
}
