import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ClosingTerms {
    @Test func `closing a year archives the classes of its terms, as one event`() async throws {
        try await withSchool { school in
            let (year, half) = try await school.addYearWithBiology()
            let other = try await school.patch(
                "/v1/classes/\(school.chemistry.uuid)", as: .ada, json: ["termId": "source:y26"])
            #expect(other.status == 200)
            let listed = try await school.page("/v1/classes?termId=source:y26", as: .ada)
            #expect(
                Set(listed.ids) == Set([school.biology, school.chemistry].map(\.uuid.description)))
            let part = try await school.page("/v1/classes?termId=\(half)", as: .ada)
            #expect(part.ids == [school.biology.uuid.description])

            let closed = try await school.put("/v1/terms/\(year)/closing", as: .petra)
            #expect(closed.status == 200)
            #expect(closed.text("status") == "closed")
            let again = try await school.put("/v1/terms/\(year)/closing", as: .petra)
            #expect(again.text("closedAt") == closed.text("closedAt"))
            let archived = try await school.page("/v1/classes?status=archived", as: .ada)
            #expect(Set(archived.ids) == Set(listed.ids))
            let halfNow = try await school.get("/v1/terms/\(half)", as: .ada)
            #expect(halfNow.text("status") == "closed")
            let events = try school.sql(
                """
                select details->>'classes' as classes, subject_id from school.audit_event
                 where kind = 'termClosing'
                """)
            #expect(events.count == 1)
            #expect(try events[0].text("classes") == "2")
            #expect(try events[0].text("subject_id") == year)
            let path = "/v1/classes/\(school.biology.uuid)"
            #expect(try await school.get(path, as: .tom).texts("studentIds").count == 2)
            let seat = try await school.put("\(path)/students/source:sis-ben", as: .ada)
            #expect(seat.code == "class_archived")
        }
    }

    @Test func `nothing can be added to a closed term, and it cannot be changed`() async throws {
        try await withSchool { school in
            let (year, half) = try await school.addYearWithBiology()
            #expect(try await school.put("/v1/terms/\(year)/closing", as: .ada).status == 200)
            let body: JSONValue = [
                "name": "New", "locationId": "source:main", "termId": .text(half),
            ]
            let made = try await school.post("/v1/classes", as: .ada, json: body)
            #expect(made.status == 409)
            #expect(made.code == "term_closed")
            let moved = try await school.patch(
                "/v1/classes/\(school.chemistry.uuid)", as: .mara, json: ["termId": .text(half)])
            #expect(moved.code == "term_closed")
            let renamed = try await school.patch(
                "/v1/classes/\(school.biology.uuid)", as: .ada, json: ["name": "Biology 26"])
            #expect(renamed.status == 200, "a class in the term may still be renamed")
            let batch = try await school.post(
                "/v1/classes/batch", as: .ada,
                json: items([
                    [
                        "sourceId": "new", "name": "New", "locationId": "source:main",
                        "termId": "source:y26",
                    ]
                ]))
            #expect(batch.items[0]["errors"]?[0]?["code"]?.text == "term_closed")
            let change = try await school.patch(
                "/v1/terms/\(half)", as: .ada, json: ["name": "Other"])
            #expect(change.code == "term_closed")
            let part = try await school.post(
                "/v1/terms", as: .ada, json: semester("Second", "2027-02-01", "2027-08-01"))
            #expect(part.code == "term_closed")
        }
    }

    @Test func `reopening undoes a closing, with the classes it archived and no others`()
        async throws
    {
        try await withSchool { school in
            let (year, half) = try await school.addYearWithBiology()
            let other = try await school.patch(
                "/v1/classes/\(school.chemistry.uuid)", as: .ada, json: ["termId": .text(half)])
            #expect(other.status == 200)
            try school.sql(
                """
                update school.class set archived_at = now() - interval '1 day'
                 where class_id = \(school.chemistry)
                """)
            #expect(try await school.put("/v1/terms/\(year)/closing", as: .ada).status == 200)
            let part = try await school.delete("/v1/terms/\(half)/closing", as: .ada)
            #expect(part.status == 409, "the year is closed")
            let opened = try await school.delete("/v1/terms/\(year)/closing", as: .ada)
            #expect(opened.status == 200)
            #expect(opened.text("status") == "open")
            let again = try await school.delete("/v1/terms/\(year)/closing", as: .ada)
            #expect(again.status == 200)
            let archived = try await school.page("/v1/classes?status=archived", as: .ada)
            #expect(archived.ids == [school.chemistry.uuid.description])
            let halfNow = try await school.get("/v1/terms/\(half)", as: .ada)
            #expect(halfNow.text("status") == "open")
            let seat = try await school.put(
                "/v1/classes/\(school.biology.uuid)/students/source:sis-ben", as: .ada)
            #expect(seat.status == 201)
        }
    }

    @Test func `other organizations' terms are not found`() async throws {
        try await withSchool { school in
            let (year, _) = try await school.addYearWithBiology()
            #expect(try await school.get("/v1/terms/\(year)", as: .ada).status == 200)
            #expect(try await school.put("/v1/terms/\(year)/closing", as: .olga).status == 404)
            #expect(try await school.delete("/v1/terms/\(year)/closing", as: .olga).status == 404)
            #expect(
                try await school.put("/v1/terms/nonsense/closing", as: .ada).status == 404)
            let stale = try await school.post(
                "/v1/terms/\(year)/closing", as: .ada, headers: [("If-Match", "\"77\"")])
            #expect(stale.status == 412)
            let foreign = try await school.post(
                "/v1/classes", as: .olga,
                json: ["name": "X", "locationId": "source:main", "termId": .text(year)])
            #expect(foreign.status == 422)
            #expect(foreign.pointers == ["/termId"])
        }
    }
}

extension TestSchool {
    /// The school year 2026 and its first half, in which Biology is taught; their ids.
    func addYearWithBiology() async throws -> (year: String, half: String) {
        let year = try await addYear()
        let half = try await post(
            "/v1/terms", as: .ada, json: semester("First half", "2026-08-01", "2027-02-01"))
        let put = try await patch(
            "/v1/classes/\(biology.uuid)", as: .ada, json: ["termId": .text(half.text("id") ?? "")])
        #expect(put.text("termId") == half.text("id"))
        return (year.text("id") ?? "", half.text("id") ?? "")
    }
}
