import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Classes that teachers make and change with the privilege to make classes.
@Suite struct MadeClasses {
    @Test func `a teacher makes a class, teaches it and changes it`() async throws {
        try await withSchool { school in
            try await school.grant()
            let made = try await school.makeClass("Chess club", ["room": "B 12"])
            #expect(made.status == 201)
            #expect(made.json["room"] == "B 12" && made.json["number"] == .null)
            let id = try #require(made.json["id"]?.text)
            #expect(made.header("Location") == "/v1/classes/\(id)")
            let found = try await school.get("/v1/classes/\(id)", as: .tom)
            #expect(found.json["teachers"]?[0]?["givenName"] == "Tom")
            #expect(found.json["teachers"]?[0]?["unusual"] == false)

            let change: JSONValue = ["name": "Chess", "number": "C1", "room": nil]
            let changed = try await school.patch("/v1/me/classes/\(id)", as: .tom, json: change)
            #expect(changed.status == 200)
            #expect(changed.json["name"] == "Chess" && changed.json["number"] == "C1")
            #expect(changed.json["room"] == .null)
            let late = try await school.patch(
                "/v1/me/classes/\(id)", as: .tom, json: ["name": "Late"],
                headers: [("If-Match", made.header("ETag") ?? "")])
            #expect(late.status == 412)
            let other = try await school.patch(
                "/v1/me/classes/\(id)", as: .tom, json: ["locationId": "source:main"])
            #expect(other.status == 422 && other.pointers == ["/locationId"])
            #expect(
                try school.events(of: id) == [
                    "Tom classChange changed", "Tom classChange made", "Tom rosterChange teacher",
                ])
        }
    }

    @Test func `without the privilege or the role at the location no one makes a class`()
        async throws
    {
        try await withSchool { school in
            #expect(try await school.makeClass().status == 403)
            try await school.grant()
            #expect(try await school.makeClass().status == 201)
            for persona in [Persona.sam, .mara, .petra] {
                #expect(try await school.makeClass(as: persona).status == 403, "\(persona)")
            }
            let north = try await school.post("/v1/locations", as: .ada, json: ["name": "North"])
            let id = try #require(north.json["id"]?.text)
            let there = try await school.makeClass("Go club", ["locationId": .text(id)])
            #expect(there.status == 403)
            #expect(there.json["detail"]?.text?.contains("makeClasses") == true)
        }
    }

    @Test func `a teacher changes no class of the school and none of a colleague`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            let biology = school.biology.uuid.description
            for (persona, id, status) in [
                (Persona.tom, biology, 403), (.tess, biology, 404), (.tess, made, 404),
                (.otto, made, 404), (.tom, made, 200),
            ] {
                let answer = try await school.patch(
                    "/v1/me/classes/\(id)", as: persona, json: ["room": "1"])
                #expect(answer.status == status, "\(persona)")
            }
            #expect(try await school.seat(.tom, "teacher", in: biology, as: .tess) == 404)
            #expect(try await school.seat(.ben, "student", in: biology) == 403)
            #expect(try await school.unseat(.sam, "student", in: biology) == 403)
            #expect(try await school.seat(.tess, "teacher", in: made, as: .tess) == 404)
            let privileges = try await school.get("/v1/classes/\(biology)/privileges", as: .tom)
            #expect(privileges.json["change"] == false)
            let own = try await school.get("/v1/classes/\(made)/privileges", as: .tom)
            #expect(own.json["change"] == true)
            let others = try await school.get("/v1/classes/\(made)/privileges", as: .tess)
            #expect(others.status == 404)
        }
    }

    @Test func `co-teachers change the class, and only its maker removes it`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            #expect(try await school.seat(.cora, "teacher", in: made) == 204)
            #expect(try await school.seat(.sam, "student", in: made, as: .cora) == 204)
            #expect(try await school.delete("/v1/me/classes/\(made)", as: .cora).status == 403)
            let id = try #require(UUID(made))
            _ = try school.newHandout(in: ClassID(id))
            let used = try await school.delete("/v1/me/classes/\(made)", as: .tom)
            #expect(used.status == 409 && used.json["code"] == "class_in_use")
            let second = try await school.makeClass().json["id"]?.text ?? ""
            #expect(try await school.delete("/v1/me/classes/\(second)", as: .tom).status == 204)
            #expect(try await school.get("/v1/classes/\(second)", as: .ada).status == 404)
            #expect(try school.events(of: second).contains("Tom removal"))
        }
    }

    @Test func `a closed term takes no class, and closing it ends the right`() async throws {
        try await withSchool { school in
            try await school.grant()
            let term = try await school.post(
                "/v1/terms", as: .ada,
                json: [
                    "name": "2026/27", "kind": "schoolYear", "startsOn": "2026-08-01",
                    "endsOn": "2027-07-01",
                ])
            let termID = JSONValue.text(try #require(term.json["id"]?.text))
            let made = try await school.makeClass("Chess", ["termId": termID])
            let id = try #require(made.json["id"]?.text)
            #expect(made.json["termId"] == termID)
            #expect(try await school.seat(.sam, "student", in: id) == 204)
            let path = "/v1/terms/\(termID.text ?? "")/closing"
            #expect(try await school.post(path, as: .ada).status == 200)
            #expect(try await school.seat(.sue, "student", in: id) == 409)
            #expect(try await school.unseat(.sam, "student", in: id) == 409)
            #expect(try await school.candidates("ben", in: id).status == 409)
            #expect(try await school.makeClass("Go", ["termId": termID]).status == 409)
            let unknown = try await school.makeClass("Go", ["termId": "source:none"])
            #expect(unknown.status == 422 && unknown.pointers == ["/termId"])
        }
    }

    @Test func `a teacher makes at most fifty`() async throws {
        try await withSchool { school in
            try await school.grant()
            try school.sql(
                """
                insert into school.class (organization_id, class_id, location_id, name, origin, made_by)
                select \(school.hillside), gen_random_uuid(), \(school.mainLocation), 'Club', 'teacher', \(school.id(.tom))
                  from generate_series(1, 49)
                """)
            #expect(try await school.makeClass().status == 201)
            let tooMany = try await school.makeClass()
            #expect(tooMany.status == 409 && tooMany.json["code"] == "too_many_made_classes")
            #expect(try await school.makeClass(as: .cora).status == 201)
        }
    }

    @Test func `a class whose maker was erased is still not the school's`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            _ = try await school.seat(.tess, "teacher", in: made)
            _ = try await school.seat(.sam, "student", in: made)
            try school.sql("update school.class set made_by = null where class_id = \(UUID(made))")
            #expect(try await school.resetPassword(of: .sam, as: .tess) == 403)
            #expect(try await school.delete("/v1/me/classes/\(made)", as: .tess).status == 403)
        }
    }
}
