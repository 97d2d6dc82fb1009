import JSONBytes
import Postgres
import TestKit
import Testing
import Values

/// What an import changes, said of people: by name, from what to what, with the seats of each.
@Suite struct PeopleInPlans {
    /// Who leaves and joins, a name and a grade that change, other schools, and seats of people who stay.
    private static let changed = UndoneImports.changed

    private func people(
        of plan: JSONValue, _ query: String = "", in school: TestSchool
    ) async throws -> [JSONValue] {
        let answer = try await school.get("\(plan.location)/people\(query)", as: .petra)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.items
    }

    @Test func `a preview names who leaves, who joins and who changes, from what to what`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let plan = try await school.importArchive(Self.changed, mode: "preview")
            #expect(plan.status == "planned", "\(plan)")
            let all = try await people(of: plan, in: school)
            let words = all.map { "\($0["sourceId"]?.text ?? "") \($0["change"]?.text ?? "")" }
            #expect(
                words == [
                    "S11 removed", "S12 created", "S1 changed", "T1 changed", "T2 changed",
                    "S2 seats",
                ], "\(words)")

            let leaver = try #require(all.first)
            #expect(leaver["givenName"] == "Given11" && leaver["familyName"] == "Family11")
            #expect(leaver["grade"] == "07" && leaver["location"] == "North School")
            #expect(leaver["role"] == "student" && leaver["line"] == .null)
            let leaverID = try school.person("S11").uuid("person_id").description
            #expect(leaver["personId"]?.text == leaverID)
            #expect(
                leaver["seats"] == [
                    [
                        "change": "removed", "class": "Mathematics · MA-1-A", "classSourceId": "K1",
                        "role": "student",
                    ]
                ], "\(leaver)")

            let joiner = try #require(all.first { $0["change"] == "created" })
            #expect(joiner["givenName"] == "Given12" && joiner["location"] == "East School")
            #expect(joiner["personId"] == .null, "nobody is there yet")
            #expect(joiner["seats"]?[0]?["change"] == "created" && joiner["seatCount"] == 1)

            let renamed = try #require(all.first { $0["sourceId"] == "S1" })
            #expect(renamed["givenName"] == "Given1", "as he or she is called before")
            #expect(
                renamed["values"] == [
                    ["name": "givenName", "was": "Given1", "becomes": "Renamed"],
                    ["name": "grade", "was": "07", "becomes": "08"],
                ])
            let moved = try #require(all.first { $0["sourceId"] == "T2" })
            let roles = (moved["roles"]?.array ?? []).map {
                "\($0["change"]?.text ?? "") \($0["role"]?.text ?? "") at \($0["location"]?.text ?? "")"
            }
            #expect(roles.contains("created staff at South School"), "\(roles)")
            #expect(roles.contains("removed staff at North School"))
            let seated = try #require(all.last)
            #expect(seated["change"] == "seats" && seated["givenName"] == "Given2")
            #expect(seated["seats"]?[0]?["change"] == "removed")

            let leaving = try await people(of: plan, "?change=removed", in: school)
            #expect(leaving == [leaver])
            var found: [JSONValue] = []
            var next: String? = "\(plan.location)/people?limit=2"
            while let path = next {
                let page = try await school.get(path, as: .petra).json
                found += page["items"]?.array ?? []
                next = page["nextPageToken"]?.text.map {
                    "\(plan.location)/people?limit=2&pageToken=\($0)"
                }
            }
            #expect(found == all, "page by page it is the same")
        }
    }

    @Test func `an applied import says it as its plan did`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let plan = try await school.importArchive(Self.changed, mode: "preview")
            let before = try await people(of: plan, in: school)
            _ = try await school.post("\(plan.location)/approval", as: .ada)
            #expect(try await school.ended(plan.location).status == "succeeded")
            let after = try await people(of: plan, in: school)
            #expect(after.map { $0["values"] } == before.map { $0["values"] })
            #expect(after.map { $0["givenName"] } == before.map { $0["givenName"] })
            let joiner = try #require(after.first { $0["change"] == "created" })
            let joinerID = try school.person("S12").uuid("person_id").description
            #expect(joiner["personId"]?.text == joinerID, "now there is somebody")
        }
    }

    @Test func `rows say what they are about, and names stand for ids`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let plan = try await school.importArchive(
                TestArchive.small.replacing(
                    "K2,MA-1-B,C1,T2,,,L2", with: "K2,MA-2,C1,T2,,,L1", in: "classes.csv"),
                mode: "preview")
            let rows = try await school.get("\(plan.location)/changes", as: .ada).items
            let row = try #require(rows.first { $0["sourceId"] == "K2" })
            #expect(row["kind"] == "class" && row["name"] == "Mathematics · MA-1-B")
            let values = row["values"]?.array ?? []
            #expect(
                values.contains([
                    "name": "locationId", "was": "South School", "becomes": "North School",
                ]), "\(row)")
        }
    }

    @Test func `the plan is a table with names and without formulas`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let plan = try await school.importArchive(Self.changed, mode: "preview")
            let path = "\(plan.location)/changes"
            let csv = [("Accept", "text/csv")]
            let table = try await school.get("\(path)?limit=1", as: .petra, headers: csv)
            #expect(table.status == 200)
            let lines = table.text.split(separator: "\r\n").map(String.init)
            #expect(
                lines.first
                    == "\u{FEFF}file,change,line,sourceId,classSourceId,personSourceId,kind,givenName,"
                    + "familyName,grade,location,name,fields,was,becomes")
            #expect(
                lines.contains(
                    "students.csv,removed,,S11,,,person,Given11,Family11,07,North School,,,,"),
                "\(lines)")
            #expect(
                lines.contains {
                    $0.hasSuffix(",givenName grade,Given1 | 07,Renamed | 08")
                        && $0.contains(",S1,,,person,Given1,Family1,")
                }, "\(lines)")
            let rows = try await school.get("\(path)?limit=1000", as: .petra)
            #expect(lines.count == rows.items.count + 1, "whatever the limit")
            try school.sql(
                """
                update school.import_change
                   set about = jsonb_set(about, '{givenName}', '"=HYPERLINK(1)"') where kind = 'person'
                """)
            let odd = try await school.get(path, as: .petra, headers: csv)
            #expect(odd.text.contains(",'=HYPERLINK(1),"))
            #expect(!odd.text.contains(",=HYPERLINK"))
        }
    }

    @Test func `nobody else reads whom an import is about`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let plan = try await school.importArchive(Self.changed, mode: "preview")
            #expect(try await !people(of: plan, in: school).isEmpty, "there is somebody")
            for persona in [Persona.mara, .tom, .sam, .exporter, .samsApp] {
                let answer = try await school.get("\(plan.location)/people", as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
            #expect(try await school.get("\(plan.location)/people", as: .olga).status == 404)
            #expect(
                try await school.get(
                    "\(plan.location)/changes", as: .olga, headers: [("Accept", "text/csv")]
                ).status == 404)
        }
    }

    @Test func `who is erased is not named by any plan, whatever the id was then`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let count: Statement = """
                select count(*) as n from school.import_change where about ->> 'familyName' = 'Family3'
                """
            #expect(try school.sql(count)[0].int("n") > 1, "a person and a seat")
            try school.sql(
                "update school.person set source_id = 'other' where source_id = 'S3'")
            let person = try school.person("other").uuid("person_id").description
            let erased = try await school.post("/v1/people/\(person)/erasure", as: .ada)
            #expect(erased.status == 200, "\(erased.text)")
            #expect(try school.sql(count)[0].int("n") == 0)
        }
    }
}
