import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// A key that several organizations registered: none falls behind, and none blocks the others.
@Suite struct SeveralOrganizations {
    private func registerElsewhere(_ team: Team, _ school: TestSchool) async throws {
        let answer = try await school.post("/v1/developer-teams", as: .olga, json: team.document)
        #expect(answer.status == 201)
    }

    /// The titles of an organization's catalog, whoever may see them.
    private func titles(
        _ organization: OrganizationID, _ school: TestSchool, environment: String = "production"
    ) throws -> [String] {
        try school.sql(
            """
            select title from school.context
             where organization_id = \(organization) and environment = \(environment)
               and deleted_at is null order by title
            """
        ).map { try $0.text("title") }
    }

    @Test func `an organization that registers a key later has what it published before`()
        async throws
    {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            for environment in ["production", "development"] {
                _ = try await school.publish(
                    [
                        team.context([], "River Maths", data: [("thumbnailId", "river")]),
                        team.context(["unit"], "Unit \(environment)"),
                    ], token: team.token(), environment: environment)
            }
            try school.sql(
                """
                insert into school.thumbnail (organization_id, environment, bundle_id, thumbnail_id,
                                              media_type, bytes)
                values (\(school.hillside), 'production', \(team.bundleIDs[0]), 'river', 'image/png', 'PNG')
                """)
            try await registerElsewhere(team, school)
            for environment in ["production", "development"] {
                #expect(
                    try titles(school.elsewhere, school, environment: environment)
                        == ["River Maths", "Unit \(environment)"])
            }
            let pictures = try school.sql(
                """
                select thumbnail_id from school.thumbnail where organization_id = \(school.elsewhere)
                """)
            #expect(pictures.count == 1)
            let child = try await school.publish(
                [team.context(["unit", "check"], "Check")], token: team.token())
            #expect(child.status == 201)
            #expect(try titles(school.elsewhere, school).contains("Check"))
            let apps = try await school.get("/v1/catalog/apps", as: .otto)
            #expect(apps.items.compactMap { $0["title"]?.text } == ["River Maths"])
        }
    }

    @Test func `a bundle id or key added later brings its contexts, too`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            _ = try await school.publish([team.context([], "River Maths")], token: team.token())
            var bare = team
            bare.bundleIDs = []
            try await registerElsewhere(bare, school)
            #expect(try titles(school.elsewhere, school).isEmpty)
            let answer = try await school.put(
                "/v1/developer-teams/\(team.id)", as: .olga, json: team.document)
            #expect(answer.status == 200)
            #expect(try titles(school.elsewhere, school) == ["River Maths"])
        }
    }

    @Test func `another key's contexts are not taken over`() async throws {
        try await withSchool { school in
            let impostor = Team()
            try await school.register(impostor)
            _ = try await school.publish(
                [impostor.context([], "Not River Maths")], token: impostor.token())
            let team = Team()
            // Hillside also registers the true key, and could thus pass as one of the team's organizations.
            let both: JSONValue = [
                "teamId": .text(team.id), "name": "River Maths Ltd",
                "bundleIds": .array(team.bundleIDs.map(JSONValue.text)),
                "keys": [
                    [
                        "keyId": .text(impostor.keyID),
                        "publicKey": .text(impostor.key.publicKey.pem),
                    ],
                    ["keyId": "TRUE", "publicKey": .text(team.key.publicKey.pem)],
                ],
            ]
            let replaced = try await school.put(
                "/v1/developer-teams/\(team.id)", as: .ada, json: both)
            #expect(replaced.status == 200)
            try await registerElsewhere(team, school)
            #expect(try titles(school.hillside, school) == ["Not River Maths"])
            #expect(try titles(school.elsewhere, school).isEmpty)
        }
    }

    @Test func `an organization that lacks a parent is skipped`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            try await registerElsewhere(team, school)
            _ = try await school.publish(
                [team.context([], "River Maths"), team.context(["unit"], "Unit")],
                token: team.token())
            try school.sql(
                """
                update school.context set deleted_at = now()
                 where organization_id = \(school.elsewhere) and title = 'Unit'
                """)
            let child = team.context(["unit", "check"], "Check")
            #expect(try await school.publish([child], token: team.token()).status == 201)
            #expect(try titles(school.hillside, school) == ["Check", "River Maths", "Unit"])
            #expect(try titles(school.elsewhere, school) == ["River Maths"])

            let orphan = [
                team.context(["whole"], "Whole"), team.context(["no", "parent"], "Orphan"),
            ]
            let refused = try await school.publish(orphan, token: team.token())
            #expect(refused.status == 400 && refused.code == "PARENT_NOT_FOUND")
            for organization in [school.hillside, school.elsewhere] {
                #expect(try !titles(organization, school).contains("Whole"), "all or none")
            }
        }
    }

    @Test func `an app that no organization takes is an error, whatever becomes of another`()
        async throws
    {
        try await withSchool { school in
            var team = Team()
            team.bundleIDs.append("org.example.lakes")
            try await school.register(team)
            var lakes = team
            lakes.bundleIDs = ["org.example.lakes"]
            try await registerElsewhere(lakes, school)
            _ = try await school.publish([lakes.context([], "Lakes")], token: team.token())
            let mixed = [
                team.context(["unit"], "Orphan of River Maths"),
                lakes.context(["unit"], "Unit of Lakes"),
            ]
            let refused = try await school.publish(mixed, token: team.token())
            #expect(refused.status == 400 && refused.code == "PARENT_NOT_FOUND")
            for organization in [school.hillside, school.elsewhere] {
                #expect(try titles(organization, school) == ["Lakes"])
            }
        }
    }
}
