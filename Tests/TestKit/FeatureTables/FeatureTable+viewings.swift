import Postgres
import School

extension FeatureTable {
    /// Who looked at students' work.
    static let viewings = FeatureTable(
        calls: """
            GET    /v1/viewings                          x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/me/viewings                       .   .   .   .   .   .   .   x   .   .   .
            """,
        // Sam sits in Biology and not in Chemistry. Last year's viewing is older than his seat.
        population: [
            """
            insert into test.name (name, id)
            select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
              from unnest(array['of Biology', 'of Biology last year', 'of Sam', 'of Sue', 'of Chemistry',
                                'of Geography']) as name
            """,
            """
            insert into school.viewing (organization_id, viewing_id, viewed_on, reader_id, class_id, student_id,
                                        first_at, last_at)
            select c.organization_id, test.id(v.name), (v.at at time zone 'UTC')::date, test.id(v.reader), c.class_id,
                   test.id(v.student), v.at, v.at
              from (values ('of Biology', 'tom', 'Biology', null, now()),
                           ('of Biology last year', 'tom', 'Biology', null, now() - interval '1 year'),
                           ('of Sam', 'tom', 'Biology', 'sam', now()),
                           ('of Sue', 'cora', 'Biology', 'sue', now()),
                           ('of Chemistry', 'tess', 'Chemistry', null, now()),
                           ('of Geography', 'otto', 'Geography', null, now()))
                   as v (name, reader, taught, student, at)
              join school.class as c on c.class_id = test.id(v.taught)
            """,
        ],
        policies: [
            PolicyRow(
                "viewing", "select test.called(viewing_id) as label from school.viewing",
                hillside: [
                    "of Biology", "of Biology last year", "of Sam", "of Sue", "of Chemistry",
                ], elsewhere: ["of Geography"],
                seenBy: [
                    [.administrator]: .all, [.student]: .only(["of Biology", "of Sam"]),
                ])
        ],
        rights: [],
        writes: [
            WriteCase(.teacher, "removes what he looked at", remove("of Sam"), is: .refused),
            WriteCase(.teacher, "notes what a colleague looked at", note("cora"), is: .refused),
            WriteCase(.administrator, "removes a viewing", remove("of Sam"), is: .refused),
            WriteCase(.administrator, "adds a viewing", note("tom"), is: .refused),
            WriteCase(.student, "adds a viewing", note("tom"), is: .refused),
            WriteCase(.student, "notes that he looked", byFunction, is: .refused),
            WriteCase(.administrator, "notes that she looked", byFunction, is: .refused),
        ])

    private static let byFunction: Statement = """
        select school.note_viewing(null, test.id('Biology'), null, null, null, now())
        """

    private static func remove(_ name: String) -> Statement {
        "delete from school.viewing where viewing_id = test.id(\(name))"
    }

    private static func note(_ reader: String) -> Statement {
        """
        insert into school.viewing (organization_id, viewing_id, viewed_on, reader_id, class_id, first_at, last_at)
        values (test.id('Hillside'), gen_random_uuid(), current_date, test.id(\(reader)), test.id('Biology'),
                now(), now())
        """
    }
}
