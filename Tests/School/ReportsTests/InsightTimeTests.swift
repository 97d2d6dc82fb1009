import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Time in insights")
struct InsightTimeTests {
    @Test func `a timed task at which a student did not work adds no time`() async throws {
        try await withSchool { school in
            let weeks = WeeksOfWork(school: school)
            try weeks.past(1...2, done: 4)
            let now = try weeks.give(0)
            try weeks.note(now, done: 1)
            try school.sql(
                """
                update school.task set kind = 'timedApp', minutes = 2, identifier_path = null
                 where task_id = \(now.tasks[3])
                """)
            let students = try await weeks.answer().json["students"]?.array ?? []
            #expect(students.count == 2)
            for student in students {
                #expect(student["thisWeek"]?["durationSeconds"] == 0)
            }
        }
    }
}
