import Postgres
import School
import TestKit
import Testing

@testable import Changes

/// What a page of changes costs: what is on it, however much is kept before and after it.
@Suite struct FollowingCost {
    /// An import of 5,000 things, and 2,000 transactions of one.
    private static func history(_ school: TestSchool) -> Statement {
        """
        insert into school.change (organization_id, transaction, kind, subject_id, what)
        select \(school.hillside), (case when n > 5000 then n::text else '1' end)::xid8, 'person', gen_random_uuid(),
               'created'
          from generate_series(1, 7000) as n
        """
    }

    /// The middle of the import, or the last of the other transactions.
    private static func position(_ school: TestSchool, inImport: Bool) throws -> FeedPosition {
        try FeedPosition(
            try school.sql(
                """
                select t.position, c.kind, c.subject_id as id
                  from school.change_transaction as t join school.change as c using (organization_id, transaction)
                 where organization_id = \(school.hillside) and (transaction = '1'::xid8) = \(inImport)
                 order by t.position desc, c.kind, c.subject_id offset \(inImport ? 2500 : 10) limit 1
                """)[0])
    }

    @Test(arguments: [Persona.ada, .tom], [true, false])
    func `a page is found by indexes alone`(persona: Persona, isInImport: Bool) async throws {
        try await withSchool(in: .shared()) { school in
            try school.sql(Self.history(school))
            try school.sql("analyze school.change, school.change_transaction")
            let position = try Self.position(school, inImport: isInImport)
            let changes = Statement.changes(
                after: position, before: .max, limit: 10, in: school.hillside)
            let caller = school.caller(persona)
            if persona == .ada { #expect(try school.sql(changes, as: caller).count == 10) }
            let plan = try school.sql("explain \(fragment: changes)", as: caller)
                .map { try $0.text("QUERY PLAN") }
            #expect(plan.count > 5)
            #expect(plan.filter { $0.contains("Seq Scan") || $0.contains("hashed") } == [])
            let sought = plan.filter { $0.contains("Index Cond") }
            #expect(sought.contains { $0.contains("ROW(kind, subject_id) >") })
            #expect(sought.contains { $0.contains("\"position\" >=") })
        }
    }

    @Test func `following is paid for like a report`() async throws {
        try await withSchool(requestsPerSecond: 1) { school in
            for persona in [Persona.ada, .tom] {
                let answer = try await school.get("/v1/changes", as: persona)
                let field = try #require(answer.header("RateLimit"))
                let left = try #require(field.firstMatch(of: /r=([0-9]+)/).flatMap { Int($0.1) })
                #expect((5...7).contains(left), "of 10; one comes back each second")
            }
        }
    }
}
