import Postgres
import School

extension FeatureTable {
    /// What teachers say that work is worth. The calls that show marks are in the tables of calls themselves.
    static let marks = FeatureTable(
        calls: """
            PUT    /v1/handouts/{id}/students/{personId}/mark                         . . . . . x . . . . .
            DELETE /v1/handouts/{id}/students/{personId}/mark                         . . . . . x . . . . .
            GET    /v1/handouts/{id}/students/{personId}/mark/draft                   . . . . . x . . . . .
            PUT    /v1/handouts/{id}/students/{personId}/mark/draft                   . . . . . x . . . . .
            DELETE /v1/handouts/{id}/students/{personId}/mark/draft                   . . . . . x . . . . .
            PUT    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/mark          . . . . . x . . . . .
            DELETE /v1/handouts/{id}/students/{personId}/tasks/{taskId}/mark          . . . . . x . . . . .
            GET    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/mark/draft    . . . . . x . . . . .
            PUT    /v1/handouts/{id}/students/{personId}/tasks/{taskId}/mark/draft    . . . . . x . . . . .
            DELETE /v1/handouts/{id}/students/{personId}/tasks/{taskId}/mark/draft    . . . . . x . . . . .
            """,
        // Tom and Cora teach Biology, where Sam and Sue sit, Lea sat, and 'published' and 'old' were given.
        population: [
            """
            insert into test.name (name, id)
            select n.name, encode(substring(sha256(n.name::bytea) for 16), 'hex')::uuid
              from unnest(array['sam in published', 'gone in published', 'sue in published', 'lea in published',
                                'sue in for sue', 'ben in old', 'ben in reaction', 'sam in deleted',
                                'omar in rivers']) as l (label)
             cross join lateral (select 'mark ' || l.label as name) as n
            """,
            """
            insert into school.mark (organization_id, mark_id, handout_id, task_id, person_id, author_id, points,
                                     maximum_points, given_at)
            select h.organization_id, n.id, h.handout_id,
                   case when c.person = 'gone' then test.id('task of published') end,
                   test.id(case c.person when 'gone' then 'sam' else c.person end),
                   test.id(case c.person when 'omar' then 'otto' else 'tom' end),
                   case when c.person <> 'gone' then 7.5 end, 10, now()
              from test.name as n
             cross join lateral (select split_part(substr(n.name, 6), ' in ', 1) as person,
                                        split_part(substr(n.name, 6), ' in ', 2) as title) as c
              join school.handout as h on h.handout_id = test.id(c.title)
             where n.name like 'mark % in %'
            """,
            """
            insert into school.mark_draft (organization_id, mark_draft_id, handout_id, person_id, author_id, points,
                                           replaces)
            select h.organization_id, gen_random_uuid(), h.handout_id, test.id(l.student), test.id(l.author), 8, 1
              from (values ('published', 'sam', 'tom'), ('published', 'sam', 'cora'), ('reaction', 'ben', 'tess'),
                           ('deleted', 'sam', 'tom'), ('rivers', 'omar', 'otto')) as l (title, student, author)
              join school.handout as h on h.handout_id = test.id(l.title)
            """,
        ],
        policies: [
            PolicyRow(
                "mark", "select substr(test.called(mark_id), 6) as label from school.mark",
                hillside: ofTom.union(["ben in reaction", "sam in deleted"]),
                elsewhere: ["omar in rivers"],
                seenBy: [
                    [.teacher]: .only(ofTom), [.student]: .only(["sam in published"]),
                    [.exporter]: .only(ofTom.union(["ben in reaction"])),
                ]),
            PolicyRow(
                "mark_draft",
                """
                select test.called(author_id) || ' in ' || test.called(handout_id) as label from school.mark_draft
                """,
                hillside: [
                    "tom in published", "cora in published", "tess in reaction", "tom in deleted",
                ], elsewhere: ["otto in rivers"],
                seenBy: [[.teacher]: .only(["tom in published"])]),
        ],
        rights: [
            WriteRight(
                "mark", [.teacher], "insert update(author_id, given_at, maximum_points, points)"),
            WriteRight("mark_draft", [.teacher], "insert update(points, replaces) delete"),
        ],
        writes: givingMarks + draftingMarks)

    private static let ofTom: Set<String> = [
        "sam in published", "gone in published", "sue in published", "lea in published",
        "sue in for sue", "ben in old",
    ]

    private static let givingMarks: [WriteCase] = [
        WriteCase(.teacher, "gives a mark", give("for sue task", "sue", "tom"), is: .done),
        WriteCase(
            .teacher, "gives for a colleague", give("for sue task", "sue", "cora"), is: .refused),
        WriteCase(
            .teacher, "gives who left one", give("published task", "lea", "tom"), is: .refused),
        WriteCase(
            .teacher, "gives one to who does not have it", give("for sue task", "sam", "tom"),
            is: .refused),
        WriteCase(.teacher, "gives one at a draft", give("draft", "sam", "tom"), is: .refused),
        WriteCase(
            .teacher, "gives one in an archived class", give("old task", "ben", "tom"),
            is: .refused),
        WriteCase(
            .teacher, "gives one in a colleague's class", give("reaction task", "ben", "tom"),
            is: .refused),
        WriteCase(
            .teacher, "gives one for the task of another handout",
            give("for sue", "sue", "tom", for: "task of published"), is: .refused),
        WriteCase(.student, "gives oneself one", give("published", "sam", "sam"), is: .refused),
        WriteCase(
            .administrator, "gives one", give("published task", "sam", "ada"), is: .refused),
        WriteCase(.exporter, "gives one", give("published task", "sam", "tom"), is: .refused),
        WriteCase(.teacher, "changes one", change("sam in published", 9, "tom"), is: .done),
        WriteCase(
            .teacher, "changes one for a colleague", change("sam in published", 9, "cora"),
            is: .refused),
        WriteCase(
            .teacher, "changes that of who left", change("lea in published", 9, "tom"),
            is: .refused),
        WriteCase(
            .teacher, "takes that of who left away", change("lea in published", nil, "tom"),
            is: .done),
        WriteCase(
            .teacher, "changes one of an archived class", change("ben in old", 9, "tom"),
            is: .nothing),
        WriteCase(
            .teacher, "changes one of a colleague's class", change("ben in reaction", 9, "tom"),
            is: .nothing),
        WriteCase(.student, "changes the own", change("sam in published", 10, "sam"), is: .refused),
    ]

    private static let draftingMarks: [WriteCase] = [
        WriteCase(.teacher, "drafts a mark", draft("published", "sue", "tom"), is: .done),
        WriteCase(
            .teacher, "drafts for a colleague", draft("published", "sue", "cora"), is: .refused),
        WriteCase(
            .teacher, "drafts one for who left", draft("published", "lea", "tom"), is: .refused),
        WriteCase(
            .teacher, "drafts one in an archived class", draft("old", "ben", "tom"), is: .refused),
        WriteCase(
            .teacher, "drafts one in a colleague's class", draft("reaction", "ben", "tom"),
            is: .refused),
        WriteCase(.student, "drafts one", draft("published", "sam", "sam"), is: .refused),
        WriteCase(.teacher, "discards the own", discard("tom"), is: .done),
        WriteCase(.teacher, "discards a colleague's", discard("cora"), is: .nothing),
        WriteCase(.student, "discards a teacher's", discard("tom"), is: .refused),
    ]

    /// - Parameter title: the handout; its task, if it ends with that word.
    private static func give(
        _ title: String, _ student: String, _ author: String, for task: String? = nil
    ) -> Statement {
        let handout = title.replacing(" task", with: "")
        let named = task ?? (title == handout ? nil : "task of \(handout)")
        return """
            insert into school.mark (organization_id, mark_id, handout_id, task_id, person_id, author_id, points,
                                     maximum_points, given_at)
            values (test.id('Hillside'), gen_random_uuid(), test.id(\(handout)), test.id(\(named)),
                    test.id(\(student)), test.id(\(author)), 3, 10, now())
            """
    }

    private static func change(_ label: String, _ points: Int32?, _ author: String) -> Statement {
        """
        update school.mark set points = \(points)::integer, author_id = test.id(\(author)), given_at = now()
         where mark_id = test.id(\("mark " + label))
        """
    }

    private static func draft(
        _ handout: String, _ student: String, _ author: String
    ) -> Statement {
        """
        insert into school.mark_draft (organization_id, mark_draft_id, handout_id, person_id, author_id, points,
                                       replaces)
        values (test.id('Hillside'), gen_random_uuid(), test.id(\(handout)), test.id(\(student)),
                test.id(\(author)), 3, 0)
        """
    }

    private static func discard(_ author: String) -> Statement {
        """
        delete from school.mark_draft
         where author_id = test.id(\(author)) and handout_id = test.id('published')
        """
    }
}
