import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import RosterAPI

/// The calls of Apple's Roster API: what they show, under which names, and to whom.
@Suite struct RosterCalls {
    @Test func `the organization has its domains`() async throws {
        try await withSchool { school in
            for persona in [Persona.rosterReader, .ada] {
                let answer = try await school.roster("organization", as: persona)
                #expect(answer.status == 200)
                #expect(answer.json["id"]?.text == school.hillside.uuid.description)
                #expect(answer.json["type"] == "EDUCATION")
                #expect(answer.json["name"] == "Hillside")
                #expect(
                    answer.json["domains"] == [["name": "hillside.example", "isVerified": true]])
                #expect(answer.json["dateCreated"]?.text?.hasSuffix("Z") == true)
            }
        }
    }

    @Test func `a location has the time zone that counts there`() async throws {
        try await withSchool { school in
            let list = try await school.roster("locations")
            #expect(list.json["moreToFollow"] == false && list.json["nextPageToken"] == nil)
            let first = try #require(list.json["locations"]?.array?.first)
            #expect(first["timeZone"] == "Europe/Berlin")
            try school.sql("update school.location set time_zone = 'Asia/Tokyo'")
            let again = try await school.roster("locations/\(school.mainLocation.uuid)")
            #expect(again.json["timeZone"] == "Asia/Tokyo")
            #expect(again.json["id"] == first["id"])
            #expect(try await school.roster("locations/source:main").json == again.json)
            let foreign = TestIDs.elsewhereLocation.uuid
            let rows = try school.sql(
                "select from school.location where location_id = \(foreign)")
            #expect(rows.count == 1)
            #expect(try await school.roster("locations/\(foreign)").status == 404)
        }
    }

    @Test func `a user has roles in Apple's words, and no field without a value`() async throws {
        try await withSchool { school in
            let sam = Persona.sam.personID.uuid
            let plain = try await school.roster("users/\(sam)")
            #expect(plain.status == 200)
            #expect(plain.json["givenName"] == "Sam" && plain.json["middleName"] == "")
            #expect(plain.json["email"] == nil && plain.json["grade"] == nil)
            #expect(
                plain.json["roleLocationMapping"] == [
                    [
                        "roleName": "Student",
                        "locationId": .text(school.mainLocation.uuid.description),
                    ]
                ])
            try school.sql(
                """
                update school.person set email = 'sam@example.org', grade = '7', middle_name = 'Lee'
                 where person_id = \(sam)
                """)
            let full = try await school.roster("users/source:sis-sam").json
            #expect(full["email"] == "sam@example.org" && full["grade"] == "7")
            #expect(full["middleName"] == "Lee")
            let ada = try await school.roster("users/\(Persona.ada.personID.uuid)").json
            #expect(ada["roles"] == ["Staff"])
            let tom = try await school.roster("users/\(Persona.tom.personID.uuid)").json
            #expect(tom["roles"] == ["Instructor"])
        }
    }

    @Test(arguments: [
        ("Student", ["sam", "sue", "ben"]), ("Instructor", ["tom", "cora", "tess"]),
        ("Staff", ["ada", "petra", "mara"]),
    ])
    func `users are listed by role`(role: String, names: [String]) async throws {
        try await withSchool { school in
            let found = try await school.names("users?role=\(role)")
            #expect(Set(found) == Set(names))
        }
    }

    @Test func `who is deactivated, and a class that is archived, vanish`() async throws {
        try await withSchool { school in
            let class7 = "classes/\(school.biology.uuid)"
            #expect(try await school.names("\(class7)/users?role=Student") == ["sam", "sue"])
            try school.sql(
                """
                update school.person set deactivated_at = date_trunc('milliseconds', now())
                 where person_id = \(Persona.sue.personID)
                """)
            #expect(try await school.roster("users/\(Persona.sue.personID.uuid)").status == 404)
            #expect(try await school.names("users").contains("sue") == false)
            #expect(try await school.names("\(class7)/users?role=Student") == ["sam"])
            let before = try await school.roster(class7).json
            #expect(before["studentIds"]?.array?.count == 1)
            #expect(before["instructorIds"]?.array?.count == 2)
            try school.sql(
                """
                update school.class set archived_at = date_trunc('milliseconds', now())
                 where class_id = \(school.biology)
                """)
            #expect(try await school.roster(class7).status == 404)
            #expect(try await school.roster("\(class7)/users").status == 404)
            let left = try await school.roster("classes").json["classes"]?.array ?? []
            #expect(left.compactMap { $0["name"]?.text } == ["Chemistry"])
        }
    }

    @Test func `pages follow one another, though somebody joins in between`() async throws {
        try await withSchool { school in
            let all = Set(try await school.names("users"))
            var found: [String] = []
            var query = "limit=2"
            for _ in 0..<20 {
                let page = try await school.roster("users?\(query)")
                found += Answer.names(in: page)
                guard page.json["moreToFollow"] == true else { break }
                let token = try #require(page.json["nextPageToken"]?.text)
                query = "limit=2&pageToken=\(token)"
                let other = try await school.roster("locations?pageToken=\(token)")
                #expect(other.status == 400)
            }
            #expect(found.count == all.count && Set(found) == all)
        }
    }

    @Test(arguments: ["limit=0", "limit=1001", "limit=x", "pageToken=x", "role=Janitor", "more=1"])
    func `a wrong parameter is refused by name`(query: String) async throws {
        try await withSchool { school in
            let answer = try await school.roster("users?\(query)")
            #expect(answer.status == 400)
            let error = answer.json["errors"]?[0]
            #expect(error?["code"] == "PARAMETER_ERROR.INVALID" && error?["status"] == "400")
            let name = String(query.prefix { $0 != "=" })
            #expect(error?["detail"]?.text?.contains(name) == true)
        }
    }

    @Test func `a teacher reads the own classes and who is in them, as below v1`() async throws {
        try await withSchool { school in
            let classes = try await school.roster("classes", as: .tom).json["classes"]?.array
            #expect(classes?.compactMap { $0["name"]?.text } == ["Biology"])
            let chemistry = "classes/\(school.chemistry.uuid)"
            #expect(try await school.roster(chemistry).status == 200)
            #expect(try await school.roster(chemistry, as: .tom).status == 404)
            #expect(try await school.roster("\(chemistry)/users", as: .tom).status == 404)
            let shown = Set(try await school.names("users", as: .tom))
            let listed = try await school.get("/v1/people", as: .tom).items
            #expect(shown == Set(listed.compactMap { $0["givenName"]?.text?.lowercased() }))
            #expect(!shown.contains("ben"))
            let ben = "users/\(Persona.ben.personID.uuid)"
            #expect(try await school.roster(ben).status == 200)
            #expect(try await school.roster(ben, as: .tom).status == 404)
        }
    }

    @Test func `nothing of another organization is there`() async throws {
        try await withSchool { school in
            let omar = "users/\(Persona.omar.personID.uuid)"
            #expect(try await school.roster(omar, as: .olga).status == 200)
            #expect(try await school.roster(omar).status == 404)
            let geography = "classes/\(TestIDs.elsewhereClass.uuid)"
            #expect(try await school.roster(geography, as: .olga).status == 200)
            #expect(try await school.roster(geography).status == 404)
            #expect(try await school.roster("\(geography)/users").status == 404)
            let shown = try await school.names("users", as: .olga)
            #expect(Set(shown) == ["olga", "otto", "omar"])
        }
    }

    @Test func `refusals are lists of errors`() async throws {
        try await withSchool { school in
            let stranger = try await school.roster("users", as: nil)
            #expect(stranger.status == 401)
            #expect(stranger.json["errors"]?[0]?["code"] == "NOT_AUTHORIZED")
            let student = try await school.roster("users", as: .sam)
            #expect(student.status == 403)
            #expect(student.json["errors"]?[0]?["code"] == "FORBIDDEN")
            for path in ["users/x", "classes/\(UUID.v7())", "nothing"] {
                let absent = try await school.roster(path)
                #expect(absent.status == 404, "\(path)")
                #expect(absent.json["errors"]?[0]?["code"] == "NOT_FOUND", "\(path)")
            }
        }
    }

    @Test func `too many requests are told when to come back`() async throws {
        try await withSchool(requestsPerSecond: 1) { school in
            for _ in 0..<20 {
                let answer = try await school.roster("users")
                guard answer.status == 429 else { continue }
                #expect(answer.json["errors"]?[0]?["code"] == "RATE_LIMIT_EXCEEDED")
                #expect(answer.header("X-Retry-After") == answer.header("Retry-After"))
                #expect(answer.header("X-Retry-After").flatMap { Int($0) } ?? 0 > 0)
                return
            }
            Issue.record("nobody was refused")
        }
    }
}
