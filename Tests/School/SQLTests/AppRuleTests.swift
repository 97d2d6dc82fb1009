import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What apps and developers learn from the database: their own contexts, and nothing about people.
@Suite struct AppRules {
    static let contexts: Statement = "select title as label from school.context"

    @Test func `an app sees the contexts of its own bundle and of its person`() async throws {
        try await withPopulatedSchool { populated in
            let samsApp = try populated.labels(
                Self.contexts, as: populated.school.caller(.samsApp))
            #expect(samsApp.contains("native of sam") && !samsApp.contains("native of sue"))
            #expect(!samsApp.contains("of Reader"))

            let reader = Caller(
                organizationID: populated.school.hillside, personID: populated.school.id(.sam),
                standings: [.app], app: "org.example.reader")
            #expect(try populated.labels(Self.contexts, as: reader) == ["of Reader"])
        }
    }

    @Test func `nothing crosses from production into development`() async throws {
        try await withPopulatedSchool { populated in
            let development = Caller(
                organizationID: populated.school.hillside, personID: populated.school.id(.sam),
                standings: [.app], app: populated.school.quizzler, environment: .development)
            #expect(try populated.labels(Self.contexts, as: development) == ["in development"])

            let student = try populated.labels(Self.contexts, as: populated.caller(.student))
            #expect(student.contains("published"))
            #expect(!student.contains("in development"), "its namesake")
        }
    }

    @Test func `an app sees no person, not even its own`() async throws {
        try await withPopulatedSchool { populated in
            let questions: [Statement] = [
                "select given_name as label from school.person",
                "select role as label from school.person_role",
                "select role as label from school.seat",
                "select name as label from school.class",
                "select name as label from school.organization",
            ]
            for question in questions {
                let all = try populated.labels(question)
                #expect(!all.isEmpty)
                for persona in [Persona.samsApp, .tomsApp] {
                    let app = populated.school.caller(persona)
                    #expect(try populated.labels(question, as: app).isEmpty)
                }
            }
        }
    }

    @Test func `a developer sees what their own team may publish and no person`() async throws {
        try await withPopulatedSchool { populated in
            let reader = populated.developer("READ")
            let contexts = try populated.labels(Self.contexts, as: reader)
            #expect(contexts == ["of Reader"])
            let teams: Statement = "select team_id as label from school.developer_team"
            #expect(try populated.labels(teams, as: reader) == ["READ"])
            #expect(try populated.labels(teams, as: populated.developer("NONE")).isEmpty)
            let people: Statement = "select given_name as label from school.person"
            #expect(try populated.labels(people, as: reader).isEmpty)
        }
    }

    @Test func `only apps complete and upload, and they learn nothing from it`() async throws {
        try await withPopulatedSchool { populated in
            let complete: Statement =
                "select school.take_upload('completion', '[\"published\"]')::text as said"
            let upload: Statement = "select school.take_upload('activities', '[]')::text as said"
            for standing in Standing.allCases {
                let expected: Outcome = standing == .app ? .done : .refused
                let caller = populated.caller(standing)
                #expect(try populated.attempt(complete, as: caller) == expected, "\(standing)")
                #expect(try populated.attempt(upload, as: caller) == expected, "\(standing)")
            }
            let samsApp = populated.school.caller(.samsApp)
            let said = try populated.school.sql(complete, as: samsApp)
            #expect(try said[0].text("said").isEmpty)
        }
    }

    @Test func `an app completes what its person has open and nobody else's`() async throws {
        try await withPopulatedSchool { populated in
            for path in ["published", "for sue", "scheduled", "deleted", "draft", "reaction"] {
                try populated.school.sql(
                    """
                    select school.complete_assignments(test.id('Hillside'), test.id('sam'),
                           'org.example.quizzler', 'production', now(), jsonb_build_array(\(path)))::text
                    """)
            }
            let done = try populated.labels(
                """
                select test.called(person_id) || ': ' || test.called(task_id) as label
                  from school.assignment where done_at is not null
                """)
            #expect(done == ["sam: task of published"])
        }
    }
}
