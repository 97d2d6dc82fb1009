import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// The Catalog API to the letter: what it accepts and in which words it refuses.
@Suite struct CatalogWire {
    let team = Team()

    @Test(arguments: [
        "/v1/contexts?locale=en&identifierPath=%5B%22a%22%5D",
        "/v1/contexts?environment=staging&locale=en&identifierPath=%5B%22a%22%5D",
        "/v1/contexts?environment=production&identifierPath=%5B%22a%22%5D",
        "/v1/contexts?environment=production&locale=en",
        "/v1/contexts?environment=production&locale=en&identifierPath=a",
        "/v1/contexts?environment=production&locale=en&identifierPath=%5B%5D",
        "/v1/contexts?environment=production&locale=en&identifierPath=%5B%22a%22%5D&page=1",
    ]) func `a query without required parameters is refused with id, code and message`(
        target: String
    ) async throws {
        try await withSchool { school in
            try await school.register(team)
            for method in ["GET", "DELETE"] {
                let answer = try await school.send(
                    method == "GET" ? .get : .delete, target, token: team.token())
                #expect(answer.status == 400)
                #expect(answer.code == "INVALID_PARAMETER")
                #expect(answer.json.object?.keys == ["id", "code", "message"])
                #expect(answer.header("content-type") == "application/json")
            }
        }
    }

    @Test func `a body of another type or that is not JSON is refused in the same form`()
        async throws
    {
        try await withSchool { school in
            try await school.register(team)
            for (body, type) in [
                ("{", "application/json"), ("", "application/json"), ("{}", "text/plain"),
            ] {
                let answer = try await school.send(
                    .post, "/v1/contexts?environment=production", token: team.token(),
                    body: Array(body.utf8), headers: [("Content-Type", type)])
                #expect(answer.status == 400)
                #expect(answer.code == "INVALID_BODY")
                #expect(answer.json.object?.keys == ["id", "code", "message"])
            }
            let nowhere = try await school.send(
                .post, "/v1/contexts", token: team.token(), body: Array("{}".utf8))
            #expect(nowhere.code == "INVALID_PARAMETER")
        }
    }

    @Test func `a value at a limit is accepted, and a value beyond it is not`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let bundle = team.bundleIDs[0].count
            let deep = (1...7).map { "l\($0)" }
            let chain = (0..<7).map { team.context(Array(deep.prefix($0)), "Level") }
            #expect(try await school.publish(chain, token: team.token()).status == 201)
            let title = String(repeating: "t", count: 256)
            let summary = String(repeating: "s", count: 4000)
            let path = String(repeating: "p", count: 256 - bundle)
            let taken = [
                team.context(deep, "Eight levels"),
                team.context([path], title, data: [("summary", .text(summary))]),
                team.context(
                    ["open"], "Open",
                    data: [
                        ("suggestedAge", [3, "9223372036854775806"]), ("displayOrder", "-1.5e1"),
                        ("suggestedCompletionTime", [0, 0]),
                    ]),
            ]
            #expect(try await school.publish(taken, token: team.token()).status == 201)
            let refused = [
                team.context(deep + ["l8"], "Nine levels"),
                team.context([path + "p"], "Too long"), team.context(["a"], title + "t"),
                team.context(["a"], "A", data: [("summary", .text(summary + "s"))]),
                team.context(["a"], "A", data: [("displayOrder", "0x10")]),
                team.context(["a"], "A", data: [("displayOrder", " 1")]),
                team.context(["a"], "A", data: [("suggestedAge", [1])]),
                team.context(["a"], "A", data: [("suggestedAge", [-1, 3])]),
                team.context(["a"], "A", data: [("type", "app")]),
                team.context(["a"], "A", locale: "English please"),
                team.context(["a"], "A", metadata: [("minimumBundleVersion", "4.x")]),
                team.context(["a"], "A", metadata: [("minimumBundleVersion", "4..2")]),
            ]
            for context in refused {
                let answer = try await school.publish([context], token: team.token())
                #expect(answer.status == 400, "\(context)")
                #expect(answer.code == "INVALID_BODY", "\(context)")
            }
        }
    }

    @Test func `numbers come back as text, and omitted values with their defaults`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let posted = [
                team.context([], "River Maths"),
                team.context(
                    ["open"], "Open", locale: "en_US",
                    data: [
                        ("suggestedAge", [3, "9223372036854775806"]), ("displayOrder", "2.50"),
                        ("suggestedCompletionTime", [0, 0]), ("customTypeName", "Ignored"),
                        (
                            "progressReportingCapabilities",
                            [
                                ["kind": "score", "details": "First"],
                                ["kind": "score", "details": "Second"],
                            ]
                        ),
                    ]), team.context([], "River Maths", locale: "en-us"),
            ]
            #expect(try await school.publish(posted, token: team.token()).status == 201)
            let answer = try await school.context(
                [team.bundleIDs[0], "open"], locale: "en-US", token: team.token())
            let data = answer.json["contexts"]?[0]?["data"]
            #expect(data?["suggestedAge"] == ["3", "9223372036854775807"])
            #expect(data?["suggestedCompletionTime"] == ["0", "0"])
            #expect(data?["displayOrder"] == "2.5")
            #expect(data?["isAssignable"] == true)
            #expect(data?["customTypeName"] == nil)
            #expect(
                data?["progressReportingCapabilities"] == [
                    ["kind": "score", "details": "First"], ["kind": "duration", "details": ""],
                ])
            #expect(answer.json["contexts"]?[0]?["metadata"]?["locale"] == "en-us")
            let root = try await school.context([team.bundleIDs[0]], token: team.token())
            #expect(root.json["contexts"]?[0]?["data"]?["displayOrder"] == "0")
            #expect(
                root.json["contexts"]?[0]?["data"]?["suggestedAge"]
                    == ["0", "9223372036854775807"])
        }
    }

    @Test func `versions of a context are never shown in the same locale`() async throws {
        try await withSchool { school in
            try await school.register(team)
            func root(_ locale: String, _ shown: JSONValue? = nil) -> JSONValue {
                team.context(
                    [], "River Maths", locale: locale,
                    metadata: shown.map { [("presentableLocales", $0)] } ?? [])
            }
            let fitting = [root("en-gb", ["en-gb", "en-au"]), root("de")]
            #expect(try await school.publish(fitting, token: team.token()).status == 201)
            let overlapping: [[JSONValue]] = [
                [root("en-au")], [root("fr", ["fr", "EN_AU"])], [root("fr", ["mul"])],
                [root("it"), root("es", ["es", "it"])],
            ]
            for contexts in overlapping {
                let answer = try await school.publish(contexts, token: team.token())
                #expect(answer.status == 400)
                #expect(answer.code == "OVERLAPPING_LOCALES")
            }
            let mixed = try await school.publish([root("fr", ["mul", "fr"])], token: team.token())
            #expect(mixed.code == "INVALID_BODY", "mul stands alone")
            #expect(
                try await school.publish([root("de", ["de", "fr"])], token: team.token()).status
                    == 201, "a version does not overlap with its former self")
            let alone = try await school.context(
                [team.bundleIDs[0]], locale: "fr", token: team.token())
            #expect(alone.code == "CONTEXT_NOT_FOUND", "nothing of the refused calls is left")
        }
    }

    @Test func `a call may hold contexts of several apps of the team`() async throws {
        try await withSchool { school in
            var both = team
            both.bundleIDs.append("org.example.lakes")
            try await school.register(both)
            var lakes = both
            lakes.bundleIDs = ["org.example.lakes"]
            let posted = try await school.publish(
                [team.context([], "River Maths"), lakes.context([], "Lakes")], token: both.token())
            #expect(posted.status == 201)
            let apps = try await school.get("/v1/catalog/apps", as: .tom)
            #expect(apps.items.map { $0["title"] } == ["Lakes", "River Maths"])
            var stranger = both
            stranger.bundleIDs = ["org.example.oceans"]
            let refused = try await school.publish(
                [team.context([], "New title"), stranger.context([], "Oceans")],
                token: both.token())
            #expect(refused.status == 403)
            let root = try await school.context([team.bundleIDs[0]], token: both.token())
            #expect(root.json["contexts"]?[0]?["data"]?["title"] == "River Maths")
        }
    }
}

@Suite struct CatalogOfSeveralOrganizations {
    let team = Team()

    @Test func `a call is written everywhere, and a call that no organization accepts nowhere`()
        async throws
    {
        try await withSchool { school in
            try await school.register(team)
            let root = team.context([], "River Maths")
            #expect(try await school.publish([root], token: team.token()).status == 201)
            let registered = try await school.post(
                "/v1/developer-teams", as: .olga, json: team.document)
            #expect(registered.status == 201)

            let child = team.context(["unit-1"], "Unit 1")
            let orphan = team.context(["unit-2", "check-1"], "Check 1")
            let refused = try await school.publish([child, orphan], token: team.token())
            #expect(refused.code == "PARENT_NOT_FOUND")
            for persona in [Persona.tom, .otto] {
                let left = try await school.get(
                    "/v1/catalog/apps/org.example.rivermaths/contexts", as: persona)
                #expect(left.items.isEmpty)
            }

            #expect(try await school.publish([root, child], token: team.token()).status == 201)
            for persona in [Persona.tom, .otto] {
                let answer = try await school.get(
                    "/v1/catalog/apps/org.example.rivermaths/contexts", as: persona)
                #expect(answer.items.map { $0["title"] } == ["Unit 1"])
            }
            let deleted = try await school.context(
                [team.bundleIDs[0], "unit-1"], token: team.token(), method: "DELETE")
            #expect(deleted.status == 204)
            for persona in [Persona.tom, .otto] {
                let answer = try await school.get(
                    "/v1/catalog/apps/org.example.rivermaths/contexts", as: persona)
                #expect(answer.items.isEmpty)
            }
        }
    }
}

@Suite struct ManyChildren {
    let team = Team()

    /// Adds children, bypassing every check.
    private func fill(_ school: TestSchool, _ count: Int) throws {
        try school.sql(
            """
            insert into school.context (organization_id, context_id, environment, bundle_id, identifier_path,
                                        locale, title, type)
            select \(school.hillside), gen_random_uuid(), 'production', 'org.example.rivermaths',
                   array['filled-' || n], 'en-gb', 'Filled', 'quiz'
              from generate_series(1, \(count)) as n
            """)
    }

    @Test func `a context has at most 2,000 children in a locale, however they arrive`()
        async throws
    {
        try await withSchool { school in
            try await school.register(team)
            let token = team.token()
            let tree = [
                team.context([], "River Maths"), team.context([], "Mathe", locale: "de"),
                team.context(["a"], "A"), team.context(["a", "b"], "B"),
            ]
            #expect(try await school.publish(tree, token: token).status == 201)
            try fill(school, 1998)
            #expect(
                try await school.publish([team.context(["last"], "Last")], token: token).status
                    == 201)
            let beyond = try await school.publish([team.context(["more"], "More")], token: token)
            #expect(beyond.code == "TOO_MANY_CHILDREN")
            let shown = try await school.publish(
                [
                    team.context(
                        ["a", "b"], "B",
                        metadata: [("presentablePaths", [["path": ["org.example.rivermaths"]]])])
                ], token: token)
            #expect(
                shown.code == "TOO_MANY_CHILDREN", "contexts shown there by other paths count, too")
            #expect(
                try await school.publish([team.context(["last"], "Again")], token: token).status
                    == 201)
            #expect(
                try await school.publish(
                    [team.context(["mehr"], "Mehr", locale: "de")], token: token
                )
                .status == 201, "another locale has its own limit")
        }
    }

    @Test func `when two calls compete for the last free child, one gets it`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let token = team.token()
            let root = try await school.publish([team.context([], "River Maths")], token: token)
            #expect(root.status == 201)
            try fill(school, 1999)
            async let first = school.publish([team.context(["x"], "X")], token: token)
            async let second = school.publish([team.context(["y"], "Y")], token: token)
            #expect(try await [first.status, second.status].sorted() == [201, 400])
        }
    }
}
