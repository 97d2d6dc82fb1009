import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// What changed since: dateLastModified, tombstones, and the revision.
@Suite struct ChangeTests {
    /// When the object was last modified, in the strict form that Microsoft reads.
    private func modified(_ path: String, _ key: String, _ school: TestSchool) async throws
        -> String
    {
        let object = try await school.roster(path).json[key]
        let text = try #require(object?["dateLastModified"]?.text)
        #expect(text.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
        return text
    }

    @Test func `dateLastModified moves when only a role or a seat changes`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.seat set updated_at = '2026-01-01', joined_at = '2026-01-01'")
            try school.sql("alter table school.person disable trigger user")
            try school.sql("alter table school.class disable trigger user")
            try school.sql("update school.person set updated_at = '2026-01-01'")
            try school.sql("update school.class set updated_at = '2026-01-01'")
            try school.sql("alter table school.person enable trigger user")
            try school.sql("alter table school.class enable trigger user")
            let user = try await modified("users/sis-sam", "user", school)
            let group = try await modified("classes/class-Biology", "class", school)
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(school.id(.sam)), \(school.mainLocation), 'staff')
                """)
            #expect(try await modified("users/sis-sam", "user", school) > user)
            let since = "filter=dateLastModified%3E'2026-02-01'"
            #expect(try await school.ids("users?\(since)") == ["sis-sam"])
            try school.endSamsSeat()
            #expect(try await modified("classes/class-Biology", "class", school) > group)
            #expect(try await school.ids("classes?\(since)") == ["class-Biology"])
        }
    }

    @Test func `what left the roster is shown to those who ask what changed`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.sam))"
            )
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.chemistry)")
            for (name, gone) in [
                ("users", "sis-sam"), ("students", "sis-sam"), ("classes", "class-Chemistry"),
            ] {
                #expect(try await school.ids(name).contains(gone) == false)
                #expect(try await school.ids("\(name)?filter=status='tobedeleted'") == [gone])
                let changed = try await school.ids("\(name)?filter=dateLastModified%3E'2020-01-01'")
                #expect(changed.contains(gone))
            }
            let user = try await school.roster("users/sis-sam").json["user"]
            #expect(user?["status"] == "tobedeleted" && user?["enabledUser"] == "false")
            let gone = try await school.ids("enrollments?filter=status='tobedeleted'")
            #expect(gone.count == 3, "Sam's, and the two of Chemistry")
            #expect(try await school.ids("enrollments").count == 3)
        }
    }

    @Test func `the revision stays while nothing changes, and 304 says so`() async throws {
        try await withSchool { school in
            let first = try await school.roster("users?limit=2")
            let revision = try #require(first.header("Roster-Revision"))
            #expect(first.header("ETag") == "\"\(revision)\"")
            let next = try await school.roster("classes?limit=1&offset=1")
            #expect(next.header("Roster-Revision") == revision)
            let known = [("If-None-Match", "\"\(revision)\"")]
            #expect(try await school.roster("users?limit=2", headers: known).status == 304)
            let wanted = [("If-Match", "\"\(revision)\"")]
            #expect(try await school.roster("users?offset=2", headers: wanted).status == 200)
            try school.endSamsSeat()
            let changed = try await school.roster("users?limit=2", headers: known)
            #expect(changed.status == 200 && changed.header("Roster-Revision") != revision)
            let refused = try await school.roster("users?offset=2", headers: wanted)
            #expect(refused.status == 412 && refused.json["imsx_codeMajor"] == "failure")
        }
    }

    @Test func `every change of the roster, and nothing else, makes a new revision`() async throws {
        try await withSchool { school in
            func revision() throws -> String {
                try school.sql(
                    "select school.roster_revision() as revision", as: school.caller(.rosterReader)
                )[0].text("revision")
            }
            try school.addTerms()
            let changes: [Statement] = [
                "update school.organization set name = 'Hill' where organization_id = \(school.hillside)",
                "update school.location set name = 'Annex' where organization_id = \(school.hillside)",
                "update school.person set given_name = 'Tim' where person_id = \(school.id(.tom))",
                "delete from school.person_role where person_id = \(school.id(.mara))",
                "update school.course set name = 'Life' where organization_id = \(school.hillside)",
                "update school.class set room = '1' where class_id = \(school.biology)",
                "update school.seat set left_at = now() where person_id = \(school.id(.ben))",
                "delete from school.term where source_id = 'marks'",
            ]
            var seen = [try revision()]
            for change in changes {
                try school.sql(change)
                seen.append(try revision())
                #expect(try revision() == seen.last)
            }
            #expect(Set(seen).count == seen.count, "\(seen)")
            try school.sql(
                "update school.person set given_name = 'Otto' where person_id = \(school.id(.otto))"
            )
            #expect(try revision() == seen.last, "of another organization")
            try school.removeOutdated()
            let rows = try school.sql(
                "select from school.roster_change where organization_id = \(school.hillside)")
            #expect(rows.count == 1, "added up")
            #expect(try revision() == seen.last)
        }
    }

    @Test func `a seat that begins or ends by itself makes a new revision`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.seat set left_at = now() + interval '1 hour'
                 where person_id = \(school.id(.sam))
                """)
            let before = try await school.roster("enrollments")
            #expect(before.header("X-Total-Count") == "6")
            try school.setMoment(ahead: .seconds(7200))
            let after = try await school.roster("enrollments")
            #expect(after.header("X-Total-Count") == "5")
            #expect(after.header("Roster-Revision") != before.header("Roster-Revision"))
        }
    }

    @Test func `whom is removed between two pages hides no one else`() async throws {
        try await withSchool { school in
            let all = try await school.ids("users")
            #expect(all[1] == "sis-ben", "on the first page")
            let found = try await school.followed("users?limit=2") { page in
                guard page == 1 else { return }
                try school.sql(
                    "update school.person set deactivated_at = now() where person_id = \(school.id(.ben))"
                )
            }
            #expect(found == all)
            let since = "users?filter=dateLastModified%3E'2020-01-01'%20AND%20status='tobedeleted'"
            #expect(try await school.ids(since) == ["sis-ben"], "the rest of the change")
        }
    }

    @Test func `what is deleted leaves its sourcedId to those who ask what changed`() async throws {
        try await withSchool { school in
            try school.addTerms()
            let before = Clock.system.now.description
            let chemistry = try await school.delete("/v1/classes/source:class-Chemistry", as: .ada)
            try #require(chemistry.status == 204, "\(chemistry.text)")
            try school.sql("delete from school.term where source_id = 'marks'")
            for (name, gone) in [
                ("classes", ["class-Chemistry"]), ("gradingPeriods", ["marks"]),
                // The year of classes without a term, of which Chemistry was the last
                ("academicSessions", ["homeroom-year", "marks"]),
            ] {
                #expect(try await school.ids(name).filter(gone.contains) == [])
                #expect(try await school.ids("\(name)?filter=status='tobedeleted'") == gone)
                let since = "filter=dateLastModified%3E'\(before)'"
                #expect(try await school.ids("\(name)?\(since)").filter(gone.contains) == gone)
            }
            let course = try await school.ids("courses?filter=status='tobedeleted'")
            #expect(course.count == 2, "of Chemistry, and of Biology before it had one")
            #expect(course.allSatisfy { $0.hasPrefix("course-of-") })
            let seats = try await school.ids("enrollments?filter=status='tobedeleted'")
            #expect(seats.count == 2, "the two of Chemistry")
        }
    }

    @Test func `of who was erased, only our id is left`() async throws {
        try await withSchool { school in
            let sam = school.id(.sam).uuid.description
            try school.sql(
                "update school.person set source_id = 'new-sam' where source_id = 'sis-sam'")
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.sam))"
            )
            let gone = "users?filter=status='tobedeleted'"
            #expect(Set(try await school.ids(gone)) == ["new-sam", "sis-sam"])
            let erased = try await school.post("/v1/people/\(sam)/erasure", as: .ada)
            try #require(erased.status < 300, "\(erased.text)")
            #expect(try await school.ids(gone) == [sam])
            #expect(try await school.ids("users").contains(sam) == false)
            #expect(try await school.ids("enrollments?filter=status='tobedeleted'") == [])
            let user = try await school.roster("users/\(sam)").json["user"]
            #expect(user?["status"] == "tobedeleted")
            #expect(user?["givenName"] == "-" && user?["email"] == nil && user?["grades"] == [])
            #expect(user?["username"]?.text == sam)
        }
    }

    @Test func `a new sourcedId takes the place of the old one, which can come back`() async throws
    {
        try await withSchool { school in
            func rename(_ id: String) throws {
                try school.sql(
                    "update school.person set source_id = \(id) where person_id = \(school.id(.sam))"
                )
            }
            let gone = "users?filter=status='tobedeleted'"
            try rename("new-sam")
            #expect(try await school.ids(gone) == ["sis-sam"])
            #expect(try await school.ids("users").contains("new-sam"))
            try rename("sis-sam")
            #expect(try await school.ids(gone) == ["new-sam"])
            #expect(try await school.ids("users").contains("sis-sam"))
            try school.sql(
                "update school.roster_tombstone set left_at = now() - interval '91 days'")
            try school.removeOutdated()
            #expect(try await school.ids(gone) == [])
        }
    }
}
