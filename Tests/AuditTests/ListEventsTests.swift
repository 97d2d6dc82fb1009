import JSONBytes
import School
import TestKit
import Testing
import Values

@Suite struct ListEvents {
    @Test func `what was denied is told, by whom and from where, and to nobody else`() async throws
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
            let elsewhere = try await school.get("/v1/audit-events", as: .olga)
            #expect(elsewhere.items.isEmpty)
        }
    }

    @Test func `events are narrowed by person and moment, and page through`() async throws {
        try await withSchool { school in
            for _ in 0..<5 { _ = try await school.get("/v1/audit-events", as: .tom) }
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
            let future = "/v1/audit-events?since=2999-01-01T00:00:00Z"
            #expect(try await school.get(future, as: .ada).items.isEmpty)
            #expect(try await school.get("/v1/audit-events?kind=gossip", as: .ada).status == 400)
        }
    }
}
