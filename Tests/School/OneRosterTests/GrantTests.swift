import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// What a system reads of handouts: nothing, unless it was granted the results of the class.
@Suite struct GrantTests {
    private func all(of grader: Grader) async throws -> [String: Answer] {
        var answers: [String: Answer] = [:]
        for path in [
            "lineItems", "results", "categories", "classes/class-Biology/lineItems",
            "classes/class-Biology/results", "results?filter=dateLastModified%3E'2020-01-01'",
            "lineItems?sort=dateLastModified&orderBy=desc",
        ] {
            answers[path] = try await grader.get(path)
        }
        return answers
    }

    /// A handout in Biology, and Sam's seven of ten points in it.
    private func handOut(_ school: TestSchool) async throws -> GivenHandout {
        let handout = try school.newHandout()
        let score: JSONValue = [
            "kind": "score", "identifier": "result", "title": "Score", "score": 7, "maxScore": 10,
        ]
        let answer = try await school.upload([school.attempt(primary: score)])
        try #require(answer.status == 202, "\(answer.text)")
        return handout
    }

    @Test func `with the grant, tasks are line items and what came of them results`() async throws {
        try await withSchool { school in
            let handout = try await handOut(school)
            let task = handout.task.uuid.description
            let grader = try await Grader(
                school, grants: [["locationId": "source:main", "readsResults": true]])
            let item = try await grader.get("lineItems/\(task)").json["lineItem"]
            #expect(item?["title"] == "Cells: Check")
            #expect(item?["category"]?["sourcedId"] == "default-category")
            #expect(item?["resultValueMax"]?.double == 100)
            #expect(try await grader.ids("classes/class-Biology/lineItems") == [task])
            let id = "\(task)_\(school.id(.sam).uuid)"
            #expect(try await grader.ids("results") == [id])
            let result = try await grader.get("results/\(id)").json["result"]
            #expect(result?["score"]?.double == 70)
            #expect(result?["student"]?["sourcedId"] == "sis-sam")
            #expect(result?["scoreStatus"] == "partially graded")
            let done = try await school.put(
                "/v1/assignments/\(task)/done", as: .sam)
            try #require(done.status < 300, "\(done.text)")
            let after = try await grader.get("results/\(id)").json["result"]
            #expect(after?["scoreStatus"] == "fully graded")
        }
    }

    @Test func `what was due before a student joined is not late`() async throws {
        try await withSchool { school in
            let handout = try await handOut(school)
            try school.sql(
                "update school.handout set due_at = \(school.ago(60)) where handout_id = \(handout.id)"
            )
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(school.biology), \(school.id(.ben)), 'student',
                        \(school.ago(30)))
                """)
            let grader = try await Grader(
                school, grants: [["locationId": "source:main", "readsResults": true]])
            let task = handout.task.uuid.description
            for (student, isLate) in [(Persona.sam, "true"), (.ben, "false")] {
                let done = try await school.put("/v1/assignments/\(task)/done", as: student)
                #expect(done.status == 200)
                let id = "\(task)_\(school.id(student).uuid)"
                let result = try await grader.get("results/\(id)").json["result"]
                #expect(result?["late"]?.text == isLate)
            }
        }
    }

    /// A client that last asked on Wednesday would otherwise miss a task that was published on Thursday.
    @Test func `a task and its results are changed when the handout is published`() async throws {
        try await withSchool { school in
            let task = try await handOut(school).task.uuid.description
            let grader = try await Grader(
                school, grants: [["locationId": "source:main", "readsResults": true]])
            // Without the triggers that would move the times.
            try school.sql("set session_replication_role = replica")
            for statement: Statement in [
                """
                update school.handout set updated_at = now() - interval '9 days',
                       created_at = now() - interval '10 days'
                """,
                "update school.task set updated_at = now() - interval '9 days'",
                "update school.class set updated_at = now() - interval '9 days'",
                "update school.assignment set updated_at = now() - interval '9 days'",
                "update school.activity_assignment set updated_at = now() - interval '9 days'",
                "update school.handout set publish_at = now() + interval '1 day'",
            ] {
                try school.sql(statement)
            }
            let since =
                "filter=dateLastModified%3E'\(school.ago(5 * 1440))'"
            for name in ["lineItems", "results"] {
                #expect(try await grader.ids("\(name)?\(since)") == [])
            }
            try school.sql("update school.handout set publish_at = now() - interval '1 day'")
            #expect(try await grader.ids("lineItems?\(since)") == [task])
            #expect(
                try await grader.ids("results?\(since)") == ["\(task)_\(school.id(.sam).uuid)"])
            try school.sql("update school.handout set publish_at = now() - interval '8 days'")
            #expect(try await grader.ids("lineItems?\(since)") == [], "known since long")
        }
    }

    @Test func `without the grant, nothing shows that there is a handout`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            _ = try await grader.putItem("quiz")
            let before = try await all(of: grader)
            let handout = try await handOut(school)
            let task = handout.task.uuid.description
            let after = try await all(of: grader)
            for (path, answer) in before {
                #expect(after[path]?.body == answer.body, "\(path)")
                #expect(after[path]?.header("ETag") == answer.header("ETag"))
                #expect(after[path]?.header("X-Total-Count") == answer.header("X-Total-Count"))
            }
            let nothing = UUID.v7().description
            for method in [HTTPMethod.get, .delete] {
                let hidden = try await grader.send(method, "lineItems/\(task)")
                let absent = try await grader.send(method, "lineItems/\(nothing)")
                #expect(hidden.status == 404 && hidden.body == absent.body)
            }
            let result = try await grader.putResult("sams", of: task)
            let other = try await grader.putResult("sams", of: nothing)
            #expect(result.status == 422 && result.body == other.body)
            #expect(try await grader.putItem(task).status == 201, "as for any other id")
        }
    }

    @Test func `what a handout wrote cannot be changed`() async throws {
        try await withSchool { school in
            let handout = try await handOut(school)
            let task = handout.task.uuid.description
            let grader = try await Grader(
                school, grants: [["classId": "source:class-Biology", "readsResults": true]])
            let id = try #require(try await grader.ids("results").first)
            for answer in [
                try await grader.putItem(task),
                try await grader.send("DELETE", "lineItems/\(task)"),
                try await grader.putResult(id, of: task),
                try await grader.putResult("mine", of: task),
                try await grader.send("DELETE", "results/\(id)"),
            ] {
                #expect(answer.status == 403)
                #expect(answer.json["imsx_description"]?.text?.hasPrefix("A handout, ") == true)
            }
            #expect(try await grader.ids("lineItems") == [task])
        }
    }

    @Test func `a grant counts for its classes only, and ends when it is withdrawn`() async throws {
        try await withSchool { school in
            let handout = try await handOut(school)
            let other = try await Grader(
                school, grants: [["classId": "source:class-Chemistry", "readsResults": true]])
            #expect(try await other.ids("lineItems") == [])
            #expect(try await other.get("lineItems/\(handout.task.uuid)").status == 404)
            try await other.grant([["readsResults": true]])
            #expect(try await other.ids("lineItems") == [handout.task.uuid.description])
            try await other.grant([])
            #expect(try await other.ids("lineItems") == [])
            #expect(try await other.putItem("quiz").status == 422)
            #expect(
                try await other.send("PUT", "categories/x", ["category": ["title": "X"]]).status
                    == 403)
        }
    }

    @Test func `drafts, deleted handouts and development show to no system`() async throws {
        try await withSchool { school in
            let shown = try school.newHandout()
            let deleted = try school.newHandout()
            let scheduled = try school.newHandout()
            let draft = try school.newHandout()
            _ = try school.newHandout(environment: "development")
            try school.sql(
                "update school.handout set deleted_at = now() where handout_id = \(deleted.id)")
            try school.sql(
                "update school.handout set publish_at = now() + interval '1 day' where handout_id = \(scheduled.id)"
            )
            try school.sql(
                "update school.handout set publish_at = null where handout_id = \(draft.id)")
            let grader = try await Grader(school, grants: [["readsResults": true]])
            #expect(try await grader.ids("lineItems") == [shown.task.uuid.description])
        }
    }

    @Test func `the policies alone keep other systems and classes apart`() async throws {
        try await withSchool { school in
            _ = try await handOut(school)
            let grader = try await Grader(school)
            _ = try await grader.putItem("quiz")
            _ = try await grader.putResult("sams")
            let second = try await Grader(school, "Second")
            func caller(_ grader: Grader) throws -> Caller {
                Caller(
                    organizationID: school.hillside, personID: nil,
                    serviceAccountID: ServiceAccountID(try #require(UUID(grader.id))),
                    standings: [.rosterReader])
            }
            let tables: [Statement] = [
                "handout", "task", "assignment_figures", "activity_assignment", "gradebook_item",
                "grade",
            ]
            func counts(_ grader: Grader) throws -> [Int] {
                let caller = try caller(grader)
                return try tables.map {
                    // Not every column of a table is theirs.
                    try school.sql(
                        "select count(organization_id) as count from school.\(fragment: $0)",
                        as: caller)[0].int("count")
                }
            }
            #expect(try counts(grader) == [0, 0, 0, 0, 1, 1])
            #expect(try counts(second) == [0, 0, 0, 0, 0, 0])
            try await second.grant([["readsResults": true]])
            #expect(try counts(second) == [1, 1, 1, 1, 1, 1])
            let row = try school.sql("select gradebook_item_id as id from school.gradebook_item")
            let written = try school.sql(
                "update school.gradebook_item set title = 'Mine' where gradebook_item_id = \(row[0].uuid("id")) returning 1",
                as: try caller(second))
            #expect(written.isEmpty, "another system's")
            for (item, student) in [("quiz", Persona.ben), ("none", .sam)] {
                #expect(throws: PostgresError.self) {
                    try school.sql(
                        """
                        insert into school.grade (organization_id, grade_id, service_account_id, gradebook_item_id,
                                                  class_id, person_id, status, scored_on)
                        select organization_id, gen_random_uuid(), school.my_service_account(), gradebook_item_id,
                               class_id, \(student.personID), 'exempt', '2026-09-01'
                          from school.gradebook_item
                        """, as: try caller(item == "quiz" ? grader : second))
                }
            }
        }
    }
}
