import Postgres
import School
import TestKit
import Testing

/// A query that runs often, and must stay as fast when the tables are large.
struct HotQuestion: CustomTestStringConvertible, Sendable {
    let standing: Standing
    let testDescription: String
    let explanation: Statement
    /// A condition by which an index must be searched, if that could be in doubt.
    let sought: String?

    init(
        _ standing: Standing, _ testDescription: String, _ explanation: Statement,
        seeking sought: String? = nil
    ) {
        self.standing = standing
        self.sought = sought
        self.testDescription = "\(standing): \(testDescription)"
        self.explanation = explanation
    }
}

/// Policies are part of every statement; none of them may prevent a statement from using its index.
@Suite struct PolicyCosts {
    static let questions = [
        HotQuestion(
            .teacher, "a person by key",
            """
            explain select given_name from school.person
             where organization_id = test.id('Hillside') and person_id = test.id('sam')
            """),
        HotQuestion(
            .teacher, "the seats of a class",
            """
            explain select person_id from school.seat
             where organization_id = test.id('Hillside') and class_id = test.id('Biology')
            """),
        HotQuestion(
            .teacher, "the activities of a handout",
            """
            explain select a.arrived_at
              from school.task as t
              join school.activity_assignment as l using (organization_id, task_id)
              join school.activity as a using (organization_id, person_id, activity_id)
             where t.organization_id = test.id('Hillside') and t.handout_id = test.id('published')
            """),
        HotQuestion(
            .teacher, "the items of a handout",
            """
            explain select i.score
              from school.task as t
              join school.activity_assignment as l using (organization_id, task_id)
              join school.activity_item as i using (organization_id, person_id, activity_id, task_id)
             where t.organization_id = test.id('Hillside') and t.handout_id = test.id('published')
            """),
        HotQuestion(
            .teacher, "the assignments of a handout",
            """
            explain select a.done_at
              from school.task as t
              join school.assignment as a using (organization_id, task_id)
             where t.organization_id = test.id('Hillside') and t.handout_id = test.id('published')
            """),
        HotQuestion(
            .student, "the student's own handouts with their tasks",
            """
            explain select h.title, t.title
              from school.handout as h join school.task as t using (organization_id, handout_id)
             where h.organization_id = test.id('Hillside') and h.class_id = test.id('Biology')
            """),
        HotQuestion(
            .student, "own activities",
            """
            explain select arrived_at from school.activity
             where organization_id = test.id('Hillside') and person_id = test.id('sam')
            """),
        HotQuestion(
            .student, "a context by path",
            """
            explain select title from school.context
             where organization_id = test.id('Hillside') and bundle_id = 'org.example.quizzler'
               and environment = 'production' and identifier_path = '{published}'
            """),
        HotQuestion(
            .app, "a context by path",
            """
            explain select title from school.context
             where organization_id = test.id('Hillside') and bundle_id = 'org.example.quizzler'
               and environment = 'production' and identifier_path = '{published}'
            """),
        HotQuestion(
            .administrator, "a page of people by name",
            """
            explain select given_name from school.person
             where organization_id = test.id('Hillside')
               and (family_name collate "und-x-icu", given_name collate "und-x-icu", person_id)
                   > ('Dorn', 'Ada', test.id('sam'))
             order by family_name collate "und-x-icu", given_name collate "und-x-icu", person_id limit 50
            """, seeking: "ROW(family_name, given_name, person_id) >"),
        HotQuestion(
            .provisioner, "a person by the school's id",
            """
            explain select person_id from school.person
             where organization_id = test.id('Hillside') and source_id = 'sis-sam'
            """),
    ]

    @Test(arguments: questions)
    func `a frequent query reads no table from end to end`(
        question: HotQuestion
    ) async throws {
        try await withPopulatedSchool { populated in
            let identity = populated.caller(question.standing).identity
            let connection = try BlockingConnection(populated.school.ownerURL)
            // The tables are small here; only where no index can be used is one still read whole.
            try connection.execute("set enable_seqscan = off")
            let plan = try connection.query(question.explanation, as: identity)
                .map { try $0.text("QUERY PLAN") }
            #expect(!plan.isEmpty)
            #expect(plan.filter { $0.contains("Seq Scan") }.isEmpty)
            if let sought = question.sought {
                #expect(plan.contains { $0.contains("Index Cond") && $0.contains(sought) })
                #expect(plan.filter { $0.contains("Sort") }.isEmpty)
            }
        }
    }
}
