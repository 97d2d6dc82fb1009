import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// How long what is kept, and what is said of it in advance.
@Suite struct RetentionRules {
    @Test func `without a decision everything is kept for good`() async throws {
        try await withSchool { school in
            let answer = try await school.get("/v1/retention", as: .ada)
            #expect(answer.status == 200)
            let rules = answer.json["rules"]?.array ?? []
            #expect(
                rules.compactMap { $0["kind"]?.text } == [
                    "activities", "auditEvents", "exports", "grades", "handouts",
                ])
            #expect(rules.allSatisfy { $0["years"] == .null && $0["days"] == .null })
            #expect(rules.allSatisfy { $0["going"] == 0 })
            #expect(answer.json["lastNight"] == .null)
            #expect(try school.letNightPass() == 0)
        }
    }

    @Test func `a rule is told thirty days in advance, with what goes then`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt(), school.attempt()])
            try school.age(.sam, days: 340)
            let set = try await school.setRules(["kind": "activities", "years": 1])
            #expect(set.status == 200)
            let rule = try await school.rule("activities")
            #expect(rule?["years"] == 1 && rule?["days"] == .null)
            #expect(rule?["going"] == 100, "they are a year old within thirty days")
            let waits = try school.sql(
                """
                select effective_at = set_at + interval '30 days' as is_so
                  from school.retention_rule where kind = 'activities'
                """)
            #expect(try waits[0].bool("is_so"))
            try school.age(.sam, days: 300)
            try school.letNightPass()
            #expect(try school.storedCount() == 2, "the thirty days are not over")
            try school.waitForRules()
            try school.letNightPass()
            #expect(try school.storedCount() == 0)
        }
    }

    @Test func `a shorter rule waits again, a longer one does not`() async throws {
        try await withSchool { school in
            try await school.setRules(["kind": "activities", "years": 3])
            try school.waitForRules()
            let isEffective: Statement = """
                select from school.retention_rule where effective_at <= now()
                """
            #expect(try school.count(isEffective) == 1)
            try await school.setRules(["kind": "activities", "years": 5])
            #expect(try school.count(isEffective) == 1)
            try await school.setRules(["kind": "activities", "days": 400])
            #expect(try school.count(isEffective) == 0)
        }
    }

    @Test func `a kind that is left out is kept for good again`() async throws {
        try await withSchool { school in
            try await school.setRules(
                ["kind": "activities", "years": 1], ["kind": "handouts", "years": 2])
            try await school.setRules(["kind": "handouts", "years": 2])
            #expect(try await school.rule("activities")?["years"] == .null)
            #expect(try await school.rule("activities")?["effectiveAt"] == .null)
            #expect(try await school.rule("handouts")?["years"] == 2)
        }
    }

    @Test func `each change leaves an event, and no change leaves none`() async throws {
        try await withSchool { school in
            for _ in 1...2 { try await school.setRules(["kind": "auditEvents", "days": 90]) }
            let events = try school.details("retentionChange")
            #expect(events.count == 1)
            #expect(events[0]["rule"]?.text == "auditEvents" && events[0]["days"] == 90)
            #expect(events[0]["effectiveAt"]?.text != nil)
        }
    }

    @Test func `what makes no sense is refused with its place`() async throws {
        try await withSchool { school in
            let cases: [(rules: [JSONValue], pointer: String)] = [
                ([["kind": "activities"]], "/rules/0"),
                ([["kind": "activities", "years": 1, "days": 400]], "/rules/0"),
                ([["kind": "activities", "days": 7]], "/rules/0/days"),
                ([["kind": "people", "years": 1]], "/rules/0/kind"),
                (
                    [["kind": "exports", "days": 90], ["kind": "exports", "days": 91]],
                    "/rules/1/kind"
                ),
            ]
            for (rules, pointer) in cases {
                let answer = try await school.put(
                    "/v1/retention", as: .ada, json: ["rules": .array(rules)])
                #expect(answer.status == 422 && answer.pointers == [pointer])
            }
            #expect(try school.count("select from school.retention_rule") == 0)
        }
    }

    @Test func `the rules of another organization are its own`() async throws {
        try await withSchool { school in
            try await school.setRules(["kind": "activities", "years": 1], as: .olga)
            #expect(try school.count("select from school.retention_rule where years = 1") == 1)
            #expect(try await school.rule("activities")?["years"] == .null)
        }
    }
}
