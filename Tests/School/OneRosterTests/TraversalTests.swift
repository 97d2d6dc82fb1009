import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import OneRoster

/// All pages of a traversal come from the revision with which it began.
@Suite struct TraversalTests {
    /// Changes everything that shifts pages, contradicts former ones, or looks different.
    private func change(_ school: TestSchool, _ number: Int) throws {
        let id = "new\(number)@hillside.example"
        try school.sql(
            """
            with reserved as (
                insert into school.managed_id_directory (managed_id, organization_id, person_id)
                values (\(id), \(school.hillside), gen_random_uuid()) returning person_id
            ), born as (
                insert into school.person (organization_id, person_id, source_id, given_name, family_name, managed_id)
                select \(school.hillside), person_id, 'a-new-' || \(number)::text, 'New', 'Aardvark', \(id)
                  from reserved
            )
            insert into school.seat (organization_id, class_id, person_id, role, joined_at, recorded_at, source_id)
            select \(school.hillside), \(school.biology), person_id, 'student', now(), now(), 'a-seat-' || \(number)::text
              from reserved
            """)
        try school.sql(
            """
            insert into school.class (organization_id, class_id, location_id, name, source_id)
            values (\(school.hillside), gen_random_uuid(), \(school.mainLocation), 'New ' || \(number)::text,
                    'a-class-' || \(number)::text)
            """)
        switch number {
        case 1:
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.ben))"
            )
            try school.endSamsSeat()
        case 2:
            try school.sql(
                """
                update school.person set given_name = 'Renamed', source_id = 'zz-' || source_id
                 where organization_id = \(school.hillside)
                """)
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.chemistry)")
        default:
            try school.sql("delete from school.seat where person_id = \(school.id(.sue))")
        }
    }

    @Test(arguments: [
        "users", "enrollments", "classes", "orgs", "students", "users?sort=familyName",
        "users?orderBy=desc", "enrollments?sort=role&orderBy=desc",
        "users?filter=familyName~'e'", "enrollments?filter=role='student'",
        "users?filter=status='active'", "enrollments?filter=dateLastModified%3E'2020-01-01'",
        "classes/class-Biology/students", "schools/{school}/enrollments", "users/sis-tom/classes",
    ])
    func `every page is of the roster at the beginning, however it changes`(
        path: String
    ) async throws {
        for follows in [false, true] {
            try await withSchool { school in
                let here = try #require(try await school.ids("schools").first)
                let path = path.replacing("{school}", with: here)
                let client = school.rosterClient
                let before = try await client.count(path, limit: 10_000)
                try #require(before.pages == 1 && !before.objects.isEmpty)
                let step: (Int) async throws -> Void = { page in
                    if page <= 3 { try change(school, page) }
                }
                let read =
                    follows
                    ? try await client.follow(path, limit: 1, between: step)
                    : try await client.count(path, limit: 1, between: step)
                #expect(read.objects == before.objects)
                #expect(Set(read.revisions) == Set(before.revisions))
                #expect(Set(read.totals) == Set(before.totals))
                let after = try await client.count(path, limit: 1)
                #expect(Set(after.revisions).count == 1)
                if read.pages > 1 { #expect(after.revisions.first != before.revisions.first) }
                #expect(after.objects == (try await client.count(path, limit: 10_000)).objects)
            }
        }
    }

    @Test func `time that passes changes nothing of a traversal either`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.seat set left_at = now() + interval '1 minute'
                 where person_id = \(school.id(.sam))
                """)
            let client = school.rosterClient
            let before = try await client.count("enrollments", limit: 100)
            let read = try await client.count("enrollments", limit: 2) { page in
                if page == 1 { try school.setMoment(ahead: .seconds(120)) }
            }
            #expect(read.objects == before.objects)
            #expect(Set(read.revisions).count == 1)
            #expect(try await school.ids("enrollments").count == before.objects.count - 1)
        }
    }

    @Test func `a client on another server and one that begins later read as if they were alone`()
        async throws
    {
        try await withSchool { school in
            let other = try await OtherServer(of: school)
            let before = try await school.rosterClient.count("users", limit: 100)
            let all = RosterClient { path in
                // Each page from another server.
                path.contains("offset=2") || path.contains("offset=6")
                    ? try await other.get(path) : try await school.get(path, as: .rosterReader)
            }
            let read = try await all.count("users", limit: 2) { page in
                if page == 1 { try change(school, 1) }
                if page == 2 {
                    // It has another filter, so it is another traversal.
                    let later = try await school.rosterClient.follow(
                        "users?filter=familyName~'e'", limit: 1)
                    #expect(Set(later.revisions).isDisjoint(with: before.revisions))
                }
            }
            #expect(read.objects == before.objects)
            let followed = try await all.follow("users", limit: 2) { page in
                if page == 1 { try change(school, 2) }
            }
            #expect(Set(followed.revisions).count == 1)
            await other.stop()
        }
    }

    @Test func `a page of a collection that fits in one opens and notes nothing`() async throws {
        try await withSchool { school in
            _ = try await school.roster("users")
            _ = try await school.roster("users/sis-sam")
            let known = try #require(
                try await school.roster("users?limit=2").header("Roster-Revision"))
            #expect(try school.oneRoster.snapshots.count == 1)
            try school.oneRoster.snapshots.stop()
            let fresh = try await OtherServer(of: school)
            _ = try await fresh.get("\(Edition.v1p2.path)/users")
            _ = try await fresh.get("\(Edition.v1p2.path)/classes?limit=100")
            #expect(fresh.feature.snapshots.count == 0)
            // Whoever has the first page already does not read on.
            let unchanged = try await school.roster(
                "classes?limit=1", headers: [("If-None-Match", "\"\(known)\"")])
            #expect(unchanged.status == 304)
            let noted = try school.sql("select from school.roster_traversal")
            #expect(noted.count == 1, "users, of which there was another page")
        }
    }

    @Test func `a revision that is no name is refused, and one that is gone is not`()
        async throws
    {
        try await withSchool { school in
            for wrong in ["x", "1", "1.2.3", "1.", ".1", "1.x", "99999999999999999999.1"] {
                let answer = try await school.roster("users?revision=\(wrong)")
                #expect(answer.status == 400, "\(wrong)")
                #expect(answer.json["imsx_description"]?.text?.hasPrefix("revision:") == true)
            }
            let now = try await school.roster("users?limit=2&offset=2")
            let gone = try await school.roster("users?limit=2&offset=2&revision=0.17")
            #expect(gone.status == 200 && gone.body == now.body)
            #expect(gone.header("Roster-Revision") == now.header("Roster-Revision"))
            #expect(
                gone.nextPath?.contains("revision=\(now.header("Roster-Revision") ?? "")") == true)
        }
    }

    @Test func `another organization reads nothing of it`() async throws {
        try await withSchool { school in
            let token = try school.addReaderElsewhere()
            let first = try await school.roster("users?limit=2")
            let revision = try #require(first.header("Roster-Revision"))
            try change(school, 1)
            let mine = try await school.roster("users?limit=2&offset=2&revision=\(revision)")
            try #require(mine.header("Roster-Revision") == revision)
            let theirs = try await school.send(
                .get, "\(Edition.v1p2.path)/users?limit=2&offset=2&revision=\(revision)",
                token: token)
            #expect(theirs.status == 200)
            #expect(theirs.text.contains("elsewhere") && !theirs.text.contains("hillside"))
            // They may share a snapshot; each sees its own organization in it.
            let client = RosterClient { try await school.send(.get, $0, token: token) }
            let whole = try await client.count("users", limit: 100)
            let read = try await client.count("users", limit: 1) { page in
                guard page == 1 else { return }
                try school.sql(
                    "update school.person set given_name = 'Otto II' where person_id = \(school.id(.otto))"
                )
            }
            #expect(read.objects == whole.objects && read.pages > 2)
        }
    }

    @Test func `whose token ends, or may no longer read the roster, reads no page of the past`()
        async throws
    {
        try await withSchool { school in
            let first = try await school.roster("users?limit=2")
            let next = try #require(first.nextPath)
            try change(school, 1)
            let page = try await school.get(next, as: .rosterReader)
            try #require(page.header("Roster-Revision") == first.header("Roster-Revision"))
            try school.sql("revoke select on school.person from school_roster_reader")
            #expect(try await school.get(next, as: .rosterReader).status == 403)
            try school.sql(
                "update school.access_token set expires_at = now() where standing = 'rosterReader'")
            try school.sql("select pg_notify('school_revocation', 'all')")
            try await eventually {
                try await school.get(next, as: .rosterReader).status == 401
            }
        }
    }
}

extension TestSchool {
    /// A token with which another system of Elsewhere reads its roster.
    func addReaderElsewhere() throws -> String {
        let token = "a reader elsewhere"
        try sql(
            """
            insert into school.access_token (organization_id, digest, standing, expires_at)
            values (\(elsewhere), sha256(convert_to(\(token), 'UTF8')), 'rosterReader', now() + interval '1 day')
            """)
        return token
    }
}

/// A replica answers the present; earlier revisions are read from the primary, which keeps them.
@Suite struct TraversalOnReplicaTests {
    @Test func `pages of one revision come from either`() async throws {
        try await withSchool(in: TestDatabase.replicated()) { school in
            let client = school.rosterClient
            let before = try await client.count("users", limit: 100)
            for follows in [false, true] {
                let step: (Int) async throws -> Void = { page in
                    guard page == 2 else { return }
                    try school.sql(
                        """
                        update school.person set given_name = given_name || '!'
                         where organization_id = \(school.hillside)
                        """)
                }
                let whole = try await client.count("users", limit: 100)
                let read =
                    follows
                    ? try await client.follow("users", limit: 2, between: step)
                    : try await client.count("users", limit: 2, between: step)
                #expect(read.objects == whole.objects)
                #expect(Set(read.revisions).count == 1)
                #expect(read.ids == before.ids)
            }
        }
    }
}
