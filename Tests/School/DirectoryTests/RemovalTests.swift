import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct RemovalsFromTheDirectory {
    @Test func `a location in use stays, and an unused one is deleted`() async throws {
        try await withSchool { school in
            let refused = try await school.delete("/v1/locations/source:main", as: .ada)
            #expect(refused.status == 409)
            #expect(refused.code == "location_in_use")
            #expect(refused.text("detail")?.contains("9 roles of people, 2 classes") == true)
            let annex = try await school.put(
                "/v1/locations/source:annex", as: .ada, json: ["name": "Annex"])
            let path = "/v1/locations/\(annex.text("id") ?? "")"
            for persona in [Persona.mara, .tom, .sam, .exporter] {
                #expect(try await school.delete(path, as: persona).status == 403)
            }
            #expect(try await school.delete(path, as: .olga).status == 404)
            let stale = try await school.delete(path, as: .ada, headers: [("If-Match", "\"9\"")])
            #expect(stale.status == 412)
            #expect(try await school.delete(path, as: .petra).status == 204)
            #expect(try await school.get(path, as: .ada).status == 404)
            let events = try school.sql(
                "select subject_kind, subject_id from school.audit_event where kind = 'removal'")
            #expect(events.count == 1)
            #expect(try events[0].text("subject_kind") == "location")
            #expect(try events[0].text("subject_id") == annex.text("id"))
        }
    }

    @Test func `a course with classes stays`() async throws {
        try await withSchool { school in
            let course = try await school.put(
                "/v1/courses/source:bio", as: .ada,
                json: ["name": "Biology", "locationId": "source:main"])
            #expect(course.status == 201)
            let biology = "/v1/classes/\(school.biology.uuid)"
            let put = try await school.patch(biology, as: .ada, json: ["courseId": "source:bio"])
            #expect(put.status == 200)
            let refused = try await school.delete("/v1/courses/source:bio", as: .ada)
            #expect(refused.code == "course_in_use")
            #expect(refused.text("detail")?.contains("1 classes") == true)
            _ = try await school.patch(biology, as: .ada, json: ["courseId": .null])
            #expect(try await school.delete("/v1/courses/source:bio", as: .ada).status == 204)
        }
    }

    @Test func `a class with a handout stays, and one without is deleted with its seats`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.handout (organization_id, handout_id, class_id, author_id,
                                            environment, title, deleted_at)
                values (\(school.hillside), gen_random_uuid(), \(school.biology), \(school.id(.tom)),
                        'production', 'Deleted', now())
                """)
            let biology = "/v1/classes/\(school.biology.uuid)"
            let refused = try await school.delete(biology, as: .ada)
            #expect(refused.status == 409)
            #expect(refused.code == "class_in_use")
            #expect(refused.text("detail")?.contains("1 handouts") == true)
            let chemistry = "/v1/classes/source:class-Chemistry"
            #expect(try await school.delete(chemistry, as: .tess).status == 403)
            #expect(try await school.delete(chemistry, as: .olga).status == 404)
            #expect(try await school.delete(chemistry, as: .mara).status == 204)
            #expect(try await school.get(chemistry, as: .ada).status == 404)
            let seats = try school.sql(
                "select count(*)::int as n from school.seat where class_id = \(school.chemistry)")
            #expect(try seats[0].int("n") == 0)
        }
    }

    @Test func `the answer to a manager says that imported classes are not for managers`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                "update school.class set origin = 'import' where class_id = \(school.biology)")
            let path = "/v1/classes/\(school.biology.uuid)"
            #expect(try await school.get(path, as: .mara).status == 200)
            let body: JSONValue = ["name": "Biology", "locationId": "source:main"]
            let answers = [
                try await school.delete(path, as: .mara),
                try await school.put(path, as: .mara, json: body),
                try await school.put("/v1/classes/source:class-Biology", as: .mara, json: body),
                try await school.patch(path, as: .mara, json: ["name": "Mine"]),
                try await school.put("\(path)/students", as: .mara, json: ["personIds": []]),
                try await school.put("\(path)/students/source:sis-ben", as: .mara),
                try await school.delete("\(path)/students/source:sis-sam", as: .mara),
            ]
            for answer in answers {
                #expect(answer.status == 403)
                #expect(answer.text("detail")?.contains("import") == true)
            }
            let batch = try await school.post(
                "/v1/classes/batch", as: .mara,
                json: items([
                    ["sourceId": "class-Biology", "name": "Mine", "locationId": "source:main"],
                    ["sourceId": "own", "name": "Own", "locationId": "source:main"],
                ]))
            #expect(batch.outcomes == ["problem", "created"])
            let now = try await school.get(path, as: .ada)
            #expect(now.text("name") == "Biology")
            #expect(now.texts("studentIds").count == 2)
            #expect(
                try await school.put("\(path)/students/source:sis-ben", as: .petra).status == 201)
        }
    }
}
