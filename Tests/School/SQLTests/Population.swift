import Postgres
import School
import TestKit
import Values

/// What the tests of the policies put into a school: at least one row of every table on either side of every border
/// that a policy draws (person, class, organization, app, environment, state of a handout).
///
/// Ids have names: `test.id('published')` in SQL is an id, and `test.called(id)` its name again. New ones are made from
/// the name.
enum Population {
    /// Fills a database that holds the cast.
    static func settle(_ connection: BlockingConnection) throws {
        for statement in names { try connection.query(statement) }
        for persona in Persona.allCases where persona.person == persona {
            try name(persona.rawValue, persona.personID.uuid, connection)
        }
        try name("Hillside", TestIDs.hillside.uuid, connection)
        try name("Elsewhere", TestIDs.elsewhere.uuid, connection)
        try name("Main building", TestIDs.mainLocation.uuid, connection)
        try name("Elsewhere's building", TestIDs.elsewhereLocation.uuid, connection)
        try name("Biology", TestIDs.biology.uuid, connection)
        try name("Chemistry", TestIDs.chemistry.uuid, connection)
        try name("Geography", TestIDs.elsewhereClass.uuid, connection)
        for statement in newNames + directory + terms + catalog + handouts + handoutPasts
            + activities + records + licences + thumbnails + nativeContexts + developments
            + FeatureTable.all.flatMap(\.population)
        {
            try connection.query(statement)
        }
    }

    private static func name(
        _ name: String, _ id: UUID, _ connection: BlockingConnection
    ) throws {
        try connection.query("insert into test.name (name, id) values (\(name), \(id))")
    }

    private static let names: [Statement] = [
        "create schema test",
        "create table test.name (name text primary key, id uuid not null unique)",
        """
        create function test.id(text) returns uuid language sql stable security definer
            return (select id from test.name where name = $1)
        """,
        """
        create function test.called(uuid) returns text language sql stable security definer
            return coalesce((select name from test.name where id = $1), $1::text)
        """,
        "grant usage on schema test to public",
    ]

    private static let newNames: [Statement] = [
        """
        insert into test.name (name, id)
        select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
          from unnest(array[
               'simon', 'connie', 'stan', 'lea', 'tara', 'Science', 'Earth', 'Old biology',
               'draft', 'draft of cora', 'published', 'for sam', 'for sue', 'scheduled', 'deleted',
               'old', 'reaction', 'rivers',
               'sam did published', 'sue did published', 'lea did published', 'sue did for sue',
               'sam did deleted', 'ben did reaction', 'omar did rivers', 'sam did nothing assigned',
               'import', 'import elsewhere', 'export', 'export elsewhere', 'session', 'session elsewhere', 'receipt',
               'receipt elsewhere', 'deletion', 'deletion elsewhere', 'upload of sam', 'upload of omar'
               ]) as name
        """,
        """
        insert into test.name (name, id)
        select 'task of ' || name, encode(substring(sha256(('task of ' || name)::bytea) for 16), 'hex')::uuid
          from unnest(array['draft', 'draft of cora', 'published', 'for sam', 'for sue', 'scheduled',
                            'deleted', 'old', 'reaction', 'rivers']) as name
        """,
    ]

    /// Simon manages the site, Connie the content, Stan is staff. Lea left Biology, and Tara once taught it. Old
    /// biology is archived; Tom was its last teacher.
    private static let directory: [Statement] = [
        """
        insert into school.managed_id_directory (managed_id, organization_id, person_id)
        select name || '@hillside.example', test.id('Hillside'), test.id(name)
          from unnest(array['simon', 'connie', 'stan', 'lea', 'tara']) as name
        """,
        """
        insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
        select test.id('Hillside'), test.id(name), name, 'Example', name || '@hillside.example'
          from unnest(array['simon', 'connie', 'stan', 'lea', 'tara']) as name
        """,
        """
        insert into school.person_role (organization_id, person_id, location_id, role)
        values (test.id('Hillside'), test.id('simon'),  test.id('Main building'), 'siteManager'),
               (test.id('Hillside'), test.id('connie'), test.id('Main building'), 'contentManager'),
               (test.id('Hillside'), test.id('stan'),   test.id('Main building'), 'staff'),
               (test.id('Hillside'), test.id('lea'),    test.id('Main building'), 'student'),
               (test.id('Hillside'), test.id('tara'),   test.id('Main building'), 'teacher')
        """,
        """
        insert into school.course (organization_id, course_id, location_id, name)
        values (test.id('Hillside'), test.id('Science'), test.id('Main building'), 'Science'),
               (test.id('Elsewhere'), test.id('Earth'), test.id('Elsewhere''s building'), 'Earth')
        """,
        """
        insert into school.class (organization_id, class_id, location_id, name, archived_at)
        values (test.id('Hillside'), test.id('Old biology'), test.id('Main building'), 'Old biology',
                now() - interval '10 days')
        """,
        """
        insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at)
        select test.id('Hillside'), test.id(class), test.id(person), role, now() - interval '60 days', left_at
          from (values ('Biology', 'lea', 'student', now() - interval '1 day'),
                       ('Biology', 'tara', 'teacher', now() - interval '1 day'),
                       ('Old biology', 'tom', 'teacher', now() - interval '5 days'),
                       ('Old biology', 'tara', 'teacher', now() - interval '15 days'),
                       ('Old biology', 'ben', 'student', null)
               ) as seat (class, person, role, left_at)
        """,
    ]

    /// The team QUIZ publishes Quizzler, the team READ the app Reader; Elsewhere has a team QUIZ, too.
    private static let catalog: [Statement] = [
        """
        insert into school.developer_team (organization_id, team_id, name)
        values (test.id('Hillside'), 'QUIZ', 'Quiz makers'), (test.id('Hillside'), 'READ', 'Readers'),
               (test.id('Elsewhere'), 'QUIZ', 'Quiz makers')
        """,
        """
        insert into school.developer_key (organization_id, team_id, key_id, public_key)
        select organization_id, team_id, 'key', 'PEM' from school.developer_team
        """,
        """
        insert into school.developer_bundle (organization_id, team_id, bundle_id)
        values (test.id('Hillside'), 'QUIZ', 'org.example.quizzler'),
               (test.id('Hillside'), 'READ', 'org.example.reader'),
               (test.id('Elsewhere'), 'QUIZ', 'org.example.quizzler')
        """,
        """
        insert into school.context (organization_id, context_id, kind, environment, bundle_id,
                                    identifier_path, locale, person_id, title, type, deleted_at)
        select test.id(organization), gen_random_uuid(), kind, environment, 'org.example.' || app,
               path::text[], 'en', test.id(person), title, 'quiz', deleted_at
          from (values
               ('Hillside', 'catalog', 'production', 'quizzler', '{}', null, 'Quizzler', null),
               ('Hillside', 'catalog', 'production', 'quizzler', '{published}', null, 'published', null),
               ('Hillside', 'catalog', 'development', 'quizzler', '{published}', null, 'in development', null),
               ('Hillside', 'catalog', 'production', 'quizzler', '{for sue}', null, 'for sue', null),
               ('Hillside', 'catalog', 'production', 'quizzler', '{scheduled}', null, 'scheduled', null),
               ('Hillside', 'catalog', 'production', 'quizzler', '{gone}', null, 'gone', now()),
               ('Hillside', 'catalog', 'production', 'reader', '{published}', null, 'of Reader', null),
               ('Hillside', 'native', 'production', 'quizzler', '{own}', 'sam', 'native of sam', null),
               ('Hillside', 'native', 'production', 'quizzler', '{own}', 'sue', 'native of sue', null),
               ('Elsewhere', 'catalog', 'production', 'quizzler', '{published}', null, 'elsewhere', null)
               ) as c (organization, kind, environment, app, path, person, title, deleted_at)
        """,
    ]
}
