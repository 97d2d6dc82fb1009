import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ListEvents {
    @Test func `a denial is listed with its caller and address, and nobody else sees it`()
        async throws
    {
        try await withSchool { school in
            #expect(try await school.get("/v1/audit-events", as: .tom).status == 403)
            #expect(try await school.get("/v1/developer-teams", as: .sam).status == 403)
            let events = try await school.get("/v1/audit-events?kind=denial", as: .ada)
            #expect(
                events.items.map { $0["personId"]?.text }
                    == [Persona.sam, .tom].map {
                        $0.personID.uuid.description
                    })
            #expect(events.items.first?["details"]?["route"] == "/v1/developer-teams")
            #expect(events.items.first?["address"] == "127.0.0.1")
            #expect(
                events.items.first?["details"]?["requestId"] == nil,
                "what a client chose as the id may be a name")
            let elsewhere = try await school.get("/v1/audit-events", as: .olga)
            #expect(elsewhere.items.isEmpty)
        }
    }

    @Test func `events are filtered by person and moment, and come in pages`() async throws {
        try await withSchool { school in
            // Five calls: equal denials within a minute are one event.
            for path in [
                "audit-events", "developer-teams", "service-accounts", "exports", "checks",
            ] {
                #expect(try await school.get("/v1/\(path)", as: .tom).status == 403)
            }
            _ = try await school.get("/v1/audit-events", as: .sam)
            let toms = "/v1/audit-events?personId=\(school.id(.tom).uuid)&limit=2"
            var ids: [String?] = []
            var target = toms
            while true {
                let page = try await school.get(target, as: .ada)
                ids += page.items.map { $0["id"]?.text }
                guard let token = page.json["nextPageToken"]?.text else { break }
                target = "\(toms)&pageToken=\(token)"
            }
            #expect(ids.count == 5)
            #expect(Set(ids).count == 5)
            var oldest: [String?] = []
            target = "\(toms)&order=oldest"
            while true {
                let page = try await school.get(target, as: .ada)
                oldest += page.items.map { $0["id"]?.text }
                guard let token = page.json["nextPageToken"]?.text else { break }
                target = "\(toms)&order=oldest&pageToken=\(token)"
            }
            #expect(oldest == ids.reversed())
            let future = "/v1/audit-events?since=2999-01-01T00:00:00Z"
            #expect(try await school.get(future, as: .ada).items.isEmpty)
            #expect(try await school.get("/v1/audit-events?kind=gossip", as: .ada).status == 400)
        }
    }

    @Test func `filters combine, and a page token belongs to its filters`() async throws {
        try await withSchool { school in
            for persona in [Persona.sam, .sue, .sam] {
                _ = try await school.post(
                    "/v1/people/\(school.id(persona).uuid)/temporary-password", as: .ada)
            }
            _ = try await school.get("/v1/audit-events", as: .sam)
            let sam = "subjectId=\(school.id(.sam).uuid)"
            let list = "/v1/audit-events?limit=1&kind=temporaryPassword&\(sam)"
            let first = try await school.get(list, as: .ada)
            #expect(first.items.count == 1)
            let token = try #require(first.json["nextPageToken"]?.text)
            let second = try await school.get("\(list)&pageToken=\(token)", as: .ada)
            #expect(second.items.count == 1)
            #expect(second.items != first.items)
            #expect(second.json["nextPageToken"] == nil)
            let other = try await school.get(
                "/v1/audit-events?limit=1&kind=denial&\(sam)&pageToken=\(token)", as: .ada)
            #expect(other.status == 400)

            let at = try #require(second.items[0]["at"]?.text)
            let before = try await school.get("\(list)&until=\(at)", as: .ada)
            #expect(before.items.isEmpty)
            let later = try await school.get(
                "/v1/audit-events?kind=temporaryPassword&\(sam)&since=\(at)", as: .ada)
            #expect(later.items.count == 2)
        }
    }

    @Test func `events hold ids and words, and nobody's name`() async throws {
        try await withSchool { school in
            let names = ["Zebulon", "Quastenflosser", "zebulon@zoo.example", "Elephants", "zoo-7"]
            let made = try await school.post(
                "/v1/people", as: .ada,
                json: [
                    "givenName": "Zebulon", "familyName": "Quastenflosser", "sourceId": "zoo-7",
                    "email": "zebulon@zoo.example",
                    "roles": [
                        [
                            "role": "teacher",
                            "locationId": .text(school.mainLocation.uuid.description),
                        ]
                    ],
                ])
            let id = try #require(made.json["id"]?.text)
            let managedID = try #require(made.json["managedId"]?.text)
            let calls: [(HTTPMethod, String, JSONValue?)] = [
                ("PATCH", "/v1/people/source:zoo-7", ["familyName": "Elephants"]),
                ("PATCH", "/v1/people/source:zoo-7", ["managedId": "zebulon2@hillside.example"]),
                ("PATCH", "/v1/organization", ["name": "Elephants"]),
                ("PUT", "/v1/classes/\(school.biology.uuid)/teachers", ["personIds": [.text(id)]]),
                ("POST", "/v1/people/source:zoo-7/temporary-password", nil),
                ("POST", "/v1/people/source:zoo-7/progress-pause", nil),
                ("POST", "/v1/people/source:zoo-7/data-export", nil),
                ("POST", "/v1/people/source:zoo-7/erasure", nil),
            ]
            for (method, path, body) in calls {
                let answer = try await school.send(
                    method, path, as: .ada, body: body?.bytes ?? [])
                #expect(answer.status == 200, "\(path) \(answer.text)")
            }
            _ = try await school.post("/v1/people/source:zoo-7/erasure", as: .tom)
            let signIn: JSONValue = ["managedId": .text(managedID), "password": "wrong"]
            _ = try await school.post("/v1/sign-in", as: nil, json: signIn)
            let events = try school.sql("select e::text as event from school.audit_event as e")
            #expect(events.count >= 10)
            for event in try events.map({ try $0.text("event") }) {
                for name in names + [managedID] { #expect(!event.contains(name), "\(event)") }
            }
        }
    }
}
