import Foundation
import Postgres
import School
import TestKit
import Testing

/// A district in a cell with four hundred small schools: lists read what they show, whoever else is there.
@Suite struct CellLists {
    private static let directory: Set<String> = ["person", "class", "course", "location", "term"]

    /// Those that read the whole directory.
    private static let standings: [Standing] = [
        .administrator, .siteManager, .peopleManager, .manager, .provisioner, .directoryWriter,
        .rosterReader, .exporter,
    ]

    /// As many pages as a list of 20 may read: a tenth of what the people of the district fill.
    private static let pagesMax = 500

    @Test func `a list of twenty reads few pages of a large district beside small schools`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let school = populated.school
            let connection = try BlockingConnection(school.ownerURL)
            try connection.execute(Self.cell)
            try connection.execute(Self.counting)
            var read: Set<String> = []
            for (name, statement) in try Self.lists() where Self.directory.contains(name) {
                for standing in Self.standings {
                    let pages = try connection.query(
                        "select test.pages_read(\(statement), \(school.hillside)) as pages",
                        as: populated.caller(standing).identity)[0].optionalInt("pages")
                    guard let pages else { continue }
                    read.insert(name)
                    #expect(pages <= Self.pagesMax, "\(name) as \(standing)")
                }
            }
            #expect(read == Self.directory)
        }
    }

    /// The statement of each list in `SQL/statements`, by the name of its table.
    private static func lists() throws -> [(name: String, statement: String)] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "SQL/statements")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        return try files.map { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            let parts = text.components(separatedBy: "-- list\n")
            try #require(parts.count == 2, "\(file.lastPathComponent)")
            let list = parts[1].components(separatedBy: "\n-- ")[0]
            return (file.deletingPathExtension().lastPathComponent, list)
        }
    }

    private static let cell: Command = """
        set session_replication_role = replica;
        create temporary table district as
        select organization_id, location_id from school.location
         where organization_id = test.id('Hillside') limit 1;
        create temporary table small as
        select gen_random_uuid() as organization_id, gen_random_uuid() as location_id, n
          from generate_series(1, 400) as n;
        insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
        select organization_id, school.new_id(), 'Stu' || n, 'Dent' || n, 's' || n || '@district.example'
          from district, generate_series(1, 30000) as n
         union all
        select organization_id, school.new_id(), 'Ada', 'Small', 'ada@small' || n || '.example' from small;
        insert into school.person_role (organization_id, person_id, role, location_id)
        select p.organization_id, p.person_id, 'student', d.location_id
          from school.person as p join district as d using (organization_id)
         where p.managed_id like '%@district.example';
        insert into school.class (organization_id, class_id, location_id, name)
        select organization_id, school.new_id(), location_id, 'Class ' || n
          from district, generate_series(1, 20000) as n
         union all
        select organization_id, school.new_id(), location_id, 'Only' from small;
        insert into school.course (organization_id, course_id, location_id, name)
        select organization_id, school.new_id(), location_id, 'Course ' || n
          from district, generate_series(1, 5000) as n
         union all
        select organization_id, school.new_id(), location_id, 'Only' from small;
        set session_replication_role = origin;
        analyze
        """

    /// How many pages a list reads, with a plan for any organization or with one for this, whichever reads more. Null:
    /// the caller may not read it.
    private static let counting: Command = """
        create function test.pages_read(p_statement text, p_organization_id uuid) returns integer
            language plpgsql as $$
        declare
            mode  text;
            plan  json;
            pages integer := 0;
        begin
            foreach mode in array '{force_generic_plan,force_custom_plan}'::text[] loop
                perform set_config('plan_cache_mode', mode, true);
                execute 'prepare list as ' || p_statement;
                execute format('explain (analyze, buffers, format json) execute list(%L, %L, 21)',
                               p_organization_id, '00000000-0000-0000-0000-000000000000') into plan;
                deallocate list;
                pages := greatest(pages, (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::integer
                                         + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::integer);
            end loop;
            return pages;
        exception when insufficient_privilege then
            deallocate all;
            return null;
        end $$;
        grant execute on function test.pages_read to public
        """
}
