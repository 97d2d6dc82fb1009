import API
import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// Pages that an index finds, and answers that are kept in memory.
@Suite struct RosterMemoryTests {
    /// People, classes and seats with and without ids of an information system, and some that are no longer there.
    private func addMany(to school: TestSchool) throws {
        try school.sql(
            """
            with made as (
                select n, gen_random_uuid() as id, 'many' || n || '@hillside.example' as managed_id
                  from generate_series(1, 30) as n
            ), reserved as (
                insert into school.managed_id_directory (managed_id, organization_id, person_id)
                select managed_id, \(school.hillside), id from made
            ), born as (
                insert into school.person (organization_id, person_id, source_id, given_name, family_name, managed_id,
                                           deactivated_at)
                select \(school.hillside), id, case when n % 2 = 0 then 'Ä-' || n end, 'Many', 'Example', managed_id,
                       case when n % 5 = 0 then now() end
                  from made
            )
            insert into school.seat (organization_id, class_id, person_id, role, joined_at, recorded_at, source_id,
                                     left_at)
            select \(school.hillside), c.class_id, m.id, 'student', now() - interval '9 days', now() - interval '9 days',
                   case when n % 3 = 0 then 'seat-' || n || c.name end,
                   case when n % 7 = 0 then now() - interval '1 day' when n % 7 = 1 then now() + interval '1 day' end
              from made as m, (select * from school.class where organization_id = \(school.hillside)) as c
            """)
        try school.sql(
            """
            insert into school.class (organization_id, class_id, location_id, name, source_id, archived_at)
            select \(school.hillside), gen_random_uuid(), \(school.mainLocation), 'Many ' || n,
                   case when n % 2 = 0 then 'many-' || n end, case when n % 5 = 0 then now() end
              from generate_series(1, 20) as n
            """)
    }

    @Test(arguments: ["users", "classes", "enrollments"])
    func `pages by index have what a sorted collection has`(collection: String) async throws {
        try await withSchool { school in
            try addMany(to: school)
            let indexes = try school.oneRoster.indexes
            let sorted = try await school.roster("\(collection)?limit=1000&filter=sourcedId!='no'")
            try #require(indexes.made == 0, "it is sorted")
            let objects = try #require(sorted.json.object?.members.first?.value.array)
            try #require(objects.count > 15)
            let whole = try await school.roster("\(collection)?limit=1000")
            #expect(whole.json.object?.members.first?.value.array == objects)
            #expect(whole.header("X-Total-Count") == "\(objects.count)")
            let ids = objects.compactMap { $0["sourcedId"]?.text }
            #expect(try await school.ids("\(collection)?limit=4&offset=3") == Array(ids[3..<7]))
            for _ in 1...2 {
                let followed = try await school.followed("\(collection)?limit=7") { _ in }
                #expect(followed == ids)
            }
            let backwards = try await school.ids("\(collection)?limit=1000&orderBy=desc")
            #expect(backwards == ids.reversed())
        }
    }

    @Test func `what Microsoft asks for is found by the index and remembered`() async throws {
        try await withSchool { school in
            try addMany(to: school)
            let indexes = try school.oneRoster.indexes
            let sorted = try await school.ids("users?limit=1000&filter=sourcedId!='no'")
            try #require(sorted.count > 15 && indexes.made == 0)
            let asked = "users?limit=7&filter=status='active'&sort=sourcedId"
            let page = try await school.roster(asked)
            #expect(indexes.made == 1)
            #expect(page.header("X-Total-Count") == "\(sorted.count)")
            #expect(page.header("X-Count") == "7")
            #expect(page.header("X-Perm-Rev") == page.header("Roster-Revision"))
            let next = try #require(page.nextPath)
            #expect(next.contains("filter=status%3D%27active%27&sort=sourcedId&"))
            #expect(try await school.followed(asked) { _ in } == sorted)
            for offset in [0, 3, sorted.count - 2] {
                let found = try await school.ids("\(asked)&offset=\(offset)")
                #expect(found == Array(sorted.dropFirst(offset).prefix(7)))
            }
            #expect(indexes.made == 1)
            let known = [("If-None-Match", page.header("ETag") ?? "")]
            #expect(try await school.roster(asked, headers: known).status == 304)
            // The database would not say it again.
            try school.sql(
                "revoke execute on function school.oneroster_users() from school_roster_reader"
            )
            #expect(try await school.roster(asked).body == page.body)
            #expect(try await school.roster("users?filter=status='tobedeleted'").status == 403)
        }
    }

    @Test func `a change of the roster shows in the next answer`() async throws {
        try await withSchool { school in
            func name() async throws -> String? {
                let first = try await school.roster("users/sis-sam").json["user"]?["givenName"]?
                    .text
                let again = try await school.roster("users/sis-sam").json["user"]?["givenName"]?
                    .text
                #expect(first == again)
                return first
            }
            func count() async throws -> String? {
                let whole = try await school.roster("users")
                #expect(try await school.roster("users").body == whole.body)
                return whole.header("X-Total-Count")
            }
            #expect(try await name() == "Sam")
            let before = try await count()
            try school.sql(
                "update school.person set given_name = 'Samuel' where person_id = \(school.id(.sam))"
            )
            #expect(try await name() == "Samuel")
            #expect(try await count() == before)
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.sue))"
            )
            #expect(try await count() != before)
            #expect(try await school.ids("classes/class-Biology/students") == ["sis-sam"])
            try school.endSamsSeat()
            #expect(try await school.ids("classes/class-Biology/students").isEmpty)
        }
    }

    @Test func `what one organization was answered is not another's`() async throws {
        try await withSchool { school in
            // As if the rosters had changed equally often, and last at the same moment.
            try school.sql("update school.seat set joined_at = date_trunc('day', now())")
            try school.sql("delete from school.roster_change")
            let own = try await school.roster("users")
            let digest = SHA256.digest(Array("a reader elsewhere".utf8)).bytes
            try school.sql(
                """
                insert into school.access_token (organization_id, digest, standing, expires_at)
                values (\(school.elsewhere), \(digest), 'rosterReader', now() + interval '1 day')
                """)
            let other = try await school.send(
                .get, "\(Edition.v1p2.path)/users", token: "a reader elsewhere")
            #expect(other.status == 200)
            try #require(own.header("Roster-Revision") == other.header("Roster-Revision"))
            let names = try [own, other].map { answer in
                try #require(answer.json["users"]?.array).compactMap { $0["username"]?.text }
            }
            #expect(names.allSatisfy { $0.count > 2 })
            #expect(Set(names[0]).isDisjoint(with: names[1]))
            #expect(names[0].contains("sam@hillside.example"))
            #expect(names[1].contains("omar@elsewhere.example"))
        }
    }

    @Test func `an answer that is kept is for those who may read it`() async throws {
        try await withSchool { school in
            let path = "\(Edition.v1p2.path)/users"
            for _ in 1...2 { #expect(try await school.roster("users").status == 200) }
            for persona in [Persona.ada, .tom, .sam, .provisioner, .directoryWriter] {
                #expect(try await school.get(path, as: persona).status == 403)
            }
            #expect(try await school.get(path, as: nil).status == 401)
            // Without its right to the revision a role gets no answer that others had.
            try school.sql(
                "revoke execute on function school.roster_revision() from school_roster_reader"
            )
            #expect(try await school.roster("users").status == 403)
        }
    }

    @Test func `links of an answer begin with the address that the client uses`() async throws {
        try await withSchool { school in
            for host in ["one.example", "two.example", "one.example"] {
                let answer = try await school.roster("users?limit=2", headers: [("Host", host)])
                let link = answer.header("Link") ?? ""
                #expect(link.contains("http://\(host)/ims/"))
                #expect(answer.text.contains("http://\(host)/ims/"))
            }
        }
    }

    @Test func `memory is bounded, and what is asked for is kept longer`() throws {
        let memory = RosterMemory()
        let body = [UInt8](repeating: 32, count: 200 << 10)
        func key(_ number: Int) -> RosterMemory.Key {
            RosterMemory.Key(organization: TestIDs.hillside, server: "", target: "\(number)")
        }
        for number in 0..<1000 {
            let answer = RosterAnswer(response: .json(body), revision: "1")
            memory.keep(answer, for: key(number), now: 0)
        }
        let kept = (0..<1000).filter { memory.answer(for: key($0), now: 1) != nil }
        #expect(kept.count < 200 && kept.last == 999)
        #expect(memory.answer(for: key(999), now: 61_000_000_000) == nil)
        let large = RosterAnswer(
            response: .json([UInt8](repeating: 32, count: 300 << 10)), revision: "1")
        memory.keep(large, for: key(2000), now: 0)
        #expect(memory.answer(for: key(2000), now: 1) == nil)
        for number in 0..<50_000 {
            memory.keep(RosterTotal(revision: "1", total: number), for: key(number))
        }
        #expect(memory.total(for: key(0)) == nil)
        #expect(memory.total(for: key(49_999))?.total == 49_999)
    }

    /// By one reader, who has a limit of calls and none of their length.
    @Test(arguments: [10, 12_000])
    func `what is remembered of a request is bounded in bytes`(length: Int) throws {
        let memory = RosterMemory()
        let filter = String(repeating: "f", count: length)
        func key(_ number: Int) -> RosterMemory.Key {
            RosterMemory.Key(
                organization: TestIDs.hillside, server: "", target: "\(number)\(filter)")
        }
        let read = ReadPlace(place: RosterPlace(sourcedID: "1"), offset: 1, revision: "1")
        var response = Response.json(Array("{}".utf8))
        response.headers.append(ResponseField("Link", filter))
        let answer = RosterAnswer(response: response, revision: "1")
        for number in 0..<4000 {
            memory.keep(RosterTotal(revision: "1", total: number), for: key(number))
            memory.keep(read, for: key(number), now: 0)
            memory.keep(answer, for: key(number), now: 0)
        }
        let kept = [
            (0..<4000).count(where: { memory.total(for: key($0)) != nil }),
            (0..<4000).count(where: { memory.hasNoted(read, for: key($0), now: 1) }),
            (0..<4000).count(where: { memory.answer(for: key($0), now: 1) != nil }),
        ]
        if length == 10 {
            #expect(kept == [4000, 4000, 4000])
        } else {
            #expect(kept[0] < 700 && kept[1] < 700 && kept[2] < 1500)
            #expect(kept.allSatisfy { $0 > 100 })
        }
    }
}
