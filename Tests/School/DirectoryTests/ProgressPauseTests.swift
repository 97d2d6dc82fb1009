import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct StudentProgressSwitch {
    @Test
    func `off for one student deletes their progress and stores nothing until it is on again`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            try await school.upload([school.attempt()], as: .suesApp)
            let path = "/v1/people/\(school.id(.sam).uuid)/progress-pause"
            let paused = try await school.post(path, as: .petra)
            #expect(paused.status == 200)
            #expect(paused.json["progressPaused"] == true)
            #expect(try school.storedCount() == 0)
            #expect(try school.storedCount(of: .sue) == 1)
            let recorded = try school.sql(
                "select from school.deletion where kind = 'activity' and person_id = \(school.id(.sam))"
            )
            #expect(recorded.count == 1)

            #expect(try await school.upload([school.attempt()]).status == 202)
            #expect(try school.storedCount() == 0)
            let again = try await school.send("DELETE", path, as: .petra)
            #expect(again.json["progressPaused"] == false)
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `the list of people is narrowed to those for whom it is off`() async throws {
        try await withSchool { school in
            for persona in [Persona.sam, .ben] {
                let path = "/v1/people/\(school.id(persona).uuid)/progress-pause"
                #expect(try await school.post(path, as: .ada).status == 200)
            }
            func ids(_ query: String, as persona: Persona) async throws -> Set<String> {
                Set(try await school.page("/v1/people?\(query)", as: persona).ids)
            }
            let (sam, ben) = (school.id(.sam).uuid.description, school.id(.ben).uuid.description)
            #expect(try await ids("progressPaused=true", as: .ada) == [sam, ben])
            #expect(try await ids("progressPaused=true", as: .tom) == [sam])
            #expect(try await ids("progressPaused=true", as: .olga) == [])
            let others = try await ids("progressPaused=false", as: .ada)
            #expect(others.contains(school.id(.sue).uuid.description))
            #expect(others.isDisjoint(with: [sam, ben]))
            #expect(try await ids("", as: .ada) == others.union([sam, ben]))
            #expect(try await school.get("/v1/people?progressPaused=x", as: .ada).status == 400)
        }
    }

    @Test func `switching twice is the same as switching once`() async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(.sam).uuid)/progress-pause"
            let first = try await school.post(path, as: .ada)
            let second = try await school.post(path, as: .ada)
            #expect(second.body == first.body)
            let events = try await school.get(
                "/v1/audit-events?kind=studentProgressChange", as: .ada)
            #expect(events.items.map { $0["details"] } == [["paused": true]])
            #expect(events.items[0]["subjectId"]?.text == school.id(.sam).uuid.description)
        }
    }

    @Test func `those who may switch it, for people of their organization`() async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(.sam).uuid)/progress-pause"
            for persona in [Persona.mara, .tom, .sam, .provisioner, .exporter, .samsApp] {
                #expect(try await school.post(path, as: persona).status == 403, "\(persona)")
                #expect(
                    try await school.send("DELETE", path, as: persona).status == 403, "\(persona)")
            }
            #expect(try await school.post(path, as: .olga).status == 404)
            let named = try await school.post(
                "/v1/people/source:sis-sam/progress-pause", as: .ada)
            #expect(named.status == 200)
        }
    }

    @Test func `off for the organization pauses, and keeps existing progress`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            let off: JSONValue = ["studentProgress": ["enabled": false, "onDisable": "pause"]]
            #expect(try await school.patch("/v1/organization", as: .petra, json: off).status == 403)
            #expect(try await school.patch("/v1/organization", as: .ada, json: off).status == 200)
            #expect(try await school.upload([school.attempt()]).status == 202)
            #expect(try school.storedCount() == 1, "kept, and nothing new")
            #expect(try school.sql("select from school.deletion").count == 0)
            let on: JSONValue = ["studentProgress": ["enabled": true]]
            _ = try await school.patch("/v1/organization", as: .ada, json: on)
            try await school.upload([school.attempt()])
            #expect(try school.storedCount() == 2)
        }
    }

    @Test func `off for the organization deletes, and the export reports each deletion`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt(), school.attempt()])
            try await school.upload([school.attempt()], as: .suesApp)
            let off: JSONValue = ["studentProgress": ["enabled": false, "onDisable": "delete"]]
            _ = try await school.patch("/v1/organization", as: .ada, json: off)
            #expect(try school.sql("select from school.activity").count == 0)
            #expect(try school.sql("select from school.activity_item").count == 0)
            let recorded = try school.sql("select from school.deletion where kind = 'activity'")
            #expect(recorded.count == 3)
            #expect(try await school.upload([school.attempt()]).status == 202)
            #expect(try school.storedCount() == 0)
        }
    }
}
