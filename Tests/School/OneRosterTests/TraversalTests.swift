import HTTPWire
import JSONBytes
import Metrics
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// Each page begins behind the last object of the page before, however the roster changes.
@Suite struct TraversalTests {
    /// Exchanges people before and behind every place: those whose names begin with a hyphen come and go.
    private func change(_ school: TestSchool, _ number: Int) throws {
        try school.sql(
            """
            update school.person set deactivated_at = case when deactivated_at is null then now() end
             where organization_id = \(school.hillside) and given_name = '-'
               and person_number in (select n::text from generate_series(1, 90) as n
                                      where n % 3 = \(Int32(number % 3)))
            """)
    }

    /// Ninety people of whom thirty stay, with a seat each.
    private func addPeople(to school: TestSchool) throws {
        try school.addCrowd(1...90)
        try school.sql(
            """
            update school.person as p
               set given_name = case when n % 3 = 0 then 'Stays' else '-' end, person_number = n::text,
                   family_name = md5(n::text), email = case when n % 2 = 0 then md5('mail' || n) || '@x.example' end,
                   deactivated_at = case when n % 3 = 2 then now() end
              from (select person_id, right(source_id, 5)::integer as n from school.person
                     where source_id like 'crowd-%') as c
             where p.person_id = c.person_id
            """)
        try school.sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            select organization_id, person_id, \(school.mainLocation), 'student' from school.person
             where source_id like 'crowd-%'
            """)
    }

    private static let collections = [
        "users", "enrollments", "students", "users?orderBy=desc", "users?filter=status='active'",
        "users?filter=familyName~'a'", "enrollments?filter=role='student'",
        "users?sort=familyName", "users?sort=familyName&orderBy=desc", "users?sort=email",
        "users?sort=email&orderBy=desc", "users?sort=grades", "enrollments?sort=beginDate",
        "users?filter=dateLastModified%3E'2020-01-01'",
        "schools/{school}/students", "schools/{school}/enrollments",
    ]

    /// That a traversal has everything that is there before and after, once each, and nothing twice.
    private func expect(_ read: Traversal, has staying: Set<String>, _ path: String) {
        #expect(Set(read.ids).count == read.ids.count, "\(path): twice")
        #expect(staying.subtracting(read.ids).isEmpty, "\(path): missed")
    }

    @Test(arguments: collections)
    func `what stays is on one page, however many read and write`(path: String) async throws {
        try await withSchool { school in
            try addPeople(to: school)
            let here = try #require(try await school.ids("schools").first)
            let path = path.replacing("{school}", with: here)
            let other = try await OtherServer(of: school)
            let before = try await school.rosterClient.count(path, limit: 10_000)
            let leaving = Set(
                try school.sql(
                    """
                    select p.source_id as id from school.person as p where p.given_name = '-'
                    union all
                    select school.oneroster_enrollment_id(s.source_id, s.class_id, s.person_id, s.role)
                      from school.seat as s join school.person as p using (organization_id, person_id)
                     where p.given_name = '-'
                    """
                ).compactMap { try $0.optionalText("id") })
            let staying = Set(before.ids).subtracting(leaving)
            try #require(staying.count > 10 && before.ids.count > staying.count)
            let readers = try (1...6).map { number in
                (try school.addReader(number), limit: [3, 4, 7][number % 3])
            }
            let step: @Sendable (Int) async throws -> Void = { try change(school, $0) }
            try await withThrowingTaskGroup(of: Traversal.self) { group in
                for (number, reader) in readers.enumerated() {
                    group.addTask {
                        let pages = Turns()
                        // Each page from another server.
                        let client = RosterClient { path in
                            pages.next() % 2 == 0
                                ? try await other.get(path, token: reader.0)
                                : try await school.send(.get, path, token: reader.0)
                        }
                        return number < 4
                            ? try await client.count(path, limit: reader.limit, between: step)
                            : try await client.follow(path, limit: reader.limit, between: step)
                    }
                }
                for try await read in group { expect(read, has: staying, path) }
            }
            let after = try await school.rosterClient.count(path, limit: 5)
            #expect(
                after.objects == (try await school.rosterClient.count(path, limit: 10_000)).objects)
            #expect(Set(after.revisions).count == 1)
        }
    }

    @Test func `a client that trusts the total of a page misses nothing either`() async throws {
        try await withSchool { school in
            try school.addCrowd(1...40)
            var found: [String] = []
            var total = 1
            while found.count < total {
                let page = try await school.roster("users?limit=10&offset=\(found.count)")
                found += (page.json["users"]?.array ?? []).compactMap { $0["sourcedId"]?.text }
                total = try #require(page.header("X-Total-Count").flatMap { Int($0) })
                try school.sql(
                    """
                    update school.person set deactivated_at = now()
                     where source_id like 'crowd-%' and source_id <= \(found.last ?? "")
                    """)
            }
            let staying = try await school.ids("users?limit=1000")
            #expect(Set(staying).subtracting(found).isEmpty && Set(found).count == found.count)
        }
    }

    @Test func `the revision says that the roster changed, and a page of two is nobody else's`()
        async throws
    {
        try await withSchool { school in
            try school.addCrowd(1...9)
            let first = try await school.roster("users?limit=4")
            let revision = try #require(first.header("Roster-Revision"))
            let leaving = try #require(first.json["users"]?[1]?["sourcedId"]?.text)
            #expect(first.header("ETag") == "\"\(revision)\"")
            let unchanged = try await school.roster("users?limit=4&offset=4")
            #expect(unchanged.header("Roster-Revision") == revision)
            #expect(unchanged.header("ETag") == "\"\(revision)\"")
            try school.sql(
                "update school.person set deactivated_at = now() where source_id = \(leaving)")
            let mixed = try await school.roster("users?limit=4&offset=4")
            let present = try #require(mixed.header("Roster-Revision"))
            #expect(present != revision && mixed.header("ETag") != "\"\(present)\"")
            #expect(
                mixed.json["users"]?[0]?["sourcedId"] == unchanged.json["users"]?[0]?["sourcedId"])
            // Somebody else counts what is there now.
            let token = try school.addReader(7)
            let path = "\(Edition.v1p2.path)/users?limit=4&offset=4"
            let counted = try await school.send(.get, path, token: token)
            #expect(counted.header("ETag") == "\"\(present)\"")
            #expect(
                counted.json["users"]?[0]?["sourcedId"] == unchanged.json["users"]?[1]?["sourcedId"]
            )
            let known = try await school.roster(
                "users?limit=4&offset=4", headers: [("If-None-Match", "\"\(present)\"")])
            #expect(known.status == 200)
        }
    }

    @Test func `a page that was answered before is asked for again, and is the same`() async throws
    {
        try await withSchool { school in
            try school.addCrowd(1...20)
            let client = school.rosterClient
            _ = try await client.count("users", limit: 5)
            let page = try await school.roster("users?limit=5&offset=10")
            try school.sql(
                "update school.person set deactivated_at = now() where source_id = 'crowd-00001'")
            let again = try await school.roster("users?limit=5&offset=10")
            #expect(again.body == page.body)
        }
    }

    @Test func `what was noted is lost in a crash, and nothing fails`() async throws {
        try await withSchool { school in
            let client = school.rosterClient
            let before = try await client.count("users", limit: 100)
            let read = try await client.count("users", limit: 2) { page in
                // As PostgreSQL does with tables that are not logged.
                if page == 1 { try school.sql("truncate school.roster_place") }
            }
            #expect(read.objects == before.objects)
            try school.sql(
                """
                revoke execute on function school.note_read_place(text, bytea, bigint, text, text, text)
                  from school_roster_reader
                """)
            let unnoted = try await school.roster("users?limit=2&filter=familyName!='x'")
            #expect(unnoted.status == 200)
            #expect(try school.oneRoster.figures.notNoted.value == 1)
        }
    }

    @Test func `another organization begins nowhere but at its own first object`() async throws {
        try await withSchool { school in
            let token = try school.addReaderElsewhere()
            _ = try await school.roster("users?limit=2")
            let theirs = try await school.send(
                .get, "\(Edition.v1p2.path)/users?limit=2&offset=2", token: token)
            #expect(theirs.status == 200)
            #expect(theirs.text.contains("elsewhere") && !theirs.text.contains("hillside"))
        }
    }

    @Test func `a place names nobody who was erased, and is forgotten after an hour`() async throws
    {
        try await withSchool { school in
            let places: Statement = "select from school.roster_place"
            let ids = try await school.ids("users")
            let sam = try #require(ids.firstIndex(of: "sis-sam"))
            _ = try await school.roster("users?limit=\(sam + 1)")
            _ = try await school.roster("users?limit=1&sort=familyName")
            _ = try await school.roster("classes?limit=1")
            try #require(try school.sql(places).count == 3)
            let path = "/v1/people/\(school.id(.sam).uuid)/erasure"
            #expect(try await school.post(path, as: .ada).status < 300)
            #expect(try school.sql(places).count == 1)
            try school.sql(
                "update school.roster_place set noted_at = now() - interval '61 minutes'")
            try school.removeOutdated()
            #expect(try school.sql(places).count == 0)
        }
    }

    @Test func `two tokens of one account each read their own way`() async throws {
        try await withSchool { school in
            try school.addCrowd(1...20)
            let account = try #require(
                try school.sql(
                    """
                    insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
                    values (\(school.hillside), gen_random_uuid(), 'Two', 'rosterReader', sha256('two'))
                    returning service_account_id as id
                    """
                ).first?.uuid("id"))
            let tokens = try [8, 9].map { try school.addReader($0, of: account) }
            let clients = tokens.map { token in
                RosterClient { try await school.send(.get, $0, token: token) }
            }
            let late = try await clients[0].count("users", limit: 5) { page in
                guard page == 1 else { return }
                try school.sql(
                    "update school.person set deactivated_at = now() where source_id < 'crowd-00003' and source_id like 'crowd-%'"
                )
                // The other one reads further with its first page.
                _ = try await clients[1].count("users", limit: 5)
            }
            let staying = try await school.ids("users?limit=1000")
            expect(late, has: Set(staying), "users")
            // A client that renews its token goes on where its account was.
            let renewed = Turns()
            let changing = RosterClient { path in
                try await school.send(.get, path, token: tokens[renewed.next() % 2])
            }
            let read = try await changing.count("users?orderBy=desc", limit: 4) { page in
                guard page == 2 else { return }
                try school.sql(
                    "update school.person set deactivated_at = now() where source_id = 'sis-tom'")
            }
            expect(read, has: Set(try await school.ids("users?limit=1000")), "users")
        }
    }
}
