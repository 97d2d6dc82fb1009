import Postgres
import TestKit
import Testing

/// The map of one person's data compared with the catalogue: a new table with a person in it fails here until it has
/// its row in `SQL/functions/records/personal_data.sql`.
@Suite struct MapOfPersonalData {
    @Test func `every column that names a person is in the map, and nothing else`() async throws {
        try await withSchool { school in
            #expect(try forgotten(school).isEmpty)
            let stale = try school.sql(
                """
                select concat_ws('.', m.table_name, m.person_column) as name from school.personal_data() as m
                 where not exists (
                       select from pg_attribute as a
                        where a.attrelid = to_regclass('school.' || m.table_name)
                          and a.attname = coalesce(m.person_column, 'organization_id'))
                """)
            #expect(try stale.map { try $0.text("name") }.isEmpty)
        }
    }

    @Test func `a new table with a person is noticed`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                create table school.diary (organization_id uuid, writer uuid, reader_person_id uuid,
                    foreign key (organization_id, writer) references school.person)
                """)
            #expect(try forgotten(school) == ["diary.reader_person_id", "diary.writer"])
        }
    }

    @Test func `what refers to a deleted row is in the map, too`() async throws {
        try await withSchool { school in
            let forgotten: Statement = """
                select distinct c.conrelid::regclass::text as name
                  from pg_constraint as c
                 where c.contype = 'f' and c.conparentid = 0
                   and exists (select from school.personal_data() as m
                                where m.clearing is null and c.confrelid = to_regclass('school.' || m.table_name))
                   and not exists (select from school.personal_data() as m
                                    where c.conrelid = to_regclass('school.' || m.table_name))
                """
            #expect(try school.sql(forgotten).map { try $0.text("name") }.isEmpty)
            try school.sql(
                """
                create table school.page (organization_id uuid, person_id uuid, activity_id uuid,
                    foreign key (organization_id, person_id, activity_id) references school.activity)
                """)
            #expect(try school.sql(forgotten).map { try $0.text("name") } == ["school.page"])
        }
    }

    /// Columns that refer to people, or are named as if they did, and are not in the map.
    private func forgotten(_ school: TestSchool) throws -> [String] {
        try school.sql(
            """
            select format('%s.%s', c.relname, a.attname) as name
              from pg_class as c
              join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
               and (a.attname ~ '(person|author)_id$'
                    or exists (select from pg_constraint as k
                                cross join unnest(k.conkey, k.confkey) as p (own, other)
                                 join pg_attribute as o on o.attrelid = k.confrelid and o.attnum = p.other
                                where k.conrelid = c.oid and k.confrelid = 'school.person'::regclass
                                  and p.own = a.attnum and o.attname = 'person_id'))
               and not exists (select from school.personal_data() as m
                                where m.table_name = c.relname and m.person_column = a.attname)
             order by 1
            """
        ).map { try $0.text("name") }
    }
}
