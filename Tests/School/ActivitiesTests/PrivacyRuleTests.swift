import HTTPServer
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Only assigned work is kept")
struct PrivacyRuleTests {
    @Test func `an app cannot distinguish what was kept from what was dropped`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let kept = try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 1)
            let unassigned = try await school.upload([school.attempt(at: ["unit-3"])])
            let teachers = try await school.upload([school.attempt()], as: .tomsApp)
            let otherClass = try await school.upload([school.attempt()], as: .bensApp)
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(school.id(.sue))"
            )
            let paused = try await school.upload([school.attempt()], as: .suesApp)
            try school.sql("update school.person set is_progress_paused = false")
            try school.sql(
                """
                update school.seat set left_at = \(school.ago(90)) where person_id = \(school.id(.sue))
                """)
            let left = try await school.upload([school.attempt()], as: .suesApp)
            try school.sql("update school.organization set is_student_progress_enabled = false")
            let off = try await school.upload([school.attempt()])
            for answer in [unassigned, teachers, otherClass, paused, left, off] {
                #expect(answer.status == kept.status)
                #expect(answer.body == kept.body)
                #expect(answer.headers == kept.headers)
            }
            #expect(try school.sql("select from school.activity").count == 1)
        }
    }

    @Test func `an assignment must be for this exact context`() async throws {
        try await withSchool { school in
            _ = try school.newHandout(bundle: "org.example.other")
            _ = try school.newHandout(environment: "development")
            _ = try school.newHandout(path: ["unit-2"])
            _ = try school.newHandout(path: ["unit-2", "check-1", "question-1"])
            _ = try school.newHandout(path: [])
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 0)
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `only the time while the assignment was open counts`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(100))
            func isKept(_ start: Int, _ end: Int?, changed: Int? = nil) async throws -> Bool {
                try school.sql("delete from school.activity")
                try await school.upload([
                    school.attempt(
                        from: school.ago(start), to: .some(end.map { school.ago($0) }),
                        modified: changed.map { school.ago($0) })
                ])
                return try school.storedCount() == 1
            }
            #expect(try await isKept(120, 110) == false)
            #expect(try await isKept(120, 90) == true)
            #expect(try await isKept(120, nil) == true)
            for column in ["locked_at", "completed_at", "deleted_at"] {
                try school.close(handout, column, at: school.ago(50))
                #expect(try await isKept(120, 110) == false, "\(column)")
                // Changes after the lock or completion do not count.
                #expect(try await isKept(60, 40, changed: 55) == true, "\(column)")
                #expect(try await isKept(60, 40) == (column == "deleted_at"), "\(column)")
                #expect(try await isKept(45, 40) == false, "\(column)")
                #expect(try await isKept(45, nil) == false, "\(column)")
                try school.close(handout, column, at: nil)
                let isLock = column == "locked_at"
                #expect(try await isKept(45, 40) == !isLock, "\(column)")
                try school.sql("delete from school.handout_lock")
            }
        }
    }

    @Test func `marking it done does not close an assignment`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.sql(
                """
                insert into school.assignment (organization_id, task_id, person_id, done_at)
                values (\(school.hillside), \(handout.task), \(school.id(.sam)), \(school.ago(100)))
                """)
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `those who have left or are not chosen have no assignment`() async throws {
        try await withSchool { school in
            _ = try school.newHandout(to: [.sue])
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 0)
            try await school.upload([school.attempt()], as: .suesApp)
            #expect(try school.storedCount(of: .sue) == 1)

            _ = try school.newHandout()
            try school.sql(
                """
                update school.seat set left_at = \(school.ago(70)) where person_id = \(school.id(.sam))
                """)
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 0)
            try await school.upload([school.attempt(from: school.ago(80))])
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `progress that is off for the student or the school is not kept`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(school.id(.sam))"
            )
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 0)
            try await school.upload([school.attempt()], as: .suesApp)
            #expect(try school.storedCount(of: .sue) == 1)
            try school.sql("update school.organization set is_student_progress_enabled = false")
            try await school.upload([school.attempt()], as: .suesApp)
            #expect(try school.storedCount(of: .sue) == 1)
        }
    }

    @Test func `an upload may arrive thirty days late, but no later`() async throws {
        try await withSchool { school in
            let day = 24 * 60
            _ = try school.newHandout(publishedAt: school.ago(50 * day))
            try await school.upload([
                school.attempt(from: school.ago(31 * day), to: .some(school.ago(30 * day + 1)))
            ])
            #expect(try school.storedCount() == 0)
            try await school.upload([
                school.attempt(from: school.ago(31 * day), to: .some(school.ago(30 * day - 1)))
            ])
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `a deleted context keeps what it has and accepts nothing new`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            try school.sql(
                """
                insert into school.context (organization_id, context_id, environment, bundle_id,
                       identifier_path, locale, title, type, deleted_at)
                values (\(school.hillside), gen_random_uuid(), 'production', \(school.quizzler),
                        \(TestSchool.context), 'en', 'Check', 'quiz', \(school.ago(70)))
                """)
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `a teacher who assigns the same context later does not see earlier work`()
        async throws
    {
        try await withSchool { school in
            let first = try school.newHandout()
            let id = UUID(milliseconds: 7, random: (7, 7))
            try await school.upload([school.attempt(id, to: .some(nil), ranges: [[0, 0.2]])])
            let later = try school.newHandout(by: .cora, publishedAt: school.ago(0))
            // Neither the same part again, nor a later one of an attempt that began earlier.
            try await school.upload([school.attempt(id, to: .some(nil), ranges: [[0, 0.2]])])
            try await school.upload([
                school.attempt(id, to: .some(school.ago(-10)), ranges: [[0, 0.4]])
            ])
            try await school.upload([
                school.attempt(from: school.ago(90), to: .some(school.ago(80)))
            ])
            let links = try school.links()
            #expect(links.allSatisfy { $0.task == first.task.uuid })
            #expect(links.count == 2)
            #expect(try school.progress(of: id) == 0.4)
            // A new attempt counts for both.
            try await school.upload([school.attempt(from: school.ago(0), to: .some(nil))])
            #expect(try school.links().count { $0.task == later.task.uuid } == 1)
        }
    }

    @Test func `an attempt counts for every assignment that was open during its time`()
        async throws
    {
        try await withSchool { school in
            let first = try school.newHandout(publishedAt: school.ago(100))
            let second = try school.newHandout(by: .cora, publishedAt: school.ago(50))
            _ = try school.newHandout(publishedAt: school.ago(20))
            try await school.upload([
                school.attempt(from: school.ago(60), to: .some(school.ago(40)))
            ])
            let links = try school.links()
            #expect(Set(links.map(\.task)) == [first.task.uuid, second.task.uuid])
        }
    }

    @Test func `a teacher cannot open a handout retroactively`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(20), to: [.sue])
            try school.sql(
                """
                update school.handout set recipients = 'class', publish_at = \(school.ago(15))
                 where organization_id = \(school.hillside) and handout_id = \(handout.id)
                """, as: school.caller(.tom))
            try await school.upload([school.attempt(from: school.ago(10), to: .some(school.ago(5)))]
            )
            #expect(try school.storedCount() == 0)
            try await school.upload([school.attempt(from: school.ago(1), to: .some(nil))])
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `one student's ids mean nothing for another`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID(milliseconds: 9, random: (9, 9))
            try await school.upload([school.attempt(id, ranges: [[0, 0.1]])])
            try await school.upload([school.attempt(id, ranges: [[0, 0.9]])], as: .suesApp)
            let rows = try school.sql(
                """
                select progress from school.activity_assignment where activity_id = \(id) order by progress
                """)
            #expect(try rows.map { try $0.double("progress") } == [0.1, 0.9])
        }
    }
}

extension TestSchool {
    fileprivate func close(
        _ handout: GivenHandout, _ column: String, at moment: Timestamp?
    ) throws {
        try sql(
            """
            update school.handout
               set locked_at    = case when \(column) = 'locked_at' then \(moment) else locked_at end,
                   completed_at = case when \(column) = 'completed_at' then \(moment) else completed_at end,
                   deleted_at   = case when \(column) = 'deleted_at' then \(moment) else deleted_at end
             where handout_id = \(handout.id)
            """)
    }

    fileprivate func links() throws -> [(activity: UUID, task: UUID)] {
        try sql("select activity_id, task_id from school.activity_assignment").map {
            (activity: try $0.uuid("activity_id"), task: try $0.uuid("task_id"))
        }
    }

    fileprivate func progress(of id: UUID) throws -> Double? {
        try sql("select progress from school.activity_assignment where activity_id = \(id)")[0]
            .optionalDouble("progress")
    }
}
