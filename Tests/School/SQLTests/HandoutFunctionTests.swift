import Postgres
import School
import TestKit
import Testing

/// The functions of handouts that see everything, called directly by those without access.
@Suite struct HandoutFunctions {
    private static let others = Standing.allCases.filter { $0 != .teacher }

    @Test
    func
        `tasks are removed from handouts of the teacher's own classes and no draft of a colleague`()
        async throws
    {
        try await withPopulatedSchool { populated in
            for (handout, isRemoved) in [
                ("draft", true), ("scheduled", true), ("draft of cora", false), ("deleted", false),
                ("reaction", false), ("rivers", false), ("published", false), ("for sam", true),
            ] {
                let removal: Statement = """
                    select school.remove_tasks(test.id(\(handout)), array[test.id(\("task of " + handout))], false)
                    """
                try populated.school.sql(removal, as: populated.caller(.teacher))
                let left = try populated.labels(
                    "select title as label from school.task where title = \(handout)")
                #expect(left.isEmpty == isRemoved, "\(handout)")
                for standing in Self.others {
                    let outcome = try populated.attempt(removal, as: populated.caller(standing))
                    #expect(outcome == .refused, "\(standing)")
                }
            }
        }
    }

    @Test func `a task is only removed from the handout that is named`() async throws {
        try await withPopulatedSchool { populated in
            try populated.school.sql(
                """
                select school.remove_tasks(test.id('scheduled'),
                           array[test.id('task of reaction'), test.id('task of for sam')], true)
                """, as: populated.caller(.teacher))
            let left = try populated.labels("select title as label from school.task")
            #expect(left.isSuperset(of: ["reaction", "for sam", "scheduled"]))
        }
    }

    @Test
    func `recipients change in handouts of the teacher's own classes and no draft of a colleague`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let chosen: Statement = """
                select test.called(handout_id) || ': ' || test.called(person_id) as label
                  from school.handout_recipient
                """
            let before = try populated.labels(chosen)
            for handout in ["draft of cora", "deleted", "reaction", "rivers"] {
                let change: Statement = """
                    select school.set_recipients(test.id(\(handout)), array[test.id('sam'), test.id('ben')])
                    """
                try populated.school.sql(change, as: populated.caller(.teacher))
                #expect(try populated.labels(chosen) == before, "\(handout)")
            }
            let change: Statement = """
                select school.set_recipients(test.id('for sue'),
                           array[test.id('sam'), test.id('ben'), test.id('lea'), test.id('cora')])
                """
            try populated.school.sql(change, as: populated.caller(.teacher))
            let expected = before.subtracting(["for sue: sue"]).union(["for sue: sam"])
            #expect(try populated.labels(chosen) == expected, "only those in the class now")
            for standing in Self.others {
                #expect(try populated.attempt(change, as: populated.caller(standing)) == .refused)
            }
        }
    }

    @Test func `work is given back in the teacher's own classes, to those who have it`()
        async throws
    {
        try await withPopulatedSchool { populated in
            for (handout, student, isReturned) in [
                ("published", "sam", true), ("published", "lea", false),
                ("published", "ben", false),
                ("for sue", "sam", false), ("for sue", "sue", true), ("scheduled", "sam", false),
                ("deleted", "sam", false), ("reaction", "ben", false), ("rivers", "omar", false),
            ] {
                let giving: Statement = """
                    select school.return_assignment(test.id(\(handout)), test.id(\("task of " + handout)),
                               test.id(\(student)), 'Well.', true) as is_returned
                    """
                let said = try populated.school.sql(giving, as: populated.caller(.teacher))
                #expect(try said[0].bool("is_returned") == isReturned, "\(handout) to \(student)")
                for standing in Self.others {
                    let outcome = try populated.attempt(giving, as: populated.caller(standing))
                    #expect(outcome == .refused, "\(standing)")
                }
            }
            let taking: Statement = """
                select school.take_return_back(test.id('published'), test.id('task of published'),
                           test.id('sam')) as is_taken
                """
            let tess = try populated.school.sql(taking, as: populated.school.caller(.tess))
            #expect(try !tess[0].bool("is_taken"))
            let cora = try populated.school.sql(taking, as: populated.school.caller(.cora))
            #expect(try cora[0].bool("is_taken"))
        }
    }

    @Test func `a token of development changes nothing in production`() async throws {
        try await withPopulatedSchool { populated in
            let tom = Caller(
                organizationID: populated.school.hillside, personID: populated.school.id(.tom),
                standings: [.teacher], environment: .development)
            let sam = Caller(
                organizationID: populated.school.hillside, personID: populated.school.id(.sam),
                standings: [.student], environment: .development)
            try populated.school.sql(
                """
                select school.remove_tasks(test.id('scheduled'), array[test.id('task of scheduled')], true)
                """, as: tom)
            try populated.school.sql(
                "select school.set_recipients(test.id('for sue'), array[test.id('sam')])", as: tom)
            let said = try populated.school.sql(
                """
                select school.return_assignment(test.id('published'), test.id('task of published'),
                           test.id('sam'), null, false) as is_returned
                """, as: tom)
            #expect(try !said[0].bool("is_returned"))
            let tasks = try populated.labels("select title as label from school.task")
            #expect(tasks.contains("scheduled"))
            let chosen = try populated.labels(
                """
                select test.called(person_id) as label from school.handout_recipient
                 where handout_id = test.id('for sue')
                """)
            #expect(chosen == ["sue"])
            let contexts = try populated.school.sql(
                "select from school.contexts_of_my_tasks(array[test.id('task of published')])",
                as: sam)
            #expect(contexts.isEmpty)
        }
    }

    @Test func `students learn who teaches their classes, and nobody else does`() async throws {
        try await withPopulatedSchool { populated in
            let asked: Statement = """
                select test.called(c.class_id) || ': ' || (t.name ->> 'givenName') as label
                  from school.teachers_of_my_classes() as c
                 cross join json_array_elements(c.teachers) as t (name)
                """
            try populated.school.sql("grant select on test.name to public")
            let sam = try populated.labels(asked, as: populated.caller(.student))
            #expect(sam == ["Biology: Tom", "Biology: Cora"])
            let ben = try populated.labels(asked, as: populated.school.caller(.ben))
            #expect(ben == ["Chemistry: Tess", "Old biology: Tom"])
            for standing in Standing.allCases where standing != .student {
                #expect(try populated.attempt(asked, as: populated.caller(standing)) == .refused)
            }
        }
    }

    @Test func `only those who have a task learn where it leads`() async throws {
        try await withPopulatedSchool { populated in
            let asked: Statement = """
                select test.called(task_id) || case when is_withdrawn then ': withdrawn' else '' end as label
                  from school.contexts_of_my_tasks(array(select id from test.name where name like 'task of %'))
                """
            try populated.school.sql("grant select on test.name to public")
            let sam = populated.caller(.student)
            #expect(
                try populated.labels(asked, as: sam) == ["task of published", "task of for sam"])
            let asSue = try populated.labels(asked, as: populated.school.caller(.sue))
            #expect(asSue == ["task of published", "task of for sue"])
            let asBen = try populated.labels(asked, as: populated.school.caller(.ben))
            #expect(asBen == ["task of reaction", "task of old"])
            try populated.school.sql("update school.context set deleted_at = now()")
            let withdrawn: Set<String> = ["task of published: withdrawn", "task of for sam"]
            #expect(try populated.labels(asked, as: sam) == withdrawn, "one was never published")
            for standing in Standing.allCases where standing != .student {
                #expect(try populated.attempt(asked, as: populated.caller(standing)) == .refused)
            }
        }
    }
    @Test func `of which context work counts for a task follows its kind, and nothing else`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let paths: Statement = """
                select concat_ws(' ', test.called(task_id), kind, recorded_path) as label
                  from school.task
                """
            let before = try populated.labels(paths)
            #expect(before.contains { $0.contains("appActivity {") })
            try populated.school.sql("update school.task set recorded_path = '{elsewhere}'")
            #expect(try populated.labels(paths) == before)
            try populated.school.sql(
                "update school.task set identifier_path = '{moved}' where kind = 'appActivity'")
            #expect(try !populated.labels(paths).contains { $0.contains("elsewhere") })
            #expect(try populated.labels(paths).contains { $0.hasSuffix("appActivity {moved}") })
        }
    }
}
