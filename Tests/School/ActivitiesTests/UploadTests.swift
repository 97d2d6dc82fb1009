import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("POST /v1/activities")
struct UploadTests {
    private let score: JSONValue = [
        "kind": "score", "identifier": "s", "title": "Score", "score": 7, "maxScore": 10,
    ]

    private let tiny = JSONValue(floatLiteral: .leastNonzeroMagnitude)

    @Test func `assigned work is stored with all its figures`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let id = UUID(milliseconds: 1, random: (1, 1))
            let answer = try await school.upload([
                school.attempt(
                    id, seconds: 90, ranges: [[0, 0.25], [0.5, 0.75]], primary: score,
                    additional: [
                        [
                            "kind": "quantity", "identifier": "q", "title": "Hints",
                            "quantity": -2.5,
                        ],
                        [
                            "kind": "binary", "identifier": "b", "title": "Passed", "value": true,
                            "valueType": "passFail",
                        ],
                    ])
            ])
            #expect(answer.status == 202)
            #expect(answer.body == Array("{}".utf8))
            let stored = try school.sql("select * from school.activity")
            try #require(stored.count == 1)
            #expect(try stored[0].uuid("activity_id") == id)
            #expect(try stored[0].text("bundle_id") == school.quizzler)
            let items = try school.sql(
                "select * from school.activity_item order by position")
            #expect(try items.map { try $0.text("identifier") } == ["s", "q", "b"])
            #expect(try items.map { try $0.bool("is_primary") } == [true, false, false])
            #expect(try items[1].double("quantity") == -2.5)
            let links = try school.sql("select * from school.activity_assignment")
            #expect(try links.map { try $0.uuid("task_id") } == [handout.task.uuid])
            #expect(try links[0].double("progress") == 0.5)
            #expect(try links[0].double("duration_seconds") == 90)
        }
    }

    @Test func `an empty upload is accepted`() async throws {
        try await withSchool { school in
            let answer = try await school.upload([])
            #expect(answer.status == 202)
        }
    }

    @Test func `one upload takes five hundred activities and no more`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let many = (0..<500).map { _ in school.attempt(primary: score) }
            let answer = try await school.upload(many)
            #expect(answer.status == 202, "\(answer.text)")
            #expect(try school.storedCount() == 500)
            let refused = try await school.upload(many + [school.attempt()])
            #expect(refused.status == 422)
            #expect(refused.pointers == ["/activities"])
        }
    }

    @Test func `malformed activities are named by their pointers, and the others are accepted`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            for (number, (activity, pointer)) in malformed(school).enumerated() {
                let answer = try await school.upload([school.attempt(), activity])
                #expect(answer.status == 202, "\(pointer)")
                let refused = answer.json["refused"]?.array ?? []
                #expect(refused.map { $0["pointer"]?.text } == ["/activities/1" + pointer])
                #expect(refused.first?["id"] == activity["id"])
                for name in ["code", "detail"] {
                    #expect((refused.first?[name]?.text ?? "").count > 3)
                }
                #expect(try school.storedCount() == number + 1)
            }
        }
    }

    @Test func `a figure of the world is taken as ours, and nothing else of the attempt is lost`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let nothing: JSONValue = [
                "kind": "score", "identifier": "s", "title": "Score", "score": 0, "maxScore": 0,
            ]
            let sent: [(JSONValue, String)] = [
                (school.attempt(primary: changed("score", 11)), "10 10"),
                (school.attempt(primary: changed("score", -1)), "0 10"),
                (school.attempt(primary: changed("score", tiny)), "0 10"),
                (school.attempt(primary: nothing), ""),
            ]
            for (activity, item) in sent {
                let answer = try await school.upload([activity])
                #expect(answer.status == 202 && answer.json["refused"] == nil, "\(answer.text)")
                #expect(try school.storedCount() >= 1)
                let items = try school.sql(
                    """
                    select concat_ws(' ', score, max_score) as item from school.activity_item
                     where activity_id = \(activity["id"]?.text ?? "")::uuid
                    """)
                #expect(try items.map { try $0.text("item") } == (item.isEmpty ? [] : [item]))
            }
            let tenths = school.attempt(ranges: [[0, 1.0000000000000002]])
            let answer = try await school.upload([tenths])
            #expect(answer.status == 202 && answer.json["refused"] == nil, "\(answer.text)")
            #expect(try school.storedCount() == sent.count + 1)
        }
    }

    /// Malformed activities, and where they are malformed.
    private func malformed(_ school: TestSchool) -> [(JSONValue, String)] {
        let badWord: JSONValue = [
            "kind": "binary", "identifier": "b", "title": "B", "value": true,
            "valueType": "upDown",
        ]
        let times: [(JSONValue, String)] = [
            (school.attempt(from: school.ago(10), to: .some(school.ago(20))), "/stoppedAt"),
            (school.attempt(from: Timestamp(milliseconds: -1)), "/startedAt"),
            (school.attempt(seconds: -1), "/durationSeconds"),
            (school.attempt(at: ["", "x"]), "/identifierPath/0"),
            (school.attempt(at: Array(repeating: "x", count: 8)), "/identifierPath"),
        ]
        let ranges: [([[Double]], String)] = [
            ([[0, 0.5], [0.5, 0.5]], "/1"), ([[0.6, 0.5]], "/0"), ([[0, 1.01]], "/0/1"),
            ([[-0.1, 0.5]], "/0/0"), ([[0.1]], "/0"),
        ]
        let items: [(JSONValue, String)] = [
            (changed("score", "7"), "/score"), (changed("maxScore", -1), "/maxScore"),
            (changed("maxScore", 0), "/maxScore"), (changed("kind", "time"), "/kind"),
            (changed("extra", 1), "/extra"),
            (changed("maxScore", 1e300), "/maxScore"), (changed("maxScore", 1e-10), "/maxScore"),
        ]
        return times
            + ranges.map { (school.attempt(ranges: $0), "/progressRanges" + $1) }
            + items.map { (school.attempt(primary: $0), "/primaryItem" + $1) } + [
                (
                    school.attempt(primary: score, additional: [score]),
                    "/additionalItems/0/identifier"
                ),
                (school.attempt(additional: [badWord]), "/additionalItems/0/valueType"),
            ]
    }

    @Test func `the same input is refused whether or not it is assigned`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let sent: [JSONValue] = [
                7, ["id": "no id"], school.attempt(primary: changed("kind", "time")),
            ]
            let assigned = try await school.upload(sent)
            let elsewhere = try await school.upload(sent, as: .bensApp)
            let teachers = try await school.upload(sent, as: .tomsApp)
            #expect(assigned.json["refused"]?.array?.count == 3)
            #expect(assigned.json["refused"]?[0]?["id"] == .null)
            #expect(assigned.json["refused"]?[1]?["id"] == "no id")
            for answer in [elsewhere, teachers] {
                #expect(answer.status == assigned.status)
                #expect(answer.body == assigned.body)
            }
        }
    }

    @Test func `a body that is not an upload is refused as a whole`() async throws {
        try await withSchool { school in
            let bodies: [(JSONValue, String)] = [
                ([:], "/activities"), (["activities": 1], "/activities"),
                (["activities": [], "more": 1], "/more"),
                (["activities": [], "sentAt": "now"], "/sentAt"),
                (["activities": [], "sentAt": "1969-12-31T23:59:59.000Z"], "/sentAt"),
            ]
            for (body, pointer) in bodies {
                let answer = try await school.post("/v1/activities", as: .samsApp, json: body)
                #expect(answer.status == 422)
                #expect(answer.pointers == [pointer])
            }
            let text = try await school.send(
                "POST", "/v1/activities", as: .samsApp, body: Array("{".utf8))
            #expect(text.status == 400)
        }
    }

    @Test func `more than ten thousand ranges are refused`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let ranges = (0..<10_000).map { [Double($0) / 16_384, Double($0 + 1) / 16_384] }
            let answer = try await school.upload([school.attempt(ranges: ranges)])
            #expect(answer.status == 202, "\(answer.text)")
            let stored = try school.sql("select progress from school.activity_assignment")
            try #require(stored.count == 1)
            #expect(try stored[0].double("progress") == 10_000.0 / 16_384)
            let refused = try await school.upload([school.attempt(ranges: ranges + [[0, 1]])])
            let pointers = refused.json["refused"]?.array?.map { $0["pointer"]?.text }
            #expect(pointers == ["/activities/0/progressRanges"])
        }
    }

    @Test func `numbers that no column can hold do not break it`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let text = school.attempt(ranges: [[0, 0.5]]).documentText.replacing(
                "0.5", with: "1e-99999")
            let answer = try await school.send(
                "POST", "/v1/activities", as: .samsApp,
                body: Array("{\"activities\":[\(text)]}".utf8))
            #expect([202, 400].contains(answer.status))
            #expect(try school.storedCount() == 0)
        }
    }

    @Test func `the smallest and the largest figures are accepted, and nothing beyond them`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            func refusal(_ quantity: Double) async throws -> String? {
                let item: JSONValue = [
                    "kind": "quantity", "identifier": "q", "title": "Q",
                    "quantity": JSONValue(floatLiteral: quantity),
                ]
                let answer = try await school.upload([school.attempt(primary: item)])
                return answer.json["refused"]?[0]?["pointer"]?.text
            }
            for figure in [0, 1e-9, -1e-9, 1e12, -1e12] {
                #expect(try await refusal(figure) == nil, "\(figure)")
            }
            for figure in [9.9e-10, -9.9e-10, 1.01e12, -1.01e12] {
                let pointer = try await refusal(figure)
                #expect(pointer == "/activities/0/primaryItem/quantity", "\(figure)")
            }
            #expect(try school.storedCount() == 5)
        }
    }

    @Test func `only apps may report`() async throws {
        try await withSchool { school in
            for persona in [Persona.sam, .tom, .ada, .provisioner, .exporter, .omar] {
                let answer = try await school.upload([], as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
            let answer = try await school.post(
                "/v1/activities", as: nil, json: ["activities": []])
            #expect(answer.status == 401)
        }
    }

    private func changed(_ field: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var object) = score else { return score }
        object[field] = value
        return .object(object)
    }
}

extension JSONValue {
    /// The document as text.
    fileprivate var documentText: String { String(decoding: bytes, as: UTF8.self) }
}
