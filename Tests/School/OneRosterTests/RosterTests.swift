import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// What the collections hold.
@Suite struct RosterTests {
    @Test func `the organization is a district, and its locations are schools`() async throws {
        try await withSchool { school in
            let district = school.hillside.uuid.description
            let location = "main"
            #expect(Set(try await school.ids("orgs")) == [district, location])
            #expect(try await school.ids("schools") == [location])
            let org = try await school.roster("orgs/\(location)")
            #expect(org.json["org"]?["type"] == "school")
            #expect(org.json["org"]?["identifier"]?.text == location)
            #expect(org.json["org"]?["parent"]?["sourcedId"]?.text == district)
            #expect(org.json["org"]?["parent"]?["type"] == "org")
            let href = org.json["org"]?["parent"]?["href"]?.text
            #expect(href?.hasSuffix("/ims/oneroster/rostering/v1p2/orgs/\(district)") == true)
            #expect(href?.hasPrefix("http") == true)
        }
    }

    @Test func `a user of 1.2 has roles, and enabledUser is a text`() async throws {
        try await withSchool { school in
            let user = try await school.roster("users/sis-tom").json["user"]
            #expect(user?["enabledUser"] == "true")
            #expect(user?["status"] == "active")
            #expect(user?["username"] == "tom@hillside.example")
            #expect(user?["email"] == "tom@hillside.example")
            #expect(user?["identifier"] == "sis-tom")
            let role = user?["roles"]?[0]
            #expect(role?["role"] == "teacher")
            #expect(role?["roleType"] == "primary")
            #expect(role?["org"]?["sourcedId"]?.text == "main")
            #expect(user?["role"] == nil)
            let ada = try await school.roster("users/sis-ada").json["user"]
            #expect(ada?["roles"]?[0]?["role"] == "districtAdministrator")
        }
    }

    @Test func `a user of 1.1 has one role and orgs`() async throws {
        try await withSchool { school in
            let user = try await school.roster("users/sis-ada", in: .v1p1).json["user"]
            #expect(user?["role"] == "administrator")
            #expect(user?["orgs"]?.array?.count == 1)
            #expect(user?["roles"] == nil)
            let administrators = try await school.ids(
                "users?filter=role%3D%27administrator%27", in: .v1p1)
            #expect(administrators.contains("sis-ada") && !administrators.contains("sis-sam"))
        }
    }

    @Test func `a teacher who is also staff holds one role`() async throws {
        try await withSchool { school in
            for role in ["staff", "manager"] {
                try school.sql(
                    """
                    insert into school.person_role (organization_id, person_id, location_id, role)
                    values (\(school.hillside), \(school.id(.tom)), \(school.mainLocation), \(role))
                    """)
            }
            let roles = try await school.roster("users/sis-tom").json["user"]?["roles"]?.array
            #expect(roles?.map { $0["role"] } == ["teacher", "siteAdministrator"])
            #expect(roles?.map { $0["roleType"] } == ["primary", "secondary"])
        }
    }

    @Test func `a class has a course and terms, and one of its own where it has none`()
        async throws
    {
        try await withSchool { school in
            try school.addTerms()
            let biology = try await school.roster("classes/class-Biology").json["class"]
            #expect(biology?["course"]?["sourcedId"] == "science")
            #expect(biology?["terms"]?[0]?["sourcedId"] == "autumn")
            #expect(biology?["school"]?["type"] == "org")
            let chemistry = try await school.roster("classes/class-Chemistry").json["class"]
            let course = try #require(chemistry?["course"]?["sourcedId"]?.text)
            #expect(try await school.ids("courses").contains(course))
            let made = try await school.roster("courses/\(course)").json["course"]
            #expect(made?["title"] == "Chemistry")
            #expect(try await school.ids("courses/\(course)/classes") == ["class-Chemistry"])
        }
    }

    @Test func `terms are named after the year in which the school year ends`() async throws {
        try await withSchool { school in
            try school.addTerms()
            let autumn = try await school.roster("terms/autumn").json["academicSession"]
            #expect(autumn?["schoolYear"] == "2027")
            #expect(autumn?["startDate"] == "2026-08-01")
            #expect(autumn?["parent"]?["sourcedId"] == "year")
            let thisYear = "homeroom-year"
            #expect(
                try await school.ids("academicSessions") == ["autumn", thisYear, "marks", "year"])
            #expect(try await school.ids("terms") == ["autumn", thisYear, "year"])
            #expect(try await school.ids("gradingPeriods") == ["marks"])
            #expect(try await school.ids("terms/year/gradingPeriods") == ["marks"])
            #expect(try await school.ids("terms/autumn/gradingPeriods") == [])
            #expect(try await school.ids("terms/autumn/classes") == ["class-Biology"])
            #expect(try await school.ids("terms/\(thisYear)/classes") == ["class-Chemistry"])
            let year = try await school.roster("terms/\(thisYear)").json["academicSession"]
            #expect(year?["type"] == "schoolYear")
            #expect(year?["startDate"]?.text?.hasSuffix("-01-01") == true)
            try school.sql(
                """
                update school.class set term_id = (select term_id from school.term where source_id = 'autumn')
                 where class_id = \(school.chemistry)
                """)
            #expect(try await school.ids("terms") == ["autumn", "year"], "every class has one")
            let schools = "schools/main"
            #expect(try await school.ids("\(schools)/terms") == ["autumn", "year"])
            let gone = try await school.roster("academicSessions/\(thisYear)").json[
                "academicSession"]
            #expect(gone?["status"] == "tobedeleted")
            let left = "academicSessions?filter=status='tobedeleted'"
            #expect(try await school.ids(left) == [thisYear])
            let times = [gone, year].compactMap { $0?["dateLastModified"]?.text }
            #expect(times.count == 2 && times[0] > times[1], "it left, which is a change")
            try school.sql(
                "update school.class set term_id = null where class_id = \(school.chemistry)")
            #expect(try await school.ids(left) == [])
            let back = try await school.roster("terms/\(thisYear)").json["academicSession"]
            #expect((back?["dateLastModified"]?.text ?? "") > times[0])
        }
    }

    @Test func `an enrollment keeps its id when its person leaves and comes back`() async throws {
        try await withSchool { school in
            let path = "enrollments?filter=user.sourcedId%3D%27sis-sam%27"
            let id = try #require(try await school.ids(path).first)
            let enrollment = try await school.roster("enrollments/\(id)").json["enrollment"]
            #expect(enrollment?["class"]?["sourcedId"] == "class-Biology")
            #expect(enrollment?["role"] == "student")
            try school.endSamsSeat()
            #expect(try await school.ids(path) == [])
            let ended = try await school.roster("enrollments/\(id)").json["enrollment"]
            #expect(ended?["status"] == "tobedeleted")
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(school.biology), \(school.id(.sam)), 'student', now())
                """)
            #expect(try await school.ids(path) == [id])
        }
    }

    @Test func `nested collections hold what belongs to their parent`() async throws {
        try await withSchool { school in
            let main = "schools/main"
            let biology = "classes/class-Biology"
            #expect(try await school.ids("\(biology)/students") == ["sis-sam", "sis-sue"])
            #expect(try await school.ids("\(biology)/teachers") == ["sis-cora", "sis-tom"])
            #expect(try await school.ids("\(main)/\(biology)/students") == ["sis-sam", "sis-sue"])
            #expect(try await school.ids("\(main)/\(biology)/teachers") == ["sis-cora", "sis-tom"])
            #expect(try await school.ids("\(main)/\(biology)/enrollments").count == 4)
            #expect(try await school.ids("\(main)/enrollments").count == 6)
            #expect(try await school.ids("\(main)/students") == ["sis-ben", "sis-sam", "sis-sue"])
            #expect(try await school.ids("\(main)/teachers").contains("sis-tess"))
            #expect(
                try await school.ids("\(main)/classes") == ["class-Biology", "class-Chemistry"])
            #expect(try await school.ids("\(main)/courses").count == 2)
            #expect(try await school.ids("students/sis-sam/classes") == ["class-Biology"])
            #expect(try await school.ids("teachers/sis-sam/classes") == [])
            #expect(try await school.ids("teachers/sis-tess/classes") == ["class-Chemistry"])
            #expect(try await school.ids("users/sis-tom/classes") == ["class-Biology"])
            try school.endSamsSeat()
            #expect(try await school.ids("\(biology)/students") == ["sis-sue"])
        }
    }

    @Test func `another organization is out of sight`() async throws {
        try await withSchool { school in
            let users = try await school.ids("users?limit=1000")
            #expect(users.contains("sis-sam") && !users.contains("sis-omar"))
            #expect(try await school.roster("users/sis-omar").status == 404)
            #expect(try await school.roster("classes/class-Geography").status == 404)
            #expect(try await school.ids("classes/class-Geography/students") == [])
            let elsewhere = TestIDs.elsewhereLocation.uuid
            #expect(try await school.roster("orgs/\(elsewhere)").status == 404)
            #expect(try await school.ids("schools/\(elsewhere)/students") == [])
            for persona in [Persona.tom, .sam, .ada, .provisioner, .exporter, .olga] {
                let answer = try await school.get("\(Edition.v1p2.path)/users", as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
        }
    }
}
