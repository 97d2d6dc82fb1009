import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/handouts/{id}/students/{personId}")
struct StudentReportTests {
    private func attempts(
        _ school: TestSchool, _ handout: GivenHandout, of person: String, as persona: Persona = .tom
    ) async throws -> Answer {
        try await school.get("/v1/handouts/\(handout.id.uuid)/students/\(person)", as: persona)
    }

    @Test func `shows every attempt with every item, all but the newest final`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.result(30, progress: 0.75, seconds: 20, Item.score(5, of: 5)),
                school.attempt(
                    from: school.ago(90), to: .some(nil), seconds: 10, ranges: [],
                    primary: Item.score(1, of: 5),
                    additional: [Item.quantity(3, "b"), Item.quantity(4, "a")]),
            ])
            let answer = try await attempts(school, handout, of: school.id(.sam).uuid.description)
            #expect(answer.status == 200)
            #expect(answer.json["student"]?["givenName"]?.text == "Sam")
            let list = answer.json["tasks"]?[0]?["attempts"]
            #expect(list?.array?.count == 2)
            let first = list?[0]
            #expect(first?["isFinal"] == true)
            #expect(first?["stoppedAt"] == .null)
            #expect(first?["progress"] == .null)
            #expect(first?["primaryItem"]?["score"]?.int64 == 1)
            let others = first?["additionalItems"]?.array?.compactMap { $0["identifier"]?.text }
            #expect(others == ["b", "a"])
            let second = list?[1]
            #expect(second?["isFinal"] == false)
            #expect(agree(second?["progress"], 0.75))
            #expect(second?["additionalItems"] == [])
        }
    }

    @Test func `a student without attempts has tasks without attempts`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let answer = try await attempts(school, handout, of: "source:sis-sue")
            #expect(answer.status == 200)
            #expect(answer.json["student"]?["personId"]?.text == school.id(.sue).uuid.description)
            #expect(answer.json["tasks"]?[0]?["attempts"] == [])
        }
    }

    @Test func `who has nothing to do with the handout is not there`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(to: [.sue])
            for person in [Persona.sam, .ben, .cora, .omar] {
                let answer = try await attempts(
                    school, handout, of: school.id(person).uuid.description)
                #expect(answer.status == 404, "\(person)")
            }
            let unknown = try await attempts(school, handout, of: "source:nobody")
            #expect(unknown.status == 404)
            let malformed = try await attempts(school, handout, of: "sam")
            #expect(malformed.status == 404)
        }
    }

    @Test func `an attempt that did not count here is not shown and makes none final`()
        async throws
    {
        try await withSchool { school in
            let early = try school.newHandout(publishedAt: school.ago(100))
            try school.sql("update school.handout set locked_at = \(school.ago(60))")
            let late = try school.newHandout(by: .cora, publishedAt: school.ago(50))
            try await school.upload([school.result(90), school.result(40)])
            for handout in [early, late] {
                let answer = try await attempts(
                    school, handout, of: school.id(.sam).uuid.description)
                let list = answer.json["tasks"]?[0]?["attempts"]?.array ?? []
                #expect(list.count == 1)
                #expect(list.first?["isFinal"] == false)
            }
        }
    }
}
