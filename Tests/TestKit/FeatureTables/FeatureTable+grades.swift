import Postgres
import School

extension FeatureTable {
    /// Grades that other systems wrote, and which systems may use the gradebook of which class. What roster readers with
    /// a grant see and write is tested with the gradebook of OneRoster: the one here has no account.
    static let grades = FeatureTable(
        calls: """
            GET    /v1/grades                                     .   .   .   .   .   x   .   x   .   .   .
            GET    /v1/grades/{id}                                .   .   .   .   .   x   .   x   .   .   .
            GET    /v1/graded-items                               .   .   .   .   .   x   .   x   .   .   .
            GET    /v1/graded-items/{id}                          .   .   .   .   .   x   .   x   .   .   .
            GET    /v1/service-accounts/{id}/gradebook-grants     x   .   .   .   .   .   .   .   .   .   .
            PUT    /v1/service-accounts/{id}/gradebook-grants     x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/classes/{id}/gradebook-systems             .   .   .   .   .   x   .   .   .   .   .
            """,
        population: population,
        policies: [
            PolicyRow(
                "gradebook_grant",
                """
                select coalesce(test.called(class_id), test.called(location_id), test.called(organization_id)) as label
                  from school.gradebook_grant
                """,
                hillside: ["Biology", "Chemistry", "Main building"], elsewhere: ["Elsewhere"],
                seenBy: [
                    [.administrator]: .all, [.teacher]: .only(["Biology", "Main building"]),
                ]),
            PolicyRow(
                "gradebook_category",
                "select title as label from school.gradebook_category",
                hillside: ["Quizzes"], elsewhere: ["Far quizzes"]),
            PolicyRow(
                "gradebook_scale", "select title as label from school.gradebook_scale",
                hillside: ["Letters"], elsewhere: ["Far letters"]),
            PolicyRow(
                "gradebook_item", "select title as label from school.gradebook_item",
                hillside: [
                    "Quiz in Biology", "Quiz in Chemistry", "Quiz in Old biology", "Ungraded quiz",
                    "Removed quiz",
                ], elsewhere: ["Quiz in Geography"],
                seenBy: [
                    [.teacher]: .only(["Quiz in Biology", "Quiz in Old biology", "Ungraded quiz"]),
                    [.student]: .only(["Quiz in Biology"]),
                ]),
            PolicyRow(
                "grade", "select comment as label from school.grade",
                hillside: ["sam", "sue", "ben", "lea", "removed"], elsewhere: ["omar"],
                seenBy: [
                    [.teacher]: .only(["sam", "sue", "lea"]), [.student]: .only(["sam"]),
                ]),
        ],
        rights: [
            WriteRight("gradebook_grant", [.administrator], "insert delete"),
            WriteRight(
                "gradebook_category", [.rosterReader],
                "insert update(deleted_at, more, title, weight)"),
            WriteRight(
                "gradebook_scale", [.rosterReader],
                "insert update(class_id, deleted_at, entries, kind, more, title)"),
            WriteRight(
                "gradebook_item", [.rosterReader],
                """
                insert update(assigned_at, class_id, deleted_at, description, due_at, gradebook_category_id, \
                gradebook_scale_id, more, term_id, title, value_max, value_min)
                """),
            WriteRight(
                "grade", [.rosterReader],
                """
                insert update(class_id, comment, deleted_at, gradebook_item_id, gradebook_scale_id, is_in_progress, \
                is_incomplete, is_late, is_missing, more, person_id, score, scored_on, status, text_score)
                """),
        ],
        writes: [
            WriteCase(
                .administrator, "grants the gradebook to a provisioner", grant("Sync"), is: .refused
            ),
            WriteCase(
                .administrator, "withdraws grants elsewhere",
                "delete from school.gradebook_grant where organization_id = test.id('Elsewhere')",
                is: .nothing),
            WriteCase(
                .administrator, "withdraws grants",
                "delete from school.gradebook_grant where class_id = test.id('Biology')", is: .done),
            WriteCase(.teacher, "grants the gradebook", grant("Sync"), is: .refused),
            WriteCase(
                .teacher, "changes a grade", "update school.grade set score = 100", is: .refused),
            WriteCase(
                .student, "changes a grade", "update school.grade set score = 100", is: .refused),
            WriteCase(
                .administrator, "reads a grade", "select score from school.grade", is: .refused),
            WriteCase(
                .rosterReader, "changes grades without an account",
                "update school.grade set score = 100", is: .nothing),
            WriteCase(
                .rosterReader, "makes a category without an account",
                """
                insert into school.gradebook_category
                       (organization_id, gradebook_category_id, service_account_id, title)
                select organization_id, gen_random_uuid(), service_account_id, 'Mine'
                  from school.gradebook_category
                 union all select test.id('Hillside'), gen_random_uuid(), test.id('Hillside'), 'Mine'
                """, is: .refused),
        ])

    /// Sam and Sue sit in Biology and Ben in Chemistry, Lea left Biology; Tom teaches Biology and taught Old biology.
    private static let population: [Statement] = [
        """
        insert into school.gradebook_grant (organization_id, service_account_id, class_id, location_id, reads_results)
        select a.organization_id, a.service_account_id, test.id(g.class), test.id(g.location), true
          from school.service_account as a
          join (values ('Sync', 'Biology', null), ('Sync', 'Chemistry', null), ('Sync', null, 'Main building'),
                       ('Sync elsewhere', null, null)) as g (account, class, location) on g.account = a.name
        """,
        """
        insert into school.gradebook_category (organization_id, gradebook_category_id, service_account_id, title)
        select organization_id, gen_random_uuid(), service_account_id,
               case name when 'Sync' then 'Quizzes' else 'Far quizzes' end
          from school.service_account where name in ('Sync', 'Sync elsewhere')
        """,
        """
        insert into school.gradebook_scale
               (organization_id, gradebook_scale_id, service_account_id, class_id, title, kind, entries)
        select organization_id, gen_random_uuid(), service_account_id,
               test.id(case name when 'Sync' then 'Biology' else 'Geography' end),
               case name when 'Sync' then 'Letters' else 'Far letters' end, 'ordinal', '[]'
          from school.service_account where name in ('Sync', 'Sync elsewhere')
        """,
        """
        insert into school.gradebook_item (organization_id, gradebook_item_id, service_account_id, class_id, title,
                                           assigned_at, due_at, deleted_at)
        select a.organization_id, gen_random_uuid(), a.service_account_id, test.id(i.class), i.title, now(), now(),
               case i.title when 'Removed quiz' then now() end
          from school.service_account as a
          join (values ('Sync', 'Biology', 'Quiz in Biology'), ('Sync', 'Chemistry', 'Quiz in Chemistry'),
                       ('Sync', 'Old biology', 'Quiz in Old biology'), ('Sync', 'Biology', 'Ungraded quiz'),
                       ('Sync', 'Biology', 'Removed quiz'), ('Sync elsewhere', 'Geography', 'Quiz in Geography'))
               as i (account, class, title) on i.account = a.name
        """,
        """
        insert into school.grade (organization_id, grade_id, service_account_id, gradebook_item_id, class_id, person_id,
                                  status, scored_on, comment, deleted_at)
        select i.organization_id, gen_random_uuid(), i.service_account_id, i.gradebook_item_id, i.class_id,
               test.id(g.person), 'exempt', '2026-09-01', g.comment, case g.comment when 'removed' then now() end
          from school.gradebook_item as i
          join (values ('Quiz in Biology', 'sam', 'sam'), ('Quiz in Biology', 'sue', 'sue'),
                       ('Quiz in Biology', 'lea', 'lea'), ('Removed quiz', 'sam', 'removed'),
                       ('Quiz in Chemistry', 'ben', 'ben'), ('Quiz in Geography', 'omar', 'omar'))
               as g (title, person, comment) on g.title = i.title
        """,
    ]

    private static func grant(_ account: String) -> Statement {
        """
        insert into school.gradebook_grant (organization_id, service_account_id, class_id, reads_results)
        select test.id('Hillside'), service_account_id, test.id('Old biology'), true
          from school.service_account where name = \(account)
        """
    }
}
