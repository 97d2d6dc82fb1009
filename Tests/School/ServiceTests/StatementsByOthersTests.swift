import Foundation
import Postgres
import School
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// A client of xAPI that is not ours, against the built program.
@Suite struct StatementsByOthers {
    @Test func `tincan reports an attempt`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let server = try await WalkedServer(school.homeroom)
            defer { server.stop() }
            let script = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/stating").path
            let subject = try school.sql(
                """
                select school.subject_of(\(school.hillside), \(Persona.sam.personID), \(school.quizzler))
                           as subject
                """)[0].text("subject")
            let run = try await server.run(
                """
                export TOKEN='\(Persona.samsApp.token)' SUBJECT='\(subject)'
                exec '\(script)' "$URL" "$URL/xapi/activities/\(school.quizzler)/unit-2/check-1"
                """, school.homeroom)
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.output.contains("tincan reported an attempt"))
            try await eventually { try school.sql("select from school.upload").isEmpty }
            let links = try school.sql(
                """
                select task_id, progress, share, duration_seconds as seconds
                  from school.activity_assignment
                """)
            try #require(links.count == 1)
            #expect(try links[0].uuid("task_id") == handout.task.uuid)
            #expect(try links[0].double("progress") == 0.6)
            #expect(try links[0].double("share") == 0.75)
            #expect(try links[0].double("seconds") == 600)
        }
    }
}
