import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct DataExport {
    @Test func `the archive holds every row of the person, and lists what it holds`() async throws {
        try await withSchool { school in
            try await school.liveALittle()
            let answer = try await school.post(school.path(.sam, "data-export"), as: .ada)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "application/zip")
            #expect(answer.header("Cache-Control") == "no-store")
            let files = try unpacked(answer.body)
            let expected = [
                "person": 1, "managed_id_directory": 1, "person_role": 1, "seat": 1,
                "credential": 1, "session": 1, "sign_in_device": 1, "access_token": 3,
                "refresh_token": 1,
                "activity": 1, "activity_part": 1, "activity_item": 1, "activity_assignment": 1,
                "assignment": 1, "assignment_figures": 1,
                "handout_recipient": 1, "context": 1, "audit_event": 2, "licence": 1,
                "import_change": 1, "import_problem": 1, "comment": 2, "comment_seen": 1, "mark": 1,
            ]
            let index = try JSONValue(parsing: Array(try #require(files["index.json"]).utf8))
            var rows: [String: Int] = [:]
            for file in index["files"]?.array ?? [] {
                let name = try #require(file["name"]?.text)
                rows[String(name.dropLast(7))] = file["rows"]?.int64.map(Int.init)
                let lines = try #require(files[name]).split(separator: "\n")
                #expect(lines.count == file["rows"]?.int64.map(Int.init))
                for line in lines {
                    #expect(try JSONValue(parsing: Array(line.utf8)).object != nil)
                }
                #expect(try #require(files["README.txt"]).contains(name))
            }
            #expect(rows == expected)
            #expect(files.count == expected.count + 2)
            #expect(try #require(files["person.ndjson"]).contains("sam@hillside.example"))
            #expect(try #require(files["activity_item.ndjson"]).contains("\"score\": 3"))
        }
    }

    @Test(arguments: [Persona.sam, .tom, .ada])
    func `the archive holds nothing of anyone else, and no credentials`(persona: Persona)
        async throws
    {
        try await withSchool { school in
            try await school.liveALittle()
            _ = try await school.post(school.path(.sam, "temporary-password"), as: .ada)
            _ = try await school.put(
                "/v1/classes/\(school.biology.uuid)/students", as: .ada,
                json: [
                    "personIds": .array(
                        [Persona.sue, .ben].map { .text(school.id($0).uuid.description) })
                ])
            let answer = try await school.post(school.path(persona, "data-export"), as: .ada)
            let text = try unpacked(answer.body).values.joined(separator: "\n")
            #expect(text.contains(persona.managedID))
            for other in Persona.allCases where other.person == other && other != persona {
                #expect(!text.contains(other.managedID), "\(other)")
                #expect(!text.contains(school.id(other).uuid.description), "\(other)")
                #expect(!text.contains("\"\(other.givenName)\""), "\(other)")
            }
            for secret in ["password_record", "\"digest\"", "\"body\"", "scrypt", "address_salt"] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test func `a changed roster is shown with this person's part alone`() async throws {
        try await withSchool { school in
            _ = try await school.put(
                "/v1/classes/\(school.biology.uuid)/students", as: .ada,
                json: ["personIds": [.text(school.id(.ben).uuid.description)]])
            let answer = try await school.post(school.path(.ben, "data-export"), as: .ada)
            let events = try #require(try unpacked(answer.body)["audit_event.ndjson"])
            let event = try JSONValue(parsing: Array(events.split(separator: "\n")[0].utf8))
            #expect(event["kind"] == "rosterChange")
            #expect(event["details"] == ["role": "student", "joined": true, "left": false])
            #expect(event["person_id"] == nil)
        }
    }

    /// It waits in the inbox of any student of the class.
    @Test func `what a tool said of nobody is not in the archive, and is erased`() async throws {
        try await withSchool { school in
            for bundle in ["tool:", "com.example.quiz"] {
                try school.sql(
                    """
                    insert into school.upload (organization_id, person_id, upload_id, kind, environment, bundle_id,
                                               document, position, arrived_at)
                    values (\(school.hillside), \(school.id(.sam)), gen_random_uuid(), 'activities', 'production',
                            \(bundle), '[]', 1, now())
                    """)
            }
            let answer = try await school.post(school.path(.sam, "data-export"), as: .ada)
            let uploads = try #require(try unpacked(answer.body)["upload.ndjson"])
            #expect(uploads.contains("com.example.quiz") && !uploads.contains("tool:"))
            let erased = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(erased.json["counts"]?["upload"] == 2, "\(erased.text)")
        }
    }

    @Test func `the export leaves an event with the caller and the person`() async throws {
        try await withSchool { school in
            _ = try await school.post(school.path(.sam, "data-export"), as: .ada)
            let events = try await school.get("/v1/audit-events?kind=export", as: .ada)
            #expect(events.items.count == 1)
            #expect(events.items[0]["personId"]?.text == school.id(.ada).uuid.description)
            #expect(events.items[0]["subjectId"]?.text == school.id(.sam).uuid.description)
        }
    }

    @Test func `the export is for administrators of the same organization`() async throws {
        try await withSchool { school in
            let path = school.path(.sam, "data-export")
            for persona in [Persona.petra, .mara, .tom, .sam, .provisioner, .exporter, .samsApp] {
                let answer = try await school.post(path, as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
            #expect(try await school.post(path, as: .olga).status == 404)
            #expect(try await school.post(path, as: nil).status == 401)
            let keyed = try await school.send(
                "POST", path, as: .ada, headers: [("Idempotency-Key", "one")])
            #expect(keyed.status == 400, "the archive is not kept")
            let named = try await school.post("/v1/people/source:sis-sam/data-export", as: .ada)
            #expect(named.status == 200)
        }
    }
}
