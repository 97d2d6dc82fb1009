import Foundation
import Glibc
import JSONBytes
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// `deploy/walk/walk.sh`, word for word, against the built executable.
@Suite struct Walk {
    @Test func `every command of the walk prints what the comment beside it says`() async throws {
        let script = try script()
        let databases = try TestDatabase.shared()
        try databases.connect(to: "postgres").execute("create database walk")
        defer { databases.drop("walk") }
        let homeroom = Homeroom(
            databaseURL: databases.url("walk", user: "school_server"),
            migrationURL: databases.url("walk", user: nil))
        #expect(try await homeroom("migrate").status == 0)

        let made = try await homeroom("demo", "--json")
        #expect(made.status == 0, "\(made.complaints)")
        #expect(made.json["isNew"]?.bool == true)
        let again = try await homeroom("demo", "--json")
        #expect(again.json["isNew"]?.bool == false)
        #expect(again.json["handoutId"]?.text == made.json["handoutId"]?.text)
        #expect(again.json["handoutId"]?.text != nil)

        let owner = try databases.connect(to: "walk")
        try expectHistory(owner)
        try await expectFinishing(homeroom, owner)
        let server = try await WalkedServer(homeroom)
        defer { server.stop() }
        let walked = try await server.run(script, homeroom)
        #expect(walked.status == 0, "\(walked.complaints)")
        let printed = walked.output.split(separator: "\n").map(String.init)
        #expect(printed == expectations(of: script), "\(walked.complaints)")
        #expect(printed.filter { $0 == "404" }.count == 3)
        try expectDiscretion(try server.metrics(), owner)
    }

    /// What no call of the walk requests: a few weeks of work, and nothing that was not assigned.
    private func expectHistory(_ owner: BlockingConnection) throws {
        let rows = try owner.query(
            """
            select (select count(*) from school.person) as people,
                   (select count(*) from school.activity) as activities,
                   (select count(*) from school.activity
                     where identifier_path = '{basic-arithmetic}') as unassigned,
                   (select count(*) from school.context
                     where identifier_path = '{basic-arithmetic}') as published,
                   (select max(now() - started_at) > interval '14 days'
                      from school.activity_assignment) as is_old,
                   (select count(*) from school.assignment
                     where done_at < opened_at or done_at > now()) as impossible,
                   (select count(*) from school.grade) as grades,
                   (select count(*) from school.grade where score is null) as without_score,
                   (select count(*) from school.grade where scored_on > now()::date) as early
            """)
        #expect(try (550...700).contains(rows[0].int("people")))
        #expect(try rows[0].int("activities") > 500)
        #expect(try rows[0].int("published") == 1)
        #expect(try rows[0].int("unassigned") == 0)
        #expect(try rows[0].bool("is_old"))
        #expect(try rows[0].int("impossible") == 0)
        #expect(try (150...250).contains(rows[0].int("grades")))
        #expect(try (1...60).contains(rows[0].int("without_score")))
        #expect(try rows[0].int("early") == 0)
    }

    /// A run that was killed before its end is finished by the next, which creates nothing twice.
    private func expectFinishing(_ homeroom: Homeroom, _ owner: BlockingConnection) async throws {
        func count() throws -> [Int] {
            let rows = try owner.query(
                """
                select (select count(*) from school.handout) as handouts,
                       (select count(*) from school.activity) as activities,
                       (select count(*) from school.assignment) as assignments,
                       (select count(*) from school.seat) as seats,
                       (select count(*) from school.grade) as grades,
                       (select count(*) from school.service_account) as accounts
                """)
            return try [
                "handouts", "activities", "assignments", "seats", "grades", "accounts",
            ].map {
                try rows[0].int($0)
            }
        }
        let before = try count()
        try owner.query("update school.organization set name = 'Harbour Schools (being filled)'")
        try owner.query(
            """
            delete from school.assignment where person_id in (select person_id from school.person
                    where source_id < 'S-0100')
            """)
        try owner.query(
            """
            delete from school.grade as g using school.gradebook_item as i
             where i.gradebook_item_id = g.gradebook_item_id and i.title = 'Test: fractions'
            """)
        #expect(try count() != before)
        let finished = try await homeroom("demo", "--json")
        #expect(finished.json["isNew"]?.bool == true, "\(finished.complaints)")
        #expect(try count() == before)
    }

    /// The metrics of a busy school identify nobody in it.
    private func expectDiscretion(_ page: MetricsPage, _ owner: BlockingConnection) throws {
        let names = try owner.query(
            """
            select distinct lower(word) as word
              from (select given_name as name from school.person
                    union select family_name from school.person
                    union select name from school.organization
                    union select name from school.location
                    union select name from school.class
                    union select title from school.handout) as n,
                   regexp_split_to_table(n.name, '[^[:alnum:]]+') as word
             where length(word) > 2
            """
        ).map { try $0.text("word") }
        let ids = try owner.query(
            """
            select person_id::text as id from school.person
            union select managed_id from school.person where managed_id is not null
            union select source_id from school.person where length(source_id) > 3
            union select organization_id::text from school.organization
            union select class_id::text from school.class
            union select handout_id::text from school.handout
            union select distinct bundle_id from school.context
            """
        ).map { try $0.text("id") }
        #expect(names.count > 100 && ids.count > 1000)
        let values = page.samples.flatMap(\.labels).map(\.value)
        let words = Set(
            values.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() } })
        #expect(words.intersection(names) == [])
        let whole = Set(values).joined(separator: "\n")
        #expect(ids.filter { whole.contains($0) } == [])
        #expect(!page.text.contains("127.0.0.1"))
        // It is as busy as the walk was, so that there was something to report.
        #expect(try page.value("homeroom_http_requests_total") > 20)
        #expect(try page.value("homeroom_token_cache_requests_total", ["result": "hit"]) > 10)
        #expect(page.samples.count < 3000)
    }

    private func script() throws -> String {
        let file = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
            .appending(path: "deploy/walk/walk.sh")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// What follows the commands, after two blanks and a number sign.
    private func expectations(of script: String) -> [String] {
        script.split(separator: "\n").compactMap { line in
            line.range(of: "  # ").map { String(line[$0.upperBound...]) }
        }
    }
}

/// The same walk by a client that another project's generator made from the API document.
@Suite struct WalkOfGeneratedClient {
    @Test func `a client is generated for every call, walks, and gets what the document says`()
        async throws
    {
        let databases = try TestDatabase.shared()
        try databases.connect(to: "postgres").execute("create database generated_client")
        defer { databases.drop("generated_client") }
        // A folder of its own: exports lie there, and the shared one may be another account's.
        let data = FileManager.default.temporaryDirectory
            .appending(path: "client-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: data) }
        let homeroom = Homeroom(
            databaseURL: databases.url("generated_client", user: "school_server"),
            migrationURL: databases.url("generated_client", user: nil)
        ).with("HOMEROOM_DATA", data)
        #expect(try await homeroom("migrate").status == 0)
        let server = try await WalkedServer(homeroom)
        defer { server.stop() }
        let deploy = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
            .appending(path: "deploy/client").path
        let walked = try await server.run("exec '\(deploy)' \"$URL\"\n", homeroom)
        #expect(walked.status == 0, "\(walked.complaints)")
        #expect(walked.output.contains("and the walk went through."), "\(walked.complaints)")
        #expect(walked.output.contains("broken ones are refused."))
    }
}
