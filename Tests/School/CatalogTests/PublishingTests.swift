import Crypto
import JSONBytes
import School
import TestKit
import Testing

@Suite struct PublishContexts {
    let team = Team()

    @Test func `published contexts read back as the samples show them`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let posted = try await school.publish(
                [
                    team.context(
                        ["unit-2", "check-1"], "Ratios check",
                        data: [
                            ("displayOrder", "7"), ("suggestedAge", [10, "12"]),
                            ("suggestedCompletionTime", [5, 9_223_372_036_854_775_807]),
                            ("progressReportingCapabilities", [["kind": "score"]]),
                        ], metadata: [("keywords", ["ratio"])]),
                    team.context(["unit-2"], "Unit 2", data: [("isAssignable", false)]),
                    team.context([], "River Maths"),
                ], token: team.token())
            #expect(posted.status == 201)
            #expect(posted.body.isEmpty)
            let answer = try await school.context(
                ["org.example.rivermaths", "unit-2", "check-1"], token: team.token())
            #expect(answer.status == 200)
            let context = answer.json["contexts"]?[0]
            #expect(context?["data"]?["displayOrder"] == "7")
            #expect(context?["data"]?["suggestedAge"] == ["10", "12"])
            #expect(
                context?["data"]?["suggestedCompletionTime"] == ["5", "9223372036854775807"])
            #expect(context?["data"]?["progressReportingCapabilities"]?[0]?["kind"] == "score")
            #expect(context?["data"]?["progressReportingCapabilities"]?[1]?["kind"] == "duration")
            #expect(context?["metadata"]?["presentableLocales"] == ["en-gb"])
            #expect(
                context?["metadata"]?["presentablePaths"]
                    == [["path": ["org.example.rivermaths", "unit-2"]]])
        }
    }

    @Test func `publishing again replaces, in this environment only`() async throws {
        try await withSchool { school in
            try await school.register(team)
            for title in ["One", "Two"] {
                #expect(
                    try await school.publish([team.context([], title)], token: team.token())
                        .status == 201)
            }
            let path = ["org.example.rivermaths"]
            let production = try await school.context(path, token: team.token())
            #expect(production.json["contexts"]?[0]?["data"]?["title"] == "Two")
            let development = try await school.context(
                path, token: team.token(), environment: "development")
            #expect(development.status == 400)
            #expect(development.code == "CONTEXT_NOT_FOUND")
        }
    }

    @Test func `no body is read for a token that no registered key verifies`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let known = try await school.publish([.null], token: team.token())
            #expect(known.status == 400)
            #expect(known.code == "INVALID_BODY", "the same body is read for the team")
            for token in [
                team.token(key: ES256PrivateKey()), team.token(keyID: "K000000000"), "no",
            ] {
                let answer = try await school.publish([.null], token: token)
                #expect(answer.status == 403)
                #expect(answer.code == "NOT_AUTHORIZED")
            }
        }
    }

    @Test func `a call is published whole or not at all`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let answer = try await school.publish(
                [team.context([], "River Maths"), team.context(["no", "parent"], "Lost")],
                token: team.token())
            #expect(answer.status == 400)
            #expect(answer.code == "PARENT_NOT_FOUND")
            let root = try await school.context(["org.example.rivermaths"], token: team.token())
            #expect(root.code == "CONTEXT_NOT_FOUND")
        }
    }

    @Test func `deleting takes the descendants along and nothing else`() async throws {
        try await withSchool { school in
            try await school.register(team)
            _ = try await school.publish(
                [
                    team.context([], "River Maths"), team.context(["a"], "A"),
                    team.context(["a", "b"], "B"), team.context(["c"], "C"),
                    team.context([], "Mathe am Fluss", locale: "de"),
                ], token: team.token())
            let bundleID = "org.example.rivermaths"
            let token = team.token()
            let deleted = try await school.context([bundleID, "a"], token: token, method: "DELETE")
            #expect(deleted.status == 204)
            #expect(try await school.context([bundleID, "a", "b"], token: token).status == 400)
            #expect(try await school.context([bundleID, "c"], token: token).status == 200)
            #expect(try await school.context([bundleID], locale: "de", token: token).status == 200)
            let again = try await school.context([bundleID, "a"], token: token, method: "DELETE")
            #expect(again.code == "CONTEXT_NOT_FOUND")
        }
    }

    @Test func `mistakes are refused in the words of the Catalog API`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let deep = (1...8).map { "level-\($0)" }
            let many = (0..<201).map { team.context(["q\($0)"], "Quiz \($0)") }
            let cases: [([JSONValue], String)] = [
                ([team.context(deep, "Nine levels")], "INVALID_BODY"),
                (many, "TOO_MANY_CONTEXTS"), ([], "INVALID_BODY"),
                ([team.context([], " ")], "INVALID_BODY"),
                ([team.context([String(repeating: "x", count: 240)], "Long")], "INVALID_BODY"),
                ([team.context([], "A", data: [("topic", "cooking")])], "INVALID_BODY"),
                ([team.context([], "A", data: [("displayOrder", "first")])], "INVALID_BODY"),
                ([team.context([], "A", data: [("suggestedAge", [12, 10])])], "INVALID_BODY"),
                ([team.context([], "A"), team.context([], "B")], "INVALID_BODY"),
            ]
            for (contexts, code) in cases {
                let answer = try await school.publish(contexts, token: team.token())
                #expect(answer.status == 400)
                #expect(answer.code == code)
                #expect(answer.json["message"]?.text?.isEmpty == false)
            }
        }
    }
}

@Suite struct DeveloperTokens {
    let team = Team()

    @Test func `only a token of a registered key, for one of its bundle ids, gives access`()
        async throws
    {
        try await withSchool { school in
            try await school.register(team)
            let context = team.context([], "River Maths")
            #expect(try await school.publish([context], token: team.token()).status == 201)
            let unsigned =
                Base64.encodeURL(Array(#"{"alg":"none","kid":"K7Q2M9X4ZT"}"#.utf8)) + "."
                + team.token().split(separator: ".")[1] + "."
            let refused = [
                team.token(minutes: 62), team.token(minutes: 10, issuedBefore: 700),
                team.token(issuedBefore: -120), team.token(issuer: "T000000000"),
                team.token(keyID: "K000000000"), team.token(key: ES256PrivateKey()), unsigned,
                "nonsense", Persona.ada.token,
            ]
            for token in refused {
                let answer = try await school.publish([context], token: token)
                #expect(answer.status == 403)
                #expect(answer.code == "NOT_AUTHORIZED")
            }
            var other = Team()
            other.bundleIDs = ["com.somebody.else"]
            let foreign = try await school.publish(
                [other.context([], "Not ours")], token: team.token())
            #expect(foreign.status == 403)
            let mixed = try await school.publish(
                [context, other.context([], "Not ours")], token: team.token())
            #expect(mixed.status == 403)
            #expect(mixed.code == "NOT_AUTHORIZED", "owning one bundle id is not enough")
        }
    }

    @Test func `one token serves many calls until its key is removed`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let token = team.token()
            for title in ["One", "Two", "Three"] {
                let answer = try await school.publish([team.context([], title)], token: token)
                #expect(answer.status == 201)
            }
            let removed = try await school.delete("/v1/developer-teams/\(team.id)", as: .ada)
            #expect(removed.status == 204)
            let answer = try await school.publish([team.context([], "Four")], token: token)
            #expect(answer.status == 403)
        }
    }

    @Test func `a key registered nowhere else writes nowhere else`() async throws {
        try await withSchool { school in
            try await school.register(team)
            _ = try await school.publish([team.context([], "River Maths")], token: team.token())
            let own = try await school.get("/v1/catalog/apps", as: .tom)
            #expect(own.items.map { $0["bundleId"] } == ["org.example.rivermaths"])
            let elsewhere = try await school.get("/v1/catalog/apps", as: .otto)
            #expect(elsewhere.items.isEmpty)
        }
    }
}
