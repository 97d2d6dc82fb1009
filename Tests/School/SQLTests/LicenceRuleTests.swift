import Postgres
import School
import TestKit
import Testing

/// What holds for licences whoever writes, including the owner of the tables.
@Suite struct LicenceRules {
    private static let counts: Statement = """
        select test.called(location_id) || ' ' || adam_id || ': ' || assigned_count as label
          from school.pool
        """

    @Test func `a pool counts its licences, whatever creates or removes them`() async throws {
        try await withPopulatedSchool { populated in
            let before: Set<String> = [
                "Main building 100: 2", "Main building 200: 1", "Elsewhere's building 100: 1",
            ]
            #expect(try populated.labels(Self.counts) == before)
            try populated.school.sql(
                "delete from school.licence where licence_id = test.id('licence of sam')")
            #expect(try populated.labels(Self.counts).contains("Main building 100: 1"))
            try populated.school.sql(
                """
                insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
                values (test.id('Hillside'), school.new_id(), '100', test.id('Main building'), test.id('stan')),
                       (test.id('Hillside'), school.new_id(), '200', test.id('Main building'), test.id('stan'))
                """)
            let after: Set<String> = [
                "Main building 100: 2", "Main building 200: 2", "Elsewhere's building 100: 1",
            ]
            #expect(try populated.labels(Self.counts) == after)
            try populated.school.sql("delete from school.person where person_id = test.id('stan')")
            let left = try populated.labels(Self.counts)
            #expect(left.isSuperset(of: ["Main building 100: 1", "Main building 200: 1"]))
        }
    }

    @Test(
        arguments: [
            ("update school.pool set assigned_count = 3", "23000"),
            ("update school.licence set location_id = test.id('Elsewhere''s building')", "23000"),
            (
                """
                insert into school.pool (organization_id, adam_id, location_id, total_count, assigned_count)
                select organization_id, adam_id, school.new_id(), 5, 1 from school.app
                """, "23000"
            ),
            ("update school.pool set total_count = 0", "23514"),
            (
                """
                insert into school.licence (organization_id, licence_id, adam_id, location_id, serial_number)
                select test.id('Hillside'), school.new_id(), '100', test.id('Main building'), 'T-' || n
                  from generate_series(1, 2) as n
                """, "23514"
            ),
            (
                """
                insert into school.licence (organization_id, licence_id, adam_id, location_id, serial_number)
                values (test.id('Hillside'), school.new_id(), '200', test.id('Main building'), 'T-1')
                """, "23503"
            ),
            (
                """
                insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
                values (test.id('Hillside'), school.new_id(), '100', test.id('Main building'), test.id('omar'))
                """, "23503"
            ),
            (
                """
                insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
                values (test.id('Hillside'), school.new_id(), '100', test.id('Main building'), test.id('sam'))
                """, "23505"
            ),
            (
                """
                insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id,
                                            serial_number)
                values (test.id('Hillside'), school.new_id(), '100', test.id('Main building'), test.id('ben'),
                        'T-1')
                """, "23514"
            ),
            ("update school.app set is_revocable = true where product_type = 'Book'", "23514"),
            ("update school.app set is_device_assignable = false where adam_id = '100'", "23503"),
            ("delete from school.app", "23503"), ("delete from school.pool", "23503"),
        ] as [(Statement, String)])
    func `the database refuses what does not add up`(
        statement: Statement, state: String
    ) async throws {
        try await withPopulatedSchool { populated in
            let error = #expect(throws: PostgresError.self) {
                try populated.school.sql(statement)
            }
            #expect(error?.sqlState == state)
        }
    }

    @Test func `no deactivated person gets a licence`() async throws {
        try await withPopulatedSchool { populated in
            try populated.school.sql(
                "update school.person set deactivated_at = now() where person_id = test.id('ben')")
            let error = #expect(throws: PostgresError.self) {
                try populated.school.sql(
                    """
                    insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
                    values (test.id('Hillside'), school.new_id(), '100', test.id('Main building'),
                            test.id('ben'))
                    """)
            }
            #expect(error?.constraint == "licence_holder_is_active")
        }
    }

    @Test func `only those who give licences learn how many wait for one in the school`()
        async throws
    {
        try await withPopulatedSchool { populated in
            try populated.school.sql("delete from school.licence")
            let question: Statement = """
                select student_count::text as label from school.waiting_students('100') where location_id is null
                """
            for standing in Standing.allCases {
                let found = try populated.labels(question, as: populated.caller(standing))
                let gives = [.administrator, .contentManager].contains(standing)
                #expect(found == (gives ? ["3"] : []), "Sam, Sue and Ben, for \(standing)")
            }
            func elsewhere() throws -> Set<String> {
                try populated.labels(question, as: populated.school.caller(.olga))
            }
            #expect(try elsewhere() == [], "Omar was chosen in a class of his own")
            try populated.school.sql(
                "update school.handout set recipients = 'class' where organization_id = test.id('Elsewhere')"
            )
            #expect(try elsewhere() == ["1"], "Omar, and nobody of Hillside")
        }
    }

    @Test func `only a teacher of the class learns how many have no licence`() async throws {
        try await withPopulatedSchool { populated in
            try populated.school.sql("delete from school.licence where serial_number is not null")
            let question: Statement = """
                select test.called(task_id) || ': ' || student_count as label
                  from school.unlicensed_students(test.id('published'))
                """
            for standing in Standing.allCases {
                let found = try populated.labels(question, as: populated.caller(standing))
                #expect(found == (standing == .teacher ? ["task of published: 1"] : []))
            }
            let tess = populated.school.caller(.tess)
            #expect(try populated.labels(question, as: tess).isEmpty)
            let otto = populated.school.caller(.otto)
            #expect(try populated.labels(question, as: otto).isEmpty)
        }
    }
}
