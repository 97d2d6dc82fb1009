import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("/v1/developer/organizations")
struct DevelopersTests {
    private func path(_ organization: OrganizationID, _ rest: String = "") -> String {
        "/v1/developer/organizations/\(organization.uuid)/development\(rest)"
    }

    private func token(
        _ wish: JSONValue, _ school: TestSchool, _ team: Team
    ) async throws -> Answer {
        try await school.send(
            .post, path(school.hillside, "/tokens"), token: team.token(), body: wish.bytes)
    }

    @Test func `a developer turns an environment on, acts in it, resets it and turns it off`()
        async throws
    {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            let signed = team.token()
            let on = try await school.send(.put, path(school.hillside), token: signed)
            #expect(on.status == 201)
            let again = try await school.send(.put, path(school.hillside), token: signed)
            #expect(again.status == 200 && again.json == on.json)
            let read = try await school.send(.get, path(school.hillside), token: signed)
            #expect(read.json == on.json)
            let ada = try await school.get("/v1/development", as: .ada)
            #expect(ada.json == on.json, "there is one, whoever turned it on")

            let teacher = try await token(["role": "teacher"], school, team)
            #expect(teacher.status == 200)
            let me = try await school.send(
                .get, "/v1/me", token: teacher.json["accessToken"]?.text)
            #expect(me.json["standings"] == ["teacher"])
            let app: JSONValue = ["role": "student", "bundleId": .text(team.bundleIDs[0])]
            let appToken = try await token(app, school, team).json["accessToken"]?.text
            let contexts = try await school.send(
                .get, "/v1/me/contexts?path=%5B%5D", token: appToken)
            #expect(contexts.status == 200)

            let reset = try await school.send(
                .post, path(school.hillside, "/reset"), token: signed)
            #expect(reset.status == 204)
            let off = try await school.send(.delete, path(school.hillside), token: signed)
            #expect(off.status == 204)
            #expect(
                try await school.send(.get, "/v1/me/contexts?path=%5B%5D", token: appToken).status
                    == 401)
            let events = try await school.get(
                "/v1/audit-events?kind=developmentChange", as: .ada)
            let changes = events.items.compactMap { $0["details"]?["change"]?.text }
            #expect(changes == ["turnedOff", "reset", "token", "token", "turnedOn"])
            #expect(events.items.allSatisfy { $0["standing"] == "developer" })
            #expect(events.items.allSatisfy { $0["details"]?["teamId"]?.text == team.id })
        }
    }

    @Test func `impossible requests are refused in the words of the Catalog API`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            for (method, rest) in [
                (HTTPMethod.get, ""), (.delete, ""), (.post, "/reset"),
            ] {
                let off = try await school.send(
                    method, path(school.hillside, rest), token: team.token())
                #expect(off.status == 400 && off.code == "DEVELOPMENT_IS_OFF")
            }
            #expect(try await token(["role": "teacher"], school, team).code == "DEVELOPMENT_IS_OFF")
            _ = try await school.send(.put, path(school.hillside), token: team.token())
            let foreign: JSONValue = ["role": "student", "bundleId": "org.example.foreign"]
            for wish: JSONValue in [foreign, ["role": "administrator"], [:]] {
                let refused = try await token(wish, school, team)
                #expect(refused.status == 400 && refused.code == "INVALID_BODY")
            }
        }
    }

    @Test func `where the key is not registered a developer finds nothing`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            #expect(try await school.put("/v1/development", as: .olga).status == 201)
            let made = try await MadeUpSchool(school)
            let organizations = [school.elsewhere, made.organizationID, OrganizationID(.v7())]
            let calls: [(HTTPMethod, String)] = [
                (.get, ""), (.put, ""), (.delete, ""), (.post, "/reset"), (.post, "/tokens"),
            ]
            let body: JSONValue = ["role": "teacher"]
            for (method, rest) in calls {
                for organization in organizations {
                    let answer = try await school.send(
                        method, path(organization, rest), token: team.token(),
                        body: method == .post ? body.bytes : [])
                    #expect(answer.status == 403, "\(method) \(rest)")
                }
                let forged = Team().token()
                for wrong in [forged, Persona.tom.token, nil] {
                    let answer = try await school.send(
                        method, path(school.hillside, rest), token: wrong)
                    #expect(answer.status == 403, "\(method) \(rest)")
                }
            }
            #expect(try made.count("person") == 4, "nothing was removed")
        }
    }

    @Test func `each organization that registered the key has its own environment`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            #expect(
                try await school.post("/v1/developer-teams", as: .olga, json: team.document).status
                    == 201)
            let made = try await MadeUpSchool(school)
            _ = try await school.send(.put, path(school.elsewhere), token: team.token())
            let list = try await school.send(
                .get, "/v1/developer/organizations", token: team.token())
            let ids = list.json["items"]?.array?.compactMap { $0["organizationId"]?.text }
            #expect(ids == [school.hillside, school.elsewhere].map(\.uuid.description))
            _ = try await school.publish(
                [team.context([], "River Maths")], token: team.token(),
                environment: "development")
            let copies = try school.sql(
                """
                select count(distinct organization_id) as count from school.context
                 where environment = 'development'
                """)
            #expect(try copies[0].int("count") == 4)
            #expect(try await made.give([]).status == 201)
            let reset = try await school.send(
                .post, path(school.elsewhere, "/reset"), token: team.token())
            #expect(reset.status == 204)
            #expect(try made.count("handout") == 1, "the other one was reset")
        }
    }

    @Test func `teams and their contexts follow those of the organization`() async throws {
        try await withSchool { school in
            var team = Team()
            try await school.register(team)
            _ = try await school.publish(
                [team.context([], "River Maths")], token: team.token(),
                environment: "development")
            let made = try await MadeUpSchool(school)
            #expect(try made.count("context") == 1, "what was published before is there")
            team.bundleIDs.append("org.example.lakes")
            let teamPath = "/v1/developer-teams/\(team.id)"
            #expect(
                try await school.put(teamPath, as: .ada, json: team.document).status == 200)
            #expect(try made.count("developer_bundle") == 2)
            #expect(try made.count("developer_key") == 0, "keys belong to the organization")
            #expect(
                try await school.context(
                    [team.bundleIDs[0]], token: team.token(), method: "DELETE",
                    environment: "development"
                ).status == 204)
            let apps = try await school.send(
                .get, "/v1/catalog/apps?environment=development", token: made.teacher)
            #expect(apps.items.isEmpty)
            #expect(try await school.delete(teamPath, as: .ada).status == 204)
            #expect(try made.count("developer_team") == 0)
            let refused = try await school.publish(
                [team.context([], "River Maths")], token: team.token(),
                environment: "development")
            #expect(refused.status == 403)
        }
    }
}
