import Postgres
import School

extension FeatureTable {
    /// What teachers have looked at.
    static let reviews = FeatureTable(
        calls: """
            GET    /v1/handouts/{id}/reviewed            .   .   .   .   .   x   .   .   .   .   .
            PUT    /v1/handouts/{id}/reviewed            .   .   .   .   .   x   .   .   .   .   .
            DELETE /v1/handouts/{id}/reviewed            .   .   .   .   .   x   .   .   .   .   .
            POST   /v1/handouts/{id}/returns             .   .   .   .   .   x   .   .   .   .   .
            """,
        // Tom and Cora teach Biology, where 'published' is; Tess teaches Chemistry.
        population: [
            """
            insert into school.review (organization_id, task_id, person_id, teacher_id, done_at, reviewed_at)
            select k.organization_id, k.task_id, test.id('sam'), t.id, now() - interval '2 days',
                   now() - interval '1 day'
              from school.task as k, test.name as t
             where k.task_id = test.id('task of published') and t.name in ('tom', 'cora')
             union all
            select k.organization_id, k.task_id, test.id('omar'), test.id('otto'), now() - interval '2 days',
                   now() - interval '1 day'
              from school.task as k where k.task_id = test.id('task of rivers')
            """
        ],
        policies: [
            PolicyRow(
                "review", "select test.called(teacher_id) as label from school.review",
                hillside: ["tom", "cora"], elsewhere: ["otto"], seenBy: [[.teacher]: .only(["tom"])]
            )
        ],
        rights: [
            WriteRight("review", [.teacher], "insert update(done_at, reviewed_at) delete")
        ],
        writes: [
            WriteCase(
                .teacher, "looks at work", look("published", at: "sue", as: "tom"), is: .done),
            WriteCase(
                .teacher, "looks for a colleague", look("published", at: "sue", as: "cora"),
                is: .refused),
            WriteCase(
                .teacher, "looks at who is not in the class",
                look("published", at: "petra", as: "tom"), is: .refused),
            WriteCase(
                .student, "looks at work", look("published", at: "sam", as: "sam"), is: .refused),
            WriteCase(
                .administrator, "looks at work", look("published", at: "sam", as: "ada"),
                is: .refused),
            WriteCase(.teacher, "looks again", again("tom"), is: .done),
            WriteCase(.teacher, "moves a colleague's mark", again("cora"), is: .nothing),
            WriteCase(.teacher, "takes a mark back", takeBack("tom"), is: .done),
            WriteCase(.teacher, "takes a colleague's mark back", takeBack("cora"), is: .nothing),
        ])

    private static func look(
        _ handout: String, at student: String, as teacher: String
    ) -> Statement {
        """
        insert into school.review (organization_id, task_id, person_id, teacher_id, done_at, reviewed_at)
        values (test.id('Hillside'), test.id(\("task of " + handout)), test.id(\(student)),
                test.id(\(teacher)), now(), now())
        """
    }

    private static func again(_ teacher: String) -> Statement {
        """
        update school.review set done_at = now(), reviewed_at = now()
         where teacher_id = test.id(\(teacher))
        """
    }

    private static func takeBack(_ teacher: String) -> Statement {
        "delete from school.review where teacher_id = test.id(\(teacher))"
    }
}
