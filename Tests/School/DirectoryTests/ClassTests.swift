import API
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ClassesOfTheDirectory {
    @Test func `a class comes with its rosters, and a PUT without them keeps them`() async throws {
        try await withSchool { school in
            let sam = school.id(.sam).uuid.description
            let path = "/v1/classes/source:7a%2Fmath"
            let made = try await school.put(
                path, as: .provisioner,
                json: [
                    "name": "Mathematics", "locationId": "source:main", "number": "7a",
                    "room": "12",
                    "teacherIds": ["source:sis-tess"],
                    "studentIds": [.text(sam), "source:sis-ben"],
                ])
            #expect(made.status == 201)
            #expect(made.text("sourceId") == "7a/math")
            #expect(made.texts("teacherIds") == [school.id(.tess).uuid.description])
            #expect(Set(made.texts("studentIds")) == [sam, school.id(.ben).uuid.description])
            let again = try await school.put(
                path, as: .provisioner, json: ["name": "Maths", "locationId": "source:main"])
            #expect(again.status == 200)
            #expect(again.text("id") == made.text("id"))
            #expect(again.json["room"] == .null)
            #expect(again.texts("studentIds") == made.texts("studentIds"))
            #expect(again.texts("teacherIds") == made.texts("teacherIds"))
            let smaller = try await school.put(
                path, as: .provisioner,
                json: [
                    "name": "Maths", "locationId": "source:main", "studentIds": ["source:sis-ben"],
                ])
            #expect(smaller.texts("studentIds") == [school.id(.ben).uuid.description])
            let seats = try school.sql(
                """
                select left_at is not null as "left" from school.seat
                 where class_id = \(UUID(made.text("id") ?? "")) and person_id = \(school.id(.sam))
                """)
            #expect(seats.count == 1)
            #expect(try seats[0].bool("left"), "a seat ends and is never deleted")
        }
    }

    @Test func `missing references are all named`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/classes", as: .ada,
                json: [
                    "name": "X", "locationId": "source:main", "courseId": "source:absent",
                ])
            #expect(answer.status == 422)
            #expect(answer.pointers == ["/courseId"])
            let people = try await school.post(
                "/v1/classes", as: .ada,
                json: [
                    "name": "X", "locationId": "source:main",
                    "studentIds": [
                        "source:sis-sam", "source:sis-omar",
                        .text(school.id(.omar).uuid.description),
                    ],
                ])
            #expect(people.status == 422)
            #expect(people.pointers == ["/studentIds/1", "/studentIds/2"])
            let count = try school.sql(
                "select count(*)::int as n from school.class where name = 'X'")
            #expect(try count[0].int("n") == 0)
        }
    }

    @Test func `teachers list and read the classes they teach`() async throws {
        try await withSchool { school in
            let chemistry = "/v1/classes/\(school.chemistry.uuid)"
            let biology = school.biology.uuid.description
            let own = try await school.page("/v1/classes", as: .tom)
            #expect(own.ids == [biology])
            #expect(try await school.get(chemistry, as: .tom).status == 404)
            #expect(try await school.get(chemistry, as: .tess).status == 200)
            #expect(try await school.get(chemistry, as: .sam).status == 403)
            let all = try await school.page("/v1/classes", as: .mara)
            #expect(all.ids == [biology, school.chemistry.uuid.description])
            let put = try await school.put(
                "/v1/classes/\(biology)", as: .tom,
                json: ["name": "X", "locationId": "source:main"])
            #expect(put.status == 403)
        }
    }

    @Test func `lists are filtered`() async throws {
        try await withSchool { school in
            let biology = school.biology.uuid.description
            let course = try await school.put(
                "/v1/courses/source:bio", as: .ada,
                json: ["name": "Biology", "locationId": "source:main"])
            #expect(course.status == 201)
            let put = try await school.put(
                "/v1/classes/source:class-Biology", as: .ada,
                json: ["name": "Biology", "locationId": "source:main", "courseId": "source:bio"])
            #expect(put.status == 200)
            #expect(put.text("courseId") == course.text("id"))
            for query in [
                "courseId=source:bio", "teacherId=source:sis-tom",
                "studentId=\(school.id(.sue).uuid)", "sourceId=class-Biology",
                "personId=source:sis-tom", "personId=source:sis-sue",
                "updatedSince=\(put.text("updatedAt") ?? "")",
                "status=active&teacherId=source:sis-cora",
            ] {
                let page = try await school.page("/v1/classes?\(query)", as: .ada)
                #expect(page.ids == [biology], "\(query)")
            }
            let archived = try await school.page("/v1/classes?status=archived", as: .ada)
            #expect(archived.ids.isEmpty)
        }
    }

    @Test func `the same sourceId twice is a conflict, and so is a stale ETag`() async throws {
        try await withSchool { school in
            let twin = try await school.post(
                "/v1/classes", as: .ada,
                json: ["name": "X", "locationId": "source:main", "sourceId": "class-Biology"])
            #expect(twin.status == 409)
            let path = "/v1/classes/\(school.biology.uuid)"
            let before = try await school.get(path, as: .ada)
            let tag = try #require(before.header("etag"))
            let seat = try await school.put(
                "\(path)/students/source:sis-ben", as: .ada, json: nil)
            #expect(seat.status == 201)
            let stale = try await school.put(
                path, as: .ada, json: ["name": "Biology", "locationId": "source:main"],
                headers: [("If-Match", tag)])
            #expect(stale.status == 412, "the roster is part of the class")
        }
    }
}
