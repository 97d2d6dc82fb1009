import HTTPWire
import Postgres
import School
import TestKit
import Testing
import WaitKit

@testable import OneRoster

/// What ends a revision before its traversal is over, and that the traversal then goes on in the present.
@Suite struct TraversalEndTests {
    private func rename(_ school: TestSchool, _ name: String) throws {
        try school.sql(
            "update school.person set given_name = \(name) where person_id = \(school.id(.sue))")
    }

    @Test func `who was erased does not come back from the past`() async throws {
        try await withSchool { school in
            for follows in [false, true] {
                let persona: Persona = follows ? .ben : .sam
                let client = school.rosterClient
                let before = try await client.count("users", limit: 100)
                #expect(before.ids.contains("sis-\(persona)"))
                let step: (Int) async throws -> Void = { page in
                    guard page == 1 else { return }
                    // Its page is of the past until then.
                    try rename(school, "Susan \(persona)")
                    let past = try await school.roster("users?limit=100&offset=1")
                    #expect(past.text.contains("\(persona)@"))
                    #expect(past.header("Roster-Revision") == before.revisions.first)
                    let path = "/v1/people/\(school.id(persona).uuid)/erasure"
                    let erased = try await school.post(path, as: .ada)
                    try #require(erased.status < 300, "\(erased.text)")
                }
                let read =
                    follows
                    ? try await client.follow("users", limit: 1, between: step)
                    : try await client.count("users", limit: 1, between: step)
                #expect(read.ids.contains("sis-\(persona)") == false)
                #expect(read.revisions.first == before.revisions.first)
                let rest = Set(read.revisions.dropFirst())
                #expect(rest.count == 1 && rest != Set(before.revisions), "of one revision again")
                let named = try await school.roster(
                    "users?limit=100&offset=0&revision=\(before.revisions[0])")
                #expect(named.text.contains("\(persona)@") == false)
                if follows { #expect(Set(read.ids) == Set(before.ids).subtracting(["sis-ben"])) }
            }
        }
    }

    @Test func `an erasure elsewhere ends nothing here`() async throws {
        try await withSchool { school in
            let client = school.rosterClient
            let before = try await client.count("users", limit: 100)
            let read = try await client.count("users", limit: 3) { page in
                guard page == 1 else { return }
                try rename(school, "Susan")
                let path = "/v1/people/\(school.id(.omar).uuid)/erasure"
                #expect(try await school.post(path, as: .olga).status < 300)
            }
            #expect(read.objects == before.objects)
        }
    }

    @Test func `a new schema ends it, since a table that was rewritten looks empty before`()
        async throws
    {
        try await withSchool { school in
            let client = school.rosterClient
            let before = try await client.count("users", limit: 100)
            let read = try await client.follow("users", limit: 3) { page in
                guard page == 1 else { return }
                try rename(school, "Susan")
                // As it writes every row anew, earlier snapshots see none.
                try school.sql(
                    "alter table school.person add column filler uuid default gen_random_uuid()")
                try school.sql("alter table school.person drop column filler")
                try school.sql("update school.applied_schema set sha256 = sha256('another')")
            }
            #expect(read.ids == before.ids)
            #expect(Set(read.revisions).count == 2)
        }
    }

    @Test func `a snapshot that is lost costs nothing while the roster stays the same`()
        async throws
    {
        try await withSchool { school in
            let client = school.rosterClient
            let before = try await client.count("users", limit: 100)
            let read = try await client.count("users", limit: 2) { page in
                if page == 1 { try await loseAll(school) }
                // By then another one is kept.
                if page == 2 { try rename(school, "Susan") }
            }
            #expect(read.objects == before.objects)
            let followed = try await client.follow("users", limit: 2) { page in
                if page == 1 { try await loseAll(school) }
                if page == 2 { try rename(school, "Sue") }
            }
            #expect(Set(followed.revisions).count == 1)
        }
    }

    @Test func `a snapshot that is lost with its revision lets the traversal go on in the present`()
        async throws
    {
        try await withSchool { school in
            let client = school.rosterClient
            let before = try await client.count("users", limit: 100)
            try #require(before.ids[1] == "sis-ben", "on the first page")
            let read = try await client.follow("users", limit: 2) { page in
                guard page == 1 else { return }
                try rename(school, "Susan")
                try school.sql(
                    "update school.person set deactivated_at = now() where person_id = \(school.id(.ben))"
                )
                try await loseAll(school)
            }
            #expect(read.ids == before.ids, "nobody is missed where Ben was")
            #expect(read.revisions.first == before.revisions.first)
            #expect(Set(read.revisions).count == 2)
            #expect(read.objects != before.objects)
        }
    }

    @Test func `a crash of the database forgets what was noted, and nothing fails`() async throws {
        try await withSchool { school in
            let client = school.rosterClient
            let read = try await client.count("users", limit: 2) { page in
                guard page == 1 else { return }
                try rename(school, "Susan")
                try await loseAll(school)
                // As PostgreSQL does with tables that are not logged.
                try school.sql("truncate school.roster_snapshot, school.roster_traversal")
            }
            #expect(Set(read.revisions).count == 2)
            #expect(Set(read.ids).count == read.ids.count)
        }
    }

    @Test func `a server that ends lets its readers go on, on another one`() async throws {
        try await withSchool { school in
            let first = try await OtherServer(of: school)
            let second = try await OtherServer(of: school)
            let before = try await first.client().count("users", limit: 100)
            let moved = RosterClient { path in
                path.contains("offset") ? try await second.get(path) : try await first.get(path)
            }
            let read = try await moved.count("users", limit: 2) { page in
                if page == 1 {
                    await first.stop()
                    try await eventually { try school.heldSnapshots() == 0 }
                }
                // The second server has noticed that nobody keeps the revision.
                if page == 2 { try rename(school, "Susan") }
            }
            #expect(read.objects == before.objects)
            #expect(second.feature.snapshots.count == 1)
            let third = try await OtherServer(of: school)
            let lost = try await third.client().follow("users", limit: 2) { page in
                guard page == 1 else { return }
                await third.stop()
                await second.stop()
                try rename(school, "Sue")
            }
            #expect(lost.ids == before.ids)
            await third.stop()
        }
    }

    /// Ends every connection that keeps a snapshot, as the network or an operator may.
    private func loseAll(_ school: TestSchool) async throws {
        let ended = try school.sql(
            """
            with holders as materialized (
                select pid from pg_stat_activity
                 where datname = current_database() and query like '%pg_export_snapshot%' and state <> 'idle'
                   and pid <> pg_backend_pid())
            select count(*) filter (where pg_terminate_backend(pid, 5000)) as count from holders
            """)
        #expect(try ended[0].int("count") > 0)
        try await eventually { try school.oneRoster.snapshots.count == 0 }
    }
}

extension TestSchool {
    /// How many connections keep a snapshot for others.
    fileprivate func heldSnapshots() throws -> Int {
        try sql(
            """
            select count(*) as count from pg_stat_activity
             where datname = current_database() and query like '%pg_export_snapshot%' and state <> 'idle'
               and pid <> pg_backend_pid()
            """)[0].int("count")
    }
}

/// How many snapshots are kept, and for how long.
@Suite struct SnapshotLimitTests {
    private func rename(_ school: TestSchool, _ name: String) throws {
        try school.sql(
            "update school.person set given_name = \(name) where person_id = \(school.id(.sue))")
    }

    @Test func `an organization that changes all the time keeps two, and the oldest ends first`()
        async throws
    {
        try await withSchool { school in
            let server = try await OtherServer(of: school)
            let path = "\(Edition.v1p2.path)/users?limit=2"
            var nexts: [String] = []
            for number in 1...5 {
                nexts.append(try #require(try await server.get(path).nextPath))
                try rename(school, "Sue \(number)")
            }
            #expect(server.feature.snapshots.count == 2)
            try await eventually { try school.heldSnapshots() == 2 }
            var kept: [Bool] = []
            // The newest first, as what is gone makes the present be kept.
            for next in nexts.reversed() {
                let revision = try await server.get(next).header("Roster-Revision") ?? "none"
                kept.append(next.contains("revision=\(revision)"))
            }
            #expect(kept == [true, true, false, false, false])
            await server.stop()
            try await eventually { try school.heldSnapshots() == 0 }
        }
    }

    @Test func `many first pages at once need one, and others share it while it is young`()
        async throws
    {
        try await withSchool { school in
            let server = try await OtherServer(of: school)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for name in ["users", "enrollments", "classes", "students", "users?sort=email"] {
                    let joint = name.contains("?") ? "&" : "?"
                    group.addTask {
                        try await server.get("\(Edition.v1p2.path)/\(name)\(joint)limit=1").status
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
            let token = try school.addReaderElsewhere()
            let page = try await server.get("\(Edition.v1p2.path)/users?limit=1", token: token)
            #expect(page.status == 200)
            #expect(server.feature.snapshots.count == 1)
            #expect(try school.sql("select from school.roster_snapshot").count == 2)
            await server.stop()
        }
    }

    @Test(arguments: [(0, 3600), (600, 0)])
    func `one that nobody reads in, or that is old, ends`(
        idle: Int, lifetime: Int
    ) async throws {
        try await withSchool { school in
            var limits = RosterSnapshots.Limits()
            limits.watchMilliseconds = 300
            limits.idleSeconds = idle
            limits.lifetimeSeconds = lifetime
            let server = try await OtherServer(of: school, limits: limits)
            let first = try await server.get("\(Edition.v1p2.path)/users?limit=2")
            let next = try #require(first.nextPath)
            try await eventually {
                try school.heldSnapshots() == 0
                    && school.sql("select from school.roster_snapshot").count == 0
            }
            #expect(server.feature.snapshots.count == 0)
            try rename(school, "Susan")
            let page = try await server.get(next)
            #expect(page.status == 200)
            #expect(page.header("Roster-Revision") != first.header("Roster-Revision"))
            await server.stop()
        }
    }

    @Test func `what is over is forgotten, and an account's traversals are bounded`() async throws {
        try await withSchool { school in
            for number in 1...130 {
                let answer = try await school.roster("users?limit=1&filter=familyName!='\(number)'")
                try #require(answer.status == 200)
            }
            let count: Statement = "select from school.roster_traversal"
            #expect(try school.sql(count).count == 100)
            try school.sql(
                "update school.roster_traversal set began_at = began_at - interval '61 minutes'")
            try school.sql(
                "update school.roster_snapshot set used_at = used_at - interval '3 hours'")
            let next = try await school.roster("users?limit=1&offset=1&filter=familyName!='131'")
            #expect(next.status == 200)
            try school.removeOutdated()
            #expect(try school.sql(count).count == 1)
            #expect(try school.sql("select from school.roster_snapshot").count == 1)
        }
    }
}
