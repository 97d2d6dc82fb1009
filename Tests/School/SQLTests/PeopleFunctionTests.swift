import Postgres
import School
import TestKit
import Testing

/// Functions of `SQL/functions/directory/people.sql`, called directly, not through the server.
@Suite struct PeopleFunctions {
    @Test func `nobody can execute internal functions`() async throws {
        try await withPopulatedSchool { populated in
            let internals: Set<String> = [
                "keep_an_administrator", "name_patterns", "free_managed_id_number",
                "managed_id_length",
            ]
            let found = try populated.labels(
                """
                select proname::text as label from pg_proc
                 where pronamespace = 'school'::regnamespace and proname = any (\(Array(internals)))
                """)
            #expect(found == internals)
            let executable = try populated.labels(
                """
                select format('%s by %s', p.proname, r.rolname) as label
                  from pg_proc as p cross join pg_roles as r
                 where p.pronamespace = 'school'::regnamespace and p.proname = any (\(Array(internals)))
                   and r.rolname like 'school\\_%' and r.rolname <> 'school_owner'
                   and has_function_privilege(r.oid, p.oid, 'execute')
                """)
            #expect(executable.isEmpty)
        }
    }

    @Test func `the search finds what the standing may read, and nothing of others`() async throws {
        try await withPopulatedSchool { populated in
            let question: Statement = """
                select test.called(unnest(school.search_people('example', null, null))) as label
                """
            for standing in Standing.allCases {
                let found = try populated.labels(question, as: populated.caller(standing))
                let expected =
                    PolicyTable.directoryReaders.contains(standing) || standing == .teacher
                    ? try populated.labels(
                        "select test.called(person_id) as label from school.person",
                        as: populated.caller(standing)) : []
                #expect(found == expected, "\(standing)")
            }
            #expect(try populated.labels(question, as: populated.caller(.teacher)).count == 7)
        }
    }

    @Test func `a lock is visible to those who may read the person`() async throws {
        try await withPopulatedSchool { populated in
            try populated.school.sql(
                """
                update school.credential set locked_until = now() + interval '1 minute'
                 where person_id = any (array[test.id('sam'), test.id('ben'), test.id('tess'), test.id('omar')])
                """)
            let question: Statement = """
                select test.called(unnest(school.locked_person_ids())) as label
                """
            let all: Set<String> = ["sam", "ben", "tess"]
            for standing in Standing.allCases {
                let found = try populated.labels(question, as: populated.caller(standing))
                let expected: Set<String> =
                    PolicyTable.directoryReaders.contains(standing)
                    ? all : standing == .teacher ? ["sam", "ben"] : []
                #expect(found == expected, "\(standing)")
            }
        }
    }

    @Test func `nobody removes a person they may not change`() async throws {
        try await withPopulatedSchool { populated in
            let expected: [(Standing, String, Outcome)] = [
                (.administrator, "stan", .done), (.provisioner, "stan", .done),
                (.manager, "stan", .done), (.manager, "simon", .refused),
                (.peopleManager, "ada", .refused), (.administrator, "omar", .refused),
                (.teacher, "sam", .refused), (.contentManager, "stan", .refused),
            ]
            for (standing, name, outcome) in expected {
                let said = try populated.attempt(
                    "select count(*) from school.delete_person(test.id(\(name)))",
                    as: populated.caller(standing))
                #expect(said == outcome, "\(standing) removes \(name)")
            }
        }
    }

    @Test func `any reference to a person keeps the person`() async throws {
        try await withPopulatedSchool { populated in
            let kinds = try populated.labels(
                "select kind as label from school.delete_person(test.id('sam'))",
                as: populated.caller(.administrator))
            #expect(kinds.isSuperset(of: ["activity", "assignment", "context", "seat"]))
            let author = try populated.labels(
                "select kind as label from school.delete_person(test.id('tom'))",
                as: populated.caller(.administrator))
            #expect(author.isSuperset(of: ["handout", "seat"]))
        }
    }
}
