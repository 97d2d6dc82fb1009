import Foundation
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// Pages of all results, which are found by the keys of their rows.
@Suite struct GradebookPageTests {
    /// Results of three kinds: a system's own, another system's, and what came of handouts.
    private func fill(_ school: TestSchool) async throws -> Grader {
        let other = try await Grader(school, "Other")
        let grader = try await Grader(
            school, grants: [["locationId": "source:main", "readsResults": true]])
        for system in [other, grader] {
            #expect(try await system.putItem("quiz").status == 201)
            for id in ["a-1", "%C3%84", "5", "0f", "zz", "g", "b_2"] {
                #expect(try await system.putResult("\(id)").status == 201)
            }
        }
        #expect(try await grader.send("DELETE", "results/zz").status == 204)
        try await handOut(school, 3, to: 4)
        return grader
    }

    /// Handouts in Biology and Chemistry that some more students have done.
    private func handOut(_ school: TestSchool, _ handouts: Int, to students: Int) async throws {
        for number in 0..<handouts {
            let group = number % 3 == 1 ? school.chemistry : school.biology
            _ = try school.newHandout(in: group, path: ["check-\(number)"])
        }
        try school.sql(
            """
            insert into school.managed_id_directory (managed_id, organization_id, person_id)
            select 'more' || n || '@hillside.example', \(school.hillside), md5('more' || n)::uuid
              from generate_series(1, \(Int32(students))) as n
            """)
        try school.sql(
            """
            insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
            select \(school.hillside), md5('more' || n)::uuid, 'Student', 'Number ' || n,
                   'more' || n || '@hillside.example' from generate_series(1, \(Int32(students))) as n
            """)
        try school.sql(
            """
            insert into school.assignment (organization_id, task_id, person_id, done_at)
            select t.organization_id, t.task_id, md5('more' || n)::uuid, now()
              from school.task as t cross join generate_series(1, \(Int32(students))) as n
             where t.organization_id = \(school.hillside)
            """)
    }

    @Test func `pages by key have what a sorted collection has`() async throws {
        try await withSchool { school in
            let grader = try await fill(school)
            // A filter that leaves nothing out, but has to be asked of each result.
            let sorted = try await grader.get("results?limit=1000&filter=sourcedId!='no'")
            let objects = try #require(sorted.json["results"]?.array)
            let ids = objects.compactMap { $0["sourcedId"]?.text }
            try #require(ids.count == 6 + 7 + 12, "\(ids)")
            let whole = try await grader.get("results?limit=1000")
            #expect(whole.json["results"]?.array == objects)
            #expect(whole.header("X-Total-Count") == "\(ids.count)")
            for offset in ids.indices {
                let page = try await grader.ids("results?limit=4&offset=\(offset)")
                #expect(page == Array(ids.dropFirst(offset).prefix(4)), "offset \(offset)")
            }
            let parts = ids.flatMap { [$0, String($0.dropLast()), "\($0)!", $0.uppercased()] }
            for after in Set(parts + ["~", "g", "00000000-0000", "A"]) where !after.isEmpty {
                let later = ids.filter { Array(after.utf8).lexicographicallyPrecedes($0.utf8) }
                let name = after.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let page = try await grader.ids("results?limit=5&after=\(name)")
                #expect(page == Array(later.prefix(5)), "after \(after)")
            }
            let backwards = try await grader.ids("results?limit=1000&orderBy=desc")
            #expect(backwards == ids.reversed())
        }
    }

    @Test func `what stays is on one page while others grade, and is counted once`() async throws {
        try await withSchool { school in
            let grader = try await fill(school)
            let before = try await grader.ids("results?limit=1000")
            var found: [String] = []
            var totals: Set<String> = []
            while found.count % 3 == 0 {
                let page = try await grader.get("results?limit=3&offset=\(found.count)")
                let ids = (page.json["results"]?.array ?? []).compactMap { $0["sourcedId"]?.text }
                if ids.isEmpty { break }
                found += ids
                totals.insert(page.header("X-Total-Count") ?? "")
                let number = found.count
                #expect(try await grader.putResult("0-new-\(number)").status == 201)
                try school.sql(
                    """
                    update school.grade set deleted_at = now()
                     where source_id in ('5', '0f') and service_account_id in (
                           select service_account_id from school.service_account where name = 'Grader')
                    """)
            }
            #expect(Set(found).count == found.count)
            #expect(Set(before).subtracting(found).isSubset(of: ["5", "0f"]))
            #expect(totals == ["\(before.count)"], "it was counted when the first page was read")
        }
    }

    @Test func `a page looks at few rows more than it shows`() async throws {
        try await withSchool(in: .shared()) { school in
            _ = try await fill(school)
            try school.sql(
                "delete from school.assignment where organization_id = \(school.hillside)")
            try school.sql(
                """
                insert into school.assignment (organization_id, task_id, person_id)
                select t.organization_id, t.task_id, p.person_id
                  from school.task as t join school.person as p using (organization_id)
                 where t.organization_id = \(school.hillside)
                """)
            try school.sql("analyze school.grade, school.task, school.assignment")
            // Both in one transaction, as that is what PostgreSQL counts for.
            try school.sql(
                """
                do $$
                declare
                    looked bigint;
                begin
                    perform set_config('school.organization', c.organization_id::text, true),
                            set_config('school.service_account', a.service_account_id::text, true)
                       from school.class as c join school.service_account as a using (organization_id)
                      where c.name = 'Biology' and a.name = 'Grader';
                    set local role school_roster_reader;
                    -- A table of some rows would be read from its beginning.
                    set local enable_seqscan = off;
                    perform count(*) from school.oneroster_result_page('', 0, 3);
                    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) into looked
                      from pg_stat_xact_user_tables where relname in ('assignment', 'assignment_figures');
                    if looked > 30 then
                        raise 'a page of three looked at % rows', looked;
                    end if;
                end $$
                """)
        }
    }
}
