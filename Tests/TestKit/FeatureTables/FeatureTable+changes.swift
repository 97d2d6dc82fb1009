import Postgres
import School

extension FeatureTable {
    /// What changed, for other systems.
    static let changes = FeatureTable(
        calls: """
            GET    /v1/changes                           x   x   x   x   x   x   .   .   x   .   .
            GET    /v1/changes/latest                    x   x   x   x   x   x   .   .   x   .   .
            """,
        // What the population itself noted is forgotten first. Tom teaches Biology, Tess Chemistry.
        population: [
            "delete from school.change", "delete from school.change_transaction",
            """
            insert into school.change (organization_id, transaction, kind, subject_id, what)
            select test.id(c.organization), c.transaction::xid8, c.kind, test.id(c.name), 'changed'
              from (values ('Hillside', '1', 'location', 'Main building'), ('Hillside', '1', 'course', 'Science'),
                           ('Hillside', '1', 'class', 'Biology'), ('Hillside', '2', 'class', 'Chemistry'),
                           ('Hillside', '1', 'roster', 'Biology'), ('Hillside', '2', 'roster', 'Chemistry'),
                           ('Hillside', '1', 'person', 'sam'), ('Hillside', '2', 'person', 'tess'),
                           ('Hillside', '3', 'handout', 'published'), ('Hillside', '4', 'handout', 'draft of cora'),
                           ('Hillside', '3', 'handout', 'deleted'), ('Hillside', '4', 'handout', 'reaction'),
                           ('Elsewhere', '5', 'class', 'Geography'), ('Elsewhere', '6', 'handout', 'rivers'))
                   as c (organization, transaction, kind, name)
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
            // 1: Biology's; 2: Chemistry's; 3: handouts of Biology; 4: handouts that are not Tom's to read.
            PolicyRow(
                "change_transaction",
                "select transaction::text as label from school.change_transaction",
                hillside: ["1", "2", "3", "4"], elsewhere: ["5", "6"],
                seenBy: [
                    Standing.directoryManagers + [.manager, .contentManager]: .only(["1", "2"]),
                    [.teacher]: .only(["1", "3"]),
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
                .administrator, "gives a change another position",
                "update school.change_transaction set position = 1", is: .refused),
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
