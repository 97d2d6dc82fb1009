import Postgres
import School

extension FeatureTable {
    /// Cards that sign in small children.
    static let badges = FeatureTable(
        calls: """
            GET    /v1/badge-rule                        x   .   .   .   .   x   .   .   .   .   .
            PUT    /v1/badge-rule                        x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/classes/{id}/badges               x   .   .   .   .   x   .   .   .   .   .
            POST   /v1/classes/{id}/badges               x   .   .   .   .   x   .   .   .   .   .
            DELETE /v1/classes/{id}/badges               x   .   .   .   .   x   .   .   .   .   .
            DELETE /v1/classes/{id}/badges/{personId}    x   .   .   .   .   x   .   .   .   .   .
            POST   /v1/sign-in/with-badge                anybody
            """,
        // Sam and Sue sit in Biology, which Tom teaches; Ben sits in Chemistry.
        population: [
            """
            insert into school.badge_rule (organization_id, is_on)
            values (test.id('Hillside'), true), (test.id('Elsewhere'), true)
            """,
            """
            insert into school.badge (organization_id, badge_id, class_id, person_id, digest, created_at)
            select s.organization_id, gen_random_uuid(), s.class_id, s.person_id,
                   sha256(convert_to(s.person_id::text, 'UTF8')), now() - interval '1 day'
              from school.seat as s
             where s.person_id in (test.id('sam'), test.id('ben'), test.id('omar')) and s.role = 'student'
               and s.class_id in (test.id('Biology'), test.id('Chemistry'), test.id('Geography'))
            """,
        ],
        policies: [
            PolicyRow(
                "badge_rule", "select test.called(organization_id) as label from school.badge_rule",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"],
                seenBy: [[.administrator, .teacher]: .all]),
            PolicyRow(
                "badge", "select test.called(person_id) as label from school.badge",
                hillside: ["sam", "ben"], elsewhere: ["omar"],
                seenBy: [[.administrator]: .all, [.teacher]: .only(["sam"])]),
        ],
        rights: [],
        writes: [
            WriteCase(
                .administrator, "turns badges on beside the function",
                "update school.badge_rule set is_on = true", is: .refused),
            WriteCase(
                .teacher, "makes a badge beside the function",
                """
                insert into school.badge (organization_id, badge_id, class_id, person_id, digest, created_at)
                values (test.id('Hillside'), gen_random_uuid(), test.id('Biology'), test.id('sue'), sha256('x'), now())
                """, is: .refused),
            WriteCase(
                .teacher, "makes a badge valid again", "update school.badge set voided_at = null",
                is: .refused),
            WriteCase(
                .teacher, "reads what a badge is known by", "select digest from school.badge",
                is: .refused),
            WriteCase(.student, "removes the own badge", "delete from school.badge", is: .refused),
            WriteCase(
                .teacher, "makes a badge for a colleague's class",
                "select 1 where school.make_badges(test.id('Chemistry'), array[test.id('ben')], '{00}', true)",
                is: .nothing),
        ])
}
