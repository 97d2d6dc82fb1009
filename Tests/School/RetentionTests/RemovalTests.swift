import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What the nights take, and what they leave.
@Suite struct RemovalByRules {
    @Test func `old activities go with their figures, in steps, and the others stay`() async throws
    {
        try await withSchool { school in
            let given = try school.newHandout()
            try await school.upload([school.attempt(), school.attempt(), school.attempt()])
            try await school.upload([school.attempt()], as: .suesApp)
            try school.age(.sam, days: 800)
            try await school.setRules(["kind": "activities", "years": 2])
            try school.waitForRules()
            #expect(try school.letNightPass(limit: 2) == 3, "two, one and none")
            #expect(try school.storedCount() == 0)
            #expect(try school.storedCount(of: .sue) == 1)
            let figures = try school.sql(
                "select person_id from school.assignment_figures where task_id = \(given.task)")
            #expect(try figures.map { try $0.uuid("person_id") } == [school.id(.sue).uuid])
            let gone: Statement = "select from school.deletion where kind = 'activity'"
            #expect(try school.count(gone) == 3, "receivers of exports remove them, too")
            let events = try school.details("retention")
            #expect(events.count == 1 && events[0]["removed"]?["activities"] == 3)
            let night = try await school.get("/v1/retention", as: .ada).json["lastNight"]
            #expect(night?["removed"]?["activities"] == 3)
        }
    }

    @Test func `a report says that attempts were removed`() async throws {
        try await withSchool { school in
            let old = try school.newHandout()
            let new = try school.newHandout(path: ["unit-3"])
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 1)
            let before = try await notes(old, school)
            #expect(!before.contains("progress_removed"))
            try school.age(.sam, days: 790)
            try school.sql(
                """
                update school.handout set created_at = created_at - interval '800 days',
                       publish_at = publish_at - interval '800 days' where handout_id = \(old.id)
                """)
            try await school.setRules(["kind": "activities", "years": 1])
            try school.waitForRules()
            try school.letNightPass()
            #expect(try school.storedCount() == 0)
            #expect(try await notes(old, school) == ["progress_removed"])
            #expect(try await notes(new, school) == ["nothing_reported"])
        }
    }

    private func notes(_ given: GivenHandout, _ school: TestSchool) async throws -> [String] {
        let report = try await school.get("/v1/handouts/\(given.id.uuid)/report", as: .tom)
        #expect(report.status == 200)
        return (report.json["notes"]?.array ?? []).compactMap { $0["code"]?.text }
            .filter { $0 != "no_licence" }
    }

    @Test func `a hold on a person or a class keeps activities, until it is lifted`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            _ = try school.newHandout(in: school.chemistry, by: .tess)
            try await school.upload([school.attempt()])
            try await school.upload([school.attempt()], as: .suesApp)
            try await school.upload([school.attempt()], as: .bensApp)
            for person in [Persona.sam, .sue, .ben] { try school.age(person, days: 800) }
            let sams = try await school.hold("person", school.id(.sam).uuid)
            let chemistry = try await school.hold("class", school.chemistry.uuid)
            #expect(sams.status == 201 && chemistry.status == 201)
            try await school.setRules(["kind": "activities", "years": 2])
            #expect(try await school.rule("activities")?["going"] == 100, "whatever is held")
            try school.waitForRules()
            try school.letNightPass()
            #expect(try school.storedCount() == 1)
            #expect(try school.storedCount(of: .sue) == 0)
            #expect(try school.storedCount(of: .ben) == 1)
            let night = try await school.get("/v1/retention", as: .ada).json["lastNight"]
            #expect(
                night?["removed"] == [:], "holding all but one would tell how much that one had")
            let path = "/v1/retention/holds/\(sams.json["id"]?.text ?? "")"
            #expect(try await school.delete(path, as: .ada).status == 204)
            try school.letNightPass()
            #expect(try school.storedCount() == 0)
            #expect(try school.storedCount(of: .ben) == 1)
        }
    }

    @Test func `handouts go some time after their term was closed, with the work on them`()
        async throws
    {
        try await withSchool { school in
            let given = try school.newHandout()
            let kept = try school.newHandout(in: school.chemistry, by: .tess)
            try await school.upload([school.attempt()])
            try await school.upload([school.attempt()], as: .bensApp)
            try school.closeTerm(of: school.biology, daysAgo: 400)
            try school.closeTerm(of: school.chemistry, daysAgo: 300)
            try await school.setRules(["kind": "handouts", "years": 1])
            try school.waitForRules()
            try school.letNightPass()
            let traces: [Statement] = [
                "select from school.task where task_id = \(given.task)",
                "select from school.assignment_figures where task_id = \(given.task)",
                "select from school.activity_assignment where task_id = \(given.task)",
                "select from school.activity_part where task_id = \(given.task)",
            ]
            for trace in traces { #expect(try school.count(trace) == 0) }
            #expect(try school.storedCount() == 0)
            #expect(try school.storedCount(of: .ben) == 1)
            let handouts = try school.sql("select handout_id from school.handout")
            #expect(try handouts.map { try $0.uuid("handout_id") } == [kept.id.uuid])
            let told = try school.sql(
                "select subject_id from school.deletion where kind = 'handout'")
            #expect(try told.map { try $0.uuid("subject_id") } == [given.id.uuid])
            let caller = Caller(
                organizationID: school.hillside, personID: nil, standings: [.exporter])
            let exported = try school.sql(
                "select school.was_exported(\(given.id)) as is_so", as: caller)
            #expect(try exported[0].bool("is_so"))
        }
    }

    @Test func `a hold keeps the handouts of a class`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            try school.closeTerm(of: school.biology, daysAgo: 400)
            try await school.setRules(["kind": "handouts", "years": 1])
            try school.waitForRules()
            let hold = try await school.hold("person", school.id(.sam).uuid)
            #expect(hold.status == 201, "Sam sits in Biology")
            try school.letNightPass()
            #expect(try school.count("select from school.handout") == 1)
            try school.sql("delete from school.retention_hold")
            try school.letNightPass()
            #expect(try school.count("select from school.handout") == 0)
        }
    }

    @Test func `nothing of another organization goes`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            try school.age(.sam, days: 800)
            try await school.setRules(["kind": "activities", "years": 1], as: .olga)
            try school.waitForRules()
            #expect(try school.letNightPass() == 1)
            #expect(try school.storedCount() == 1)
        }
    }
}

extension TestSchool {
    /// Puts a class into a term of its own that was closed, and archives the class with it.
    fileprivate func closeTerm(of group: ClassID, daysAgo days: Int) throws {
        let term = TermID(group.uuid)
        try sql(
            """
            insert into school.term (organization_id, term_id, name, kind, starts_on, ends_on, closed_at)
            values (\(hillside), \(term), 'Term', 'schoolYear', current_date - \(Int32(days)) - 90,
                    current_date - \(Int32(days)), now() - make_interval(days => \(Int32(days))))
            """)
        try sql(
            """
            update school.class set term_id = \(term),
                   archived_at = now() - make_interval(days => \(Int32(days)))
             where class_id = \(group)
            """)
    }
}
