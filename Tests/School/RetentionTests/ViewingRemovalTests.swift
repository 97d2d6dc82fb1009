import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Viewings go with the audit events of their time.
@Suite struct ViewingRemoval {
    private func view(_ school: TestSchool, _ student: Persona?, daysAgo: Int32) throws {
        try school.sql(
            """
            insert into school.viewing (organization_id, viewing_id, viewed_on, reader_id, class_id, student_id, first_at,
                                        last_at)
            select \(school.hillside), gen_random_uuid(), current_date - \(daysAgo)::integer, \(school.id(.tom)),
                   class_id, \(student.map { school.id($0) }), now(), now()
              from school.class where organization_id = \(school.hillside) and name = 'Biology'
            """)
    }

    @Test func `old viewings go, and those of whom is held stay`() async throws {
        try await withSchool { school in
            for daysAgo in [400, 200] as [Int32] {
                for student in [.sam, .sue, nil] as [Persona?] {
                    try view(school, student, daysAgo: daysAgo)
                }
            }
            #expect(try await school.hold("person", school.id(.sue).uuid).status == 201)
            try await school.setRules(["kind": "auditEvents", "years": 1])
            let going = try await school.rule("auditEvents")?["going"]?.int64 ?? 0
            #expect(going > 0, "viewings are announced with audit events")
            try school.letNightPass()
            #expect(try school.count("select from school.viewing") == 6, "not before its time")
            try school.waitForRules()
            try school.letNightPass(limit: 1)
            let left = try school.sql(
                """
                select count(*) filter (where student_id = \(school.id(.sue))) as sues,
                       count(*) filter (where student_id = \(school.id(.sam))) as sams,
                       count(*) filter (where student_id is null) as classes
                  from school.viewing
                """)[0]
            #expect(try left.int("sues") == 2 && left.int("sams") == 1)
            let isSueInClass = try school.sql(
                """
                select exists (select from school.seat as s join school.class as c using (organization_id, class_id)
                                where c.name = 'Biology' and s.person_id = \(school.id(.sue))) as is
                """)[0].bool("is")
            #expect(try left.int("classes") == (isSueInClass ? 2 : 1))
        }
    }
}
