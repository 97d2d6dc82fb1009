import Postgres
import School

extension FeatureTable {
    /// What changed, for other systems.
    static let changes = FeatureTable(
        calls: """
            GET    /v1/changes                           x   x   x   x   x   x   .   .   x   .   .
            """,
        // What the population itself noted is forgotten first. Tom teaches Biology, Tess Chemistry.
        population: [
            "delete from school.change",
            """
            insert into school.change (organization_id, kind, subject_id, what)
            select test.id(c.organization), c.kind, test.id(c.name), 'changed'
              from (values ('Hillside', 'location', 'Main building'), ('Hillside', 'course', 'Science'),
                           ('Hillside', 'class', 'Biology'), ('Hillside', 'class', 'Chemistry'),
                           ('Hillside', 'roster', 'Biology'), ('Hillside', 'roster', 'Chemistry'),
                           ('Hillside', 'person', 'sam'), ('Hillside', 'person', 'tess'),
                           ('Hillside', 'handout', 'published'), ('Hillside', 'handout', 'draft of cora'),
                           ('Hillside', 'handout', 'deleted'), ('Hillside', 'handout', 'reaction'),
                           ('Elsewhere', 'class', 'Geography'), ('Elsewhere', 'handout', 'rivers'))
                   as c (organization, kind, name)
            """,
            "insert into school.change_feed (organization_id) values (test.id('Hillside')), (test.id('Elsewhere'))",
        ],
        policies: [
            PolicyRow(
                "change",
                "select kind || ' ' || test.called(subject_id) as label from school.change",
                hillside: directory.union([
                    "handout published", "handout draft of cora", "handout deleted",
                    "handout reaction",
                ]),
                elsewhere: ["class Geography", "handout rivers"],
                seenBy: [
                    Standing.directoryManagers + [.manager, .contentManager]: .only(directory),
                    [.teacher]: .only([
                        "location Main building", "course Science", "class Biology",
                        "roster Biology", "person sam", "handout published", "handout deleted",
                    ]),
                ]),
            PolicyRow(
                "change_feed",
                "select test.called(organization_id) as label from school.change_feed",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
        ],
        rights: [],
        writes: [
            WriteCase(.administrator, "hides a change", "delete from school.change", is: .refused),
            WriteCase(
                .provisioner, "makes up a change",
                """
                insert into school.change (organization_id, kind, subject_id, what)
                values (test.id('Hillside'), 'person', test.id('sam'), 'removed')
                """, is: .refused),
            WriteCase(
                .administrator, "reads what seals positions",
                "select feed_id from school.change_feed", is: .refused),
            WriteCase(
                .student, "asks for the feed", "select feed_id from school.my_feed()", is: .refused),
        ])

    private static let directory: Set<String> = [
        "location Main building", "course Science", "class Biology", "class Chemistry",
        "roster Biology", "roster Chemistry", "person sam", "person tess",
    ]
}
