import AloneKit
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// The gradebook where much was handed out.
@Suite struct LargeGradebooks {
    private static let students = 60
    private static let handouts = 100

    /// Everybody has marked everything done.
    private func fill(_ school: TestSchool) throws {
        for number in 0..<Self.handouts {
            let group = number % 2 == 0 ? school.biology : school.chemistry
            _ = try school.newHandout(in: group, path: ["check-\(number)"])
        }
        try school.sql(
            """
            insert into school.managed_id_directory (managed_id, organization_id, person_id)
            select 'more' || n || '@hillside.example', \(school.hillside), md5('more' || n)::uuid
              from generate_series(1, \(Int32(Self.students))) as n
            """)
        try school.sql(
            """
            insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
            select \(school.hillside), md5('more' || n)::uuid, 'Student', 'Number ' || n,
                   'more' || n || '@hillside.example' from generate_series(1, \(Int32(Self.students))) as n
            """)
        try school.sql(
            """
            insert into school.assignment (organization_id, task_id, person_id, done_at)
            select t.organization_id, t.task_id, md5('more' || n)::uuid, now()
              from school.task as t cross join generate_series(1, \(Int32(Self.students))) as n
             where t.organization_id = \(school.hillside)
            """)
        try school.sql("analyze school.person, school.assignment, school.task, school.handout")
    }

    /// With a plan that joins each result with each person and each handout, it took forty seconds.
    @Test(.alone) func `all results are listed in time`() async throws {
        try await withSchool(in: .shared()) { school in
            try fill(school)
            let grader = try await Grader(school, grants: [["readsResults": true]])
            let clock = ContinuousClock()
            let began = clock.now
            let page = try await grader.get("results?limit=1000&offset=5000")
            #expect(clock.now - began < .seconds(10), "as long as a call may take")
            #expect(page.status == 200, "\(page.text.prefix(300))")
            let total = Self.students * Self.handouts
            #expect(page.header("X-Total-Count") == String(total))
            #expect(page.json["results"]?.array?.count == 1000)
        }
    }
}
