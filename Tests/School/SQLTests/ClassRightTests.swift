import Postgres
import School
import TestKit
import Testing

/// Classes and seats as a manager has them, and the functions for terms and classes.
@Suite struct ClassRights {
    @Test func `a manager writes classes that were not imported`() async throws {
        try await withPopulatedSchool { populated in
            for statement in WriteTable.importedClass { try populated.school.sql(statement) }
            for row in WriteTable.classes {
                guard case .standing(let standing) = row.writer else { continue }
                let outcome = try populated.attempt(
                    row.statement, as: populated.caller(standing))
                #expect(outcome == row.outcome, "\(row.what)")
            }
        }
    }

    @Test func `directory managers close and reopen terms, in their own organization`()
        async throws
    {
        try await withPopulatedSchool { populated in
            for standing in Standing.allCases {
                let isManager = Standing.directoryManagers.contains(standing)
                for call: Statement in [
                    "select school.close_term(test.id('year'))",
                    "select school.reopen_term(test.id('year'))",
                ] {
                    let outcome = try populated.attempt(call, as: populated.caller(standing))
                    #expect(outcome == (isManager ? .done : .refused), "\(standing)")
                }
            }
            let elsewhere = try populated.school.sql(
                "select school.close_term(test.id('year elsewhere')) as archived",
                as: populated.caller(.administrator))
            #expect(try elsewhere[0].int("archived") == 0)
            let open = try populated.labels(
                "select test.called(term_id) as label from school.term where closed_at is null")
            #expect(open == ["year", "semester", "year elsewhere"])
        }
    }

    @Test
    func `a class can be removed by those who may change it, and not from another organization`()
        async throws
    {
        try await withPopulatedSchool { populated in
            for statement in WriteTable.importedClass { try populated.school.sql(statement) }
            let cases: [(Standing, String, Bool)] = [
                (.administrator, "Geography", false), (.manager, "Imported", false),
                (.peopleManager, "Imported", true), (.manager, "Imported", false),
            ]
            for (standing, name, isRemoved) in cases {
                let answer = try populated.school.sql(
                    "select school.delete_class(test.id(\(name))) as is_removed",
                    as: populated.caller(standing))
                #expect(try answer[0].bool("is_removed") == isRemoved, "\(standing) \(name)")
            }
            let left = try populated.labels("select name as label from school.class")
            #expect(left == ["Biology", "Chemistry", "Old biology", "Geography"])
            let removers = Standing.directoryManagers + [.manager, .directoryWriter]
            for standing in Standing.allCases where !removers.contains(standing) {
                for call: Statement in [
                    "select school.delete_class(test.id('Chemistry'))",
                    "select * from school.hanging_on_class(test.id('Biology'))",
                    "select * from school.closed_terms(array[test.id('year')])",
                ] {
                    let outcome = try populated.attempt(call, as: populated.caller(standing))
                    #expect(outcome == .refused, "\(standing)")
                }
            }
        }
    }
}
