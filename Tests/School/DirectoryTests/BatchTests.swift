import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct BatchesOfTheDirectory {
    @Test func `a batch creates, then finds unchanged, then updates, in the order of the body`()
        async throws
    {
        try await withSchool { school in
            let first = try await school.post(
                "/v1/locations/batch", as: .provisioner,
                json: items([
                    ["sourceId": "b", "name": "Berg"],
                    ["sourceId": "a", "name": "Au", "timeZone": "Europe/Zurich"],
                ]))
            #expect(first.status == 200)
            #expect(first.outcomes == ["created", "created"])
            #expect(first.items.map { $0["sourceId"]?.text } == ["b", "a"])
            #expect(first.json["created"]?.int64 == 2)
            let second = try await school.post(
                "/v1/locations/batch", as: .provisioner,
                json: items([
                    ["sourceId": "a", "name": "Au"], ["sourceId": "c", "name": "Chur"],
                    ["sourceId": "b", "name": "Berg"],
                ]))
            #expect(second.outcomes == ["updated", "created", "unchanged"])
            #expect(second.items[0]["id"] == first.items[1]["id"])
            #expect(second.items[2]["id"] == first.items[0]["id"])
            let au = try await school.get("/v1/locations/source:a", as: .ada)
            #expect(au.json["timeZone"] == .null, "an absent field reverts to its default")
            #expect(au.header("etag") == "\"2\"")
            let berg = try await school.get("/v1/locations/source:b", as: .ada)
            #expect(berg.header("etag") == "\"1\"", "an unchanged one keeps its version")
        }
    }

    @Test func `items with a mistake are named, and the others are written`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/locations/batch", as: .ada, json: items(Self.mixed))
            #expect(answer.status == 200)
            #expect(
                answer.outcomes == [
                    "created", "problem", "problem", "problem", "problem", "problem", "created",
                ])
            let wrong = answer.items.map { item in
                (item["errors"]?.array ?? []).map {
                    "\($0["pointer"]?.text ?? "") \($0["code"]?.text ?? "")"
                }
            }
            #expect(
                wrong == [
                    [], ["/items/1/name blank"],
                    ["/items/2/timeZone unknown_time_zone"], ["/items/3/sourceId duplicate"],
                    ["/items/4 wrong_type"],
                    ["/items/5/colour unknown_field", "/items/5/sourceId missing"], [],
                ])
            #expect(answer.json["problems"]?.int64 == 5)
            let there = try await school.get("/v1/locations?sourceId=one", as: .ada)
            #expect(there.items.map { $0["name"]?.text } == ["One"], "the first of the two")
        }
    }

    private static let mixed: [JSONValue] = [
        ["sourceId": "one", "name": "One"], ["sourceId": "two", "name": "  "],
        ["sourceId": "three", "name": "Three", "timeZone": "Moon/Tycho"],
        ["sourceId": "one", "name": "One again"], "five",
        ["name": "Six", "colour": "red"], ["sourceId": "seven", "name": "Seven"],
    ]

    @Test func `all or nothing answers 422 with every mistake and writes nothing`() async throws {
        try await withSchool { school in
            let refused = try await school.post(
                "/v1/locations/batch?atomic=true", as: .ada, json: items(Self.mixed))
            #expect(refused.status == 422)
            #expect(
                Set(refused.pointers) == [
                    "/items/1/name", "/items/2/timeZone", "/items/3/sourceId", "/items/4",
                    "/items/5/colour", "/items/5/sourceId",
                ])
            #expect(try await school.get("/v1/locations", as: .ada).items.count == 1)
            let taken = try await school.post(
                "/v1/locations/batch?atomic=true", as: .ada,
                json: items([Self.mixed[0], Self.mixed[6]]))
            #expect(taken.status == 200)
            #expect(taken.outcomes == ["created", "created"])
        }
    }

    @Test func `a body that is not a batch is refused as a whole`() async throws {
        try await withSchool { school in
            let tooMany = (0...1000).map { number -> JSONValue in
                ["sourceId": .text("s\(number)"), "name": "X"]
            }
            let bodies: [JSONValue] = [
                items([]), items(tooMany), ["items": "all"], [], ["items": [], "more": 1], [:],
            ]
            for body in bodies {
                let answer = try await school.post("/v1/locations/batch", as: .ada, json: body)
                #expect(answer.status == 422)
                #expect(answer.code == "invalid_body")
            }
            let odd = try await school.post(
                "/v1/locations/batch?atomic=perhaps", as: .ada, json: items([Self.mixed[0]]))
            #expect(odd.status == 400)
            #expect(try await school.get("/v1/locations", as: .ada).items.count == 1)
            let full = try await school.post(
                "/v1/locations/batch", as: .ada, json: items(Array(tooMany.dropLast())))
            #expect(full.json["created"]?.int64 == 1000)
        }
    }

    @Test func `missing references and those of other organizations are refused alike`()
        async throws
    {
        try await withSchool { school in
            let elsewhere = TestIDs.elsewhereLocation.uuid.description
            #expect(
                try await school.get("/v1/locations/\(elsewhere)", as: .olga).status == 200)
            let answer = try await school.post(
                "/v1/courses/batch", as: .petra,
                json: items([
                    ["sourceId": "bio", "name": "Biology", "locationId": "source:main"],
                    ["sourceId": "che", "name": "Chemistry", "locationId": .text(elsewhere)],
                    ["sourceId": "phy", "name": "Physics", "locationId": "source:absent"],
                ]))
            #expect(answer.outcomes == ["created", "problem", "problem"])
            let codes = answer.items.dropFirst().map { $0["errors"]?[0]?["code"]?.text }
            #expect(codes == ["unknown_reference", "unknown_reference"])
            let again = try await school.post(
                "/v1/courses/batch", as: .petra,
                json: items([
                    [
                        "sourceId": "bio", "name": "Biology", "number": "B",
                        "locationId": "source:main",
                    ]
                ]))
            #expect(again.outcomes == ["updated"])
            #expect(again.items[0]["id"] == answer.items[0]["id"])
        }
    }

    @Test func `a repeated call with its key answers the same and does nothing`() async throws {
        try await withSchool { school in
            let body = items([["sourceId": "a", "name": "Au"]])
            let key = [("Idempotency-Key", "batch-1")]
            let first = try await school.post(
                "/v1/locations/batch", as: .ada, json: body, headers: key)
            let second = try await school.post(
                "/v1/locations/batch", as: .ada, json: body, headers: key)
            #expect(first.outcomes == ["created"])
            #expect(second.body == first.body)
            #expect(second.header("idempotency-replayed") == "true")
        }
    }

    @Test(arguments: [Persona.tom, .sam, .exporter, .samsApp])
    func `a batch is for those who may write the directory`(persona: Persona) async throws {
        try await withSchool { school in
            for kind in ["locations", "courses"] {
                let answer = try await school.post(
                    "/v1/\(kind)/batch", as: persona,
                    json: items([["sourceId": "a", "name": "Au", "locationId": "source:main"]]))
                #expect(answer.status == 403)
            }
        }
    }

    @Test func `concurrent batches create each item once, whatever their order`() async throws {
        try await withSchool { school in
            let sent = (0..<150).map { number -> JSONValue in
                ["sourceId": .text("s\(number)"), "name": .text("Location \(number)")]
            }
            let answers = try await withThrowingTaskGroup(of: [String].self) { group in
                for number in 0..<6 {
                    let order = number.isMultiple(of: 2) ? sent : sent.reversed()
                    group.addTask {
                        try await school.served {
                            try await school.post(
                                "/v1/locations/batch", as: .ada, json: items(order))
                        }.outcomes
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.count == 150 })
            let created = answers.flatMap { $0 }.filter { $0 == "created" }.count
            #expect(created == 150)
            let there = try school.sql(
                "select count(*)::int as n from school.location where source_id like 's%'")
            #expect(try there[0].int("n") == 150)
        }
    }
}

/// The body of a batch.
func items(_ items: [JSONValue]) -> JSONValue { ["items": .array(items)] }

extension Answer {
    /// The outcome of each item of a batch.
    var outcomes: [String] { items.compactMap { $0["outcome"]?.text } }
}
