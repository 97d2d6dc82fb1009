import Postgres
import School

extension FeatureTable {
    static let announcements = FeatureTable(
        calls: """
            GET    /v1/announcements                     .   .   .   .   .   x   .   x   .   .   .
            POST   /v1/announcements                     .   .   .   .   .   x   .   .   .   .   .
            GET    /v1/announcements/{id}                .   .   .   .   .   x   .   x   .   .   .
            PATCH  /v1/announcements/{id}                .   .   .   .   .   x   .   .   .   .   .
            DELETE /v1/announcements/{id}                .   .   .   .   .   x   .   .   .   .   .
            """,
        // Sam sits in Biology, which Tom teaches; Old biology is archived.
        population: [
            """
            insert into test.name (name, id)
            select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
              from unnest(array['to Biology', 'to Chemistry', 'to Old biology', 'to Geography']) as name
            """,
            """
            insert into school.announcement (organization_id, announcement_id, class_id, author_id, text)
            select c.organization_id, test.id('to ' || test.called(c.class_id)), c.class_id, null, 'Bring your atlas.'
              from school.class as c
             where test.called(c.class_id) in ('Biology', 'Chemistry', 'Old biology', 'Geography')
            """,
        ],
        policies: [
            PolicyRow(
                "announcement",
                "select test.called(announcement_id) as label from school.announcement",
                hillside: ["to Biology", "to Chemistry", "to Old biology"],
                elsewhere: ["to Geography"],
                seenBy: [
                    [.teacher]: .only(["to Biology", "to Old biology"]),
                    [.student]: .only(["to Biology"]),
                ])
        ],
        rights: [
            WriteRight("announcement", [.teacher], "insert update(class_id, text) delete")
        ],
        writes: [
            WriteCase(.teacher, "posts to a class", post("Biology", "tom"), is: .done),
            WriteCase(
                .teacher, "posts to a colleague's class", post("Chemistry", "tom"), is: .refused),
            WriteCase(
                .teacher, "posts to an archived class", post("Old biology", "tom"), is: .refused),
            WriteCase(
                .teacher, "posts in a colleague's name", post("Biology", "cora"), is: .refused),
            WriteCase(.student, "posts to a class", post("Biology", "sam"), is: .refused),
            WriteCase(.administrator, "posts to a class", post("Biology", "ada"), is: .refused),
            WriteCase(.teacher, "changes one", change("to Biology"), is: .done),
            WriteCase(.teacher, "changes a colleague's", change("to Chemistry"), is: .nothing),
            WriteCase(
                .teacher, "moves one to a colleague's class", move("to Biology", "Chemistry"),
                is: .refused),
            WriteCase(
                .teacher, "moves one to an archived class", move("to Biology", "Old biology"),
                is: .refused),
            WriteCase(
                .teacher, "reads one of an archived class", read("to Old biology"), is: .done),
            WriteCase(
                .teacher, "changes one of an archived class", change("to Old biology"), is: .nothing
            ),
            WriteCase(
                .teacher, "moves one out of an archived class", move("to Old biology", "Biology"),
                is: .nothing),
            WriteCase(
                .teacher, "removes one of an archived class", remove("to Old biology"), is: .nothing
            ),
            WriteCase(.teacher, "removes one", remove("to Biology"), is: .done),
            WriteCase(.teacher, "removes a colleague's", remove("to Chemistry"), is: .nothing),
            WriteCase(.student, "removes one", remove("to Biology"), is: .refused),
        ])

    private static func post(_ group: String, _ author: String) -> Statement {
        """
        insert into school.announcement (organization_id, announcement_id, class_id, author_id, text)
        values (test.id('Hillside'), gen_random_uuid(), test.id(\(group)), test.id(\(author)), 'No lesson.')
        """
    }

    private static func change(_ name: String) -> Statement {
        "update school.announcement set text = 'Later.' where announcement_id = test.id(\(name))"
    }

    private static func read(_ name: String) -> Statement {
        "select text from school.announcement where announcement_id = test.id(\(name))"
    }

    private static func move(_ name: String, _ group: String) -> Statement {
        """
        update school.announcement set class_id = test.id(\(group))
         where announcement_id = test.id(\(name))
        """
    }

    private static func remove(_ name: String) -> Statement {
        "delete from school.announcement where announcement_id = test.id(\(name))"
    }
}
