import Postgres
import School

extension FeatureTable {
    /// What students and teachers write to each other. The call that shows the texts is in the tables of calls itself.
    static let comments = FeatureTable(
        calls: """
            GET    /v1/handouts/{id}/comments                               .   .   .   .   .   x   .   .   .   .   .
            POST   /v1/handouts/{id}/students/{personId}/comments           .   .   .   .   .   x   .   x   .   .   .
            PUT    /v1/handouts/{id}/students/{personId}/comments/seen      .   .   .   .   .   x   .   x   .   .   .
            DELETE /v1/handouts/{id}/students/{personId}/comments/{commentId} . .   .   .   .   x   .   x   .   .   .
            """,
        // Tom teaches Biology, where Sam and Sue sit, Lea sat, and 'published' and 'old' were given.
        population: [
            """
            insert into test.name (name, id)
            select 'comment ' || name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
              from unnest(array['sam in published', 'tom in published', 'sue in published', 'lea in published',
                                'sue in for sue', 'ben in old', 'ben in reaction', 'sam in deleted',
                                'omar in rivers']) as name
            """,
            """
            insert into school.comment (organization_id, comment_id, handout_id, person_id, author_id, position, text)
            select h.organization_id, n.id, h.handout_id,
                   test.id(case split_part(c.label, ' in ', 1) when 'tom' then 'sam' else split_part(c.label, ' in ', 1) end),
                   test.id(split_part(c.label, ' in ', 1)),
                   case split_part(c.label, ' in ', 1) when 'tom' then 2 else 1 end, 'How?'
              from test.name as n
             cross join lateral (select substr(n.name, 9) as label) as c
              join school.handout as h on h.handout_id = test.id(split_part(c.label, ' in ', 2))
             where n.name like 'comment %'
            """,
            """
            insert into school.comment_seen (organization_id, handout_id, person_id, reader_id, position)
            select h.organization_id, h.handout_id, test.id('sam'), r.id, 1
              from school.handout as h, test.name as r
             where h.handout_id = test.id('published') and r.name in ('tom', 'cora', 'sam')
            union all
            select h.organization_id, h.handout_id, test.id('omar'), test.id('omar'), 1
              from school.handout as h where h.handout_id = test.id('rivers')
            """,
        ],
        policies: [
            PolicyRow(
                "comment",
                "select substr(test.called(comment_id), 9) as label from school.comment",
                hillside: [
                    "sam in published", "tom in published", "sue in published", "lea in published",
                    "sue in for sue", "ben in old", "ben in reaction", "sam in deleted",
                ], elsewhere: ["omar in rivers"],
                seenBy: [
                    [.teacher]: .only([
                        "sam in published", "tom in published", "sue in published",
                        "lea in published", "sue in for sue", "ben in old",
                    ]),
                    [.student]: .only(["sam in published", "tom in published"]),
                ]),
            PolicyRow(
                "comment_seen", "select test.called(reader_id) as label from school.comment_seen",
                hillside: ["tom", "cora", "sam"], elsewhere: ["omar"],
                seenBy: [[.teacher]: .only(["tom"]), [.student]: .only(["sam"])]),
        ],
        rights: [
            WriteRight("comment", [.teacher, .student], "insert update(removed_at, text)"),
            WriteRight("comment_seen", [.teacher, .student], "insert update(position)"),
        ],
        writes: [
            WriteCase(
                .teacher, "writes to a student", write("published", "sam", "tom"), is: .done),
            WriteCase(
                .teacher, "writes for a colleague", write("published", "sam", "cora"), is: .refused),
            WriteCase(
                .teacher, "writes as the student", write("published", "sam", "sam"), is: .refused),
            WriteCase(
                .teacher, "writes to who left", write("published", "lea", "tom"), is: .refused),
            WriteCase(
                .teacher, "writes to who does not have it", write("for sue", "sam", "tom"),
                is: .refused),
            WriteCase(
                .teacher, "writes at a draft", write("draft", "sam", "tom"), is: .refused),
            WriteCase(
                .teacher, "writes at one of an archived class", write("old", "ben", "tom"),
                is: .refused),
            WriteCase(
                .teacher, "writes at a colleague's class", write("reaction", "ben", "tom"),
                is: .refused),
            WriteCase(
                .student, "writes about the own work", write("published", "sam", "sam"), is: .done),
            WriteCase(
                .student, "writes about another's work", write("published", "sue", "sam"),
                is: .refused),
            WriteCase(
                .student, "writes as a teacher", write("published", "sam", "tom"), is: .refused),
            WriteCase(
                .student, "writes about what is not given", write("for sue", "sam", "sam"),
                is: .refused),
            WriteCase(
                .student, "writes about what is not published", write("scheduled", "sam", "sam"),
                is: .refused),
            WriteCase(
                .administrator, "writes to a student", write("published", "sam", "ada"),
                is: .refused),
            WriteCase(.teacher, "removes the own", remove("tom in published"), is: .done),
            WriteCase(.teacher, "removes a student's", remove("sam in published"), is: .nothing),
            WriteCase(.student, "removes the own", remove("sam in published"), is: .done),
            WriteCase(.student, "removes a teacher's", remove("tom in published"), is: .nothing),
            WriteCase(
                .student, "changes the own",
                """
                update school.comment set text = 'Never said' where author_id = test.id('sam')
                """, is: .refused),
            WriteCase(.teacher, "reads on", read(as: "tom"), is: .done),
            WriteCase(.teacher, "reads on for a colleague", read(as: "cora"), is: .nothing),
            WriteCase(.student, "reads on", read(as: "sam"), is: .done),
        ])

    private static func write(
        _ handout: String, _ student: String, _ author: String
    ) -> Statement {
        """
        insert into school.comment (organization_id, comment_id, handout_id, person_id, author_id, position, text)
        values (test.id('Hillside'), gen_random_uuid(), test.id(\(handout)), test.id(\(student)),
                test.id(\(author)), 9, 'Like this.')
        """
    }

    private static func remove(_ label: String) -> Statement {
        """
        update school.comment set text = null, removed_at = now()
         where comment_id = test.id(\("comment " + label))
        """
    }

    private static func read(as reader: String) -> Statement {
        "update school.comment_seen set position = 2 where reader_id = test.id(\(reader))"
    }
}
