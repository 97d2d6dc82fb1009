import JSONBytes
import School
import TestKit
import Testing

@Suite struct BrowseCatalog {
    let team = Team()

    private func publishTree(_ school: TestSchool) async throws {
        try await school.register(team)
        var contexts = [
            team.context([], "River Maths", data: [("topic", "math")]),
            team.context([], "Mathe am Fluss", locale: "de"),
            team.context(["unit-1"], "Unit 1", data: [("displayOrder", 2)]),
            team.context(["unit-1"], "Einheit 1", locale: "de", data: [("displayOrder", 2)]),
            team.context(["unit-0"], "Unit 0", data: [("displayOrder", 1)]),
        ]
        contexts += (0..<5).map { team.context(["unit-1", "q\($0)"], "Quiz \($0)") }
        #expect(try await school.publish(contexts, token: team.token()).status == 201)
    }

    private let children = "/v1/catalog/apps/org.example.rivermaths/contexts"

    @Test func `children come in display order with an inherited topic`() async throws {
        try await withSchool { school in
            try await publishTree(school)
            let answer = try await school.get(
                children, as: .tom, headers: [("Accept-Language", "en")])
            #expect(answer.items.map { $0["title"] } == ["Unit 0", "Unit 1"])
            #expect(answer.items.map { $0["topic"] } == ["math", "math"])
            #expect(answer.items.map { $0["hasChildren"] } == [false, true])
        }
    }

    @Test func `the best locale is shown, once per path`() async throws {
        try await withSchool { school in
            try await publishTree(school)
            let answer = try await school.get(
                children, as: .tom,
                headers: [("Accept-Language", "fr;q=0.9, de-AT;q=0.8, en;q=0.1")])
            #expect(answer.items.map { $0["title"] } == ["Unit 0", "Einheit 1"])
        }
    }

    @Test func `pages continue where the last one ended`() async throws {
        try await withSchool { school in
            try await publishTree(school)
            var target = children + "?path=%5B%22unit-1%22%5D&limit=2"
            var titles: [JSONValue?] = []
            while true {
                let answer = try await school.get(target, as: .tom)
                titles += answer.items.map { $0["title"] }
                guard let token = answer.json["nextPageToken"]?.text else { break }
                target = children + "?path=%5B%22unit-1%22%5D&limit=2&pageToken=\(token)"
            }
            #expect(titles == (0..<5).map { "Quiz \($0)" })
        }
    }

    @Test func `students may not read the catalog, and strangers see a different one`()
        async throws
    {
        try await withSchool { school in
            try await publishTree(school)
            #expect(try await school.get(children, as: .sam).status == 403)
            #expect(try await school.get(children, as: .samsApp).status == 403)
            #expect(try await school.get(children, as: .otto).status == 404)
            #expect(
                try await school.get(children + "?path=%5B%22nowhere%22%5D", as: .tom).status == 404
            )
            #expect(try await school.get(children + "?path=nonsense", as: .tom).status == 400)
        }
    }
}

@Suite struct DeveloperTeams {
    let team = Team()

    @Test func `a team is registered, read, replaced and removed`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let path = "/v1/developer-teams/\(team.id)"
            let read = try await school.get(path, as: .ada)
            #expect(read.json["bundleIds"] == ["org.example.rivermaths"])
            #expect(read.header("etag") != nil)
            var changed = team
            changed.bundleIDs = ["org.example.rivermaths", "org.example.lakes"]
            let stale = try await school.put(
                path, as: .ada, json: changed.document, headers: [("If-Match", "\"999\"")])
            #expect(stale.status == 412)
            let replaced = try await school.put(
                path, as: .ada, json: changed.document,
                headers: [("If-Match", try #require(read.header("etag")))])
            #expect(replaced.json["bundleIds"] == ["org.example.lakes", "org.example.rivermaths"])
            #expect(replaced.header("etag") != read.header("etag"))
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.get(path, as: .ada).status == 404)
        }
    }

    @Test func `an invalid team is refused with a reason`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let again = try await school.post("/v1/developer-teams", as: .ada, json: team.document)
            #expect(again.status == 409)
            #expect(again.code == "team_exists")
            var thief: JSONValue = [
                "teamId": "T2", "name": "Thief", "bundleIds": ["org.example.rivermaths"],
                "keys": [],
            ]
            let taken = try await school.post("/v1/developer-teams", as: .ada, json: thief)
            #expect(taken.code == "bundle_id_taken")
            thief = [
                "teamId": "T3", "name": "Keyless", "bundleIds": [],
                "keys": [["keyId": "K1", "publicKey": "no key"]],
            ]
            let keyless = try await school.post("/v1/developer-teams", as: .ada, json: thief)
            #expect(keyless.status == 422)
            #expect(keyless.pointers == ["/keys/0/publicKey"])
        }
    }

    @Test(arguments: [Persona.tom, .petra, .sam, .provisioner, .samsApp])
    func `only administrators may`(persona: Persona) async throws {
        try await withSchool { school in
            try await school.register(team)
            #expect(try await school.get("/v1/developer-teams", as: persona).status == 403)
            let answer = try await school.post(
                "/v1/developer-teams", as: persona, json: team.document)
            #expect(answer.status == 403)
        }
    }

    @Test func `another organization's team is not found`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let path = "/v1/developer-teams/\(team.id)"
            #expect(try await school.get(path, as: .ada).status == 200)
            #expect(try await school.get(path, as: .olga).status == 404)
        }
    }
}
