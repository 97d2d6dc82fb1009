import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Nothing of a development environment meets production, in either direction.
@Suite struct DevelopmentIsolation {
    @Test func `made-up people reach nothing of production through the API`() async throws {
        try await withSchool { school in
            let madeUp = try await MadeUpSchool(school)
            let handout = try school.newHandout()
            let biology = school.biology.uuid.description
            let sam = Persona.sam.personID.uuid.description
            let paths = [
                "/v1/classes/\(biology)", "/v1/people/\(sam)",
                "/v1/handouts/\(handout.id.uuid)", "/v1/handouts/\(handout.id.uuid)/report",
                "/v1/classes/\(biology)/report", "/v1/classes/\(biology)/students",
                "/v1/classes/source:class-Biology",
            ]
            for path in paths {
                #expect(try await school.get(path, as: .tom).status == 200, "\(path) is there")
                let answer = try await school.send(.get, path, token: madeUp.teacher)
                #expect(answer.status == 404, "\(path)")
            }
            let classes = try await school.send(.get, "/v1/classes", token: madeUp.teacher)
            #expect(classes.items.map { $0["id"]?.text } == [madeUp.classID.uuid.description])
            let people = try await school.send(.get, "/v1/people", token: madeUp.teacher)
            #expect(people.items.allSatisfy { $0["familyName"] == "Development" })
            for wish: JSONValue in [
                ["classId": .text(biology)],
                [
                    "classId": .text(madeUp.classID.uuid.description),
                    "recipients": [.text(sam)],
                ],
            ] {
                var fields = wish.object ?? JSONObject()
                fields["title"] = "Meddling"
                fields["tasks"] = [["kind": "link", "url": "https://a.example", "title": "A"]]
                let answer = try await school.send(
                    .post, "/v1/handouts", token: madeUp.teacher,
                    body: JSONValue.object(fields).bytes)
                #expect(answer.status == 422)
            }
        }
    }

    @Test func `people in production see nobody made up`() async throws {
        try await withSchool { school in
            let madeUp = try await MadeUpSchool(school)
            let team = Team()
            try await school.register(team)
            _ = try await school.publish(
                [team.context([], "River Maths")], token: team.token(),
                environment: "development")
            let handout = try await madeUp.give([])
            #expect(handout.status == 201)
            let path = "/v1/handouts/\(handout.json["id"]?.text ?? "")"
            #expect(try await school.send(.get, path, token: madeUp.teacher).status == 200)
            for target in [path, "\(path)/report", "/v1/classes/\(madeUp.classID.uuid)"] {
                #expect(try await school.get(target, as: .tom).status == 404, "\(target)")
            }
            for persona in [Persona.ada, .petra, .mara, .provisioner] {
                for query in ["?q=Development", "?limit=1000"] {
                    let people = try await school.get("/v1/people\(query)", as: persona)
                    #expect(people.status == 200)
                    #expect(people.items.allSatisfy { $0["familyName"] != "Development" })
                }
                let classes = try await school.get("/v1/classes", as: persona)
                #expect(classes.items.allSatisfy { $0["name"] != "Development" })
            }
            let apps = try await school.get("/v1/catalog/apps", as: .tom)
            #expect(apps.items.isEmpty, "what is published for development stays out of production")
        }
    }

    /// Whose rows a caller sees in a table: how many of the environment, and how many of others.
    private func seen(
        _ table: String, _ madeUp: MadeUpSchool, as caller: Caller?
    ) throws -> (own: Int, others: Int) {
        let question: Statement = """
            select (xpath('//own/text()', x))[1]::text::bigint as own,
                   (xpath('//others/text()', x))[1]::text::bigint as others
              from query_to_xml(format(
                   'select count(*) filter (where organization_id = %1$L) as own,
                           count(*) filter (where organization_id <> %1$L) as others from school.%2$I',
                   \(madeUp.organizationID), \(table)), false, true, '') as x
            """
        do {
            let rows =
                try caller.map { try madeUp.school.sql(question, as: $0) }
                ?? madeUp.school.sql(question)
            return (try rows[0].int("own"), try rows[0].int("others"))
        } catch let error as PostgresError where error.sqlState == "42501" {
            return (0, 0)
        }
    }

    @Test func `the database shows neither side anything of the other`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            let madeUp = try await MadeUpSchool(school)
            for environment in ["development", "production"] {
                _ = try await school.publish(
                    [team.context([], "River Maths")], token: team.token(),
                    environment: environment)
            }
            #expect(try await madeUp.give([]).status == 201)
            #expect(try await madeUp.work(at: []).status == 202)
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            let people = try school.sql(
                """
                select person_id, role from school.person_role
                 where organization_id = \(madeUp.organizationID) order by role, person_id
                """)
            let inside = try people.map {
                Caller(
                    organizationID: madeUp.organizationID, personID: ID(try $0.uuid("person_id")),
                    standings: [try #require(Standing(rawValue: try $0.text("role")))],
                    environment: .development)
            }
            let outside = [Persona.ada, .petra, .tom, .sam, .exporter, .provisioner, .samsApp]
                .map(school.caller)
            let tables = try school.sql(
                """
                select c.relname::text as name from pg_class as c
                  join pg_attribute as a on a.attrelid = c.oid and a.attname = 'organization_id'
                 where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p')
                   and not c.relispartition
                """
            ).map { try $0.text("name") }
            var tablesOfBoth: Set<String> = []
            for table in tables {
                let all = try seen(table, madeUp, as: nil)
                if all.own > 0, all.others > 0 { tablesOfBoth.insert(table) }
                for caller in inside {
                    #expect(try seen(table, madeUp, as: caller).others == 0, "\(table)")
                }
                for caller in outside {
                    #expect(try seen(table, madeUp, as: caller).own == 0, "\(table)")
                }
            }
            #expect(
                tablesOfBoth.isSuperset(of: [
                    "person", "class", "seat", "handout", "task", "activity", "context",
                    "activity_assignment", "access_token", "developer_team",
                ]))
            let own = try inside.map { try seen("activity", madeUp, as: $0).own }
            #expect(own.sorted() == [0, 0, 1, 1], "the student and the teacher see it")
            #expect(try seen("context", madeUp, as: inside.last).own == 1)
        }
    }

    @Test func `production contexts are not there, whoever publishes them`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            _ = try await school.publish([team.context([], "River Maths")], token: team.token())
            let madeUp = try await MadeUpSchool(school)
            _ = try await school.publish(
                [team.context(["later"], "Later")], token: team.token())
            #expect(try madeUp.count("context") == 0)
            for environment in Environment.allCases {
                let apps = try await school.send(
                    .get, "/v1/catalog/apps?environment=\(environment.rawValue)",
                    token: madeUp.teacher)
                #expect(apps.items.isEmpty)
            }
            #expect(try await madeUp.give([]).status == 422)
        }
    }

    @Test func `nobody signs in as a made-up person`() async throws {
        try await withSchool { school in
            let madeUp = try await MadeUpSchool(school)
            let row = try school.sql(
                """
                select p.person_id, p.managed_id from school.person as p
                 where p.organization_id = \(madeUp.organizationID) and p.given_name = 'Student 1'
                """)[0]
            let student = try row.uuid("person_id")
            let password = try await school.send(
                .post, "/v1/people/\(student)/temporary-password", token: madeUp.teacher)
            #expect(password.status == 403)
            _ = try await school.send(
                .post, "/v1/sign-in-sheets", token: madeUp.teacher,
                body: (["classId": .text(madeUp.classID.uuid.description)] as JSONValue).bytes)
            #expect(try madeUp.count("credential") == 0)
            let signIn = try await school.post(
                "/v1/sign-in", as: nil,
                json: [
                    "managedId": .text(try row.text("managed_id")),
                    "password": .text(Persona.password),
                ])
            #expect(signIn.status == 401)
        }
    }

    @Test func `jobs that run over all organizations leave it out`() async throws {
        try await withSchool { school in
            let madeUp = try await MadeUpSchool(school)
            let here = try school.sql("select count(*) as count from school.organization")
            #expect(try here[0].int("count") == 3)
            let lists: [Statement] = [
                "select organization_id from school.exportable_organizations()",
                "select organization_id from school.doctor_organizations()",
            ]
            for list in lists {
                let ids = try school.sql(list).map { try $0.uuid("organization_id") }
                #expect(Set(ids) == [school.hillside.uuid, school.elsewhere.uuid])
            }
            let figures = try school.sql("select organizations from school.service_figures()")
            #expect(try figures[0].int("organizations") == 2)
            let token = try school.sql(
                """
                select school.create_token(\(madeUp.organizationID), sha256('token'), 'exporter', null,
                                           null, null, now() + interval '1 day') as outcome
                """)
            #expect(try token[0].text("outcome") == "unknownOrganization")
        }
    }

    @Test func `turned on many times at once, it is created once`() async throws {
        try await withSchool { school in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await school.put("/v1/development", as: .ada).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 200, 200, 200, 200, 201])
            let made = try school.sql("select count(*) as count from school.organization")
            #expect(try made[0].int("count") == 3)
        }
    }

    @Test func `a reset while students work leaves nothing half done`() async throws {
        try await withSchool { school in
            let team = Team()
            try await school.register(team)
            _ = try await school.publish(
                [team.context([], "River Maths")], token: team.token(),
                environment: "development")
            let madeUp = try await MadeUpSchool(school)
            for _ in 0..<3 {
                #expect(try await madeUp.give([]).status == 201)
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for turn in 0..<8 {
                        group.addTask {
                            guard turn == 4 else { return try await madeUp.work(at: []).status }
                            return try await school.post("/v1/development/reset", as: .ada).status
                        }
                    }
                    for try await status in group { #expect([202, 204].contains(status)) }
                }
                for table in ["handout", "task", "activity", "activity_assignment"] {
                    #expect(try madeUp.count(table) == 0, "\(table)")
                }
            }
        }
    }
}
