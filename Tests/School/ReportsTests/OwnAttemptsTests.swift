import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/me/handouts/{id}/attempts")
struct OwnAttemptsTests {
    private func own(
        _ school: TestSchool, _ handout: GivenHandout, as persona: Persona?, _ query: String = ""
    ) async throws -> Answer {
        try await school.get("/v1/me/handouts/\(handout.id.uuid)/attempts\(query)", as: persona)
    }

    @Test func `students read of their attempts what the teacher reads`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.result(60, progress: 0.75, seconds: 20, Item.score(2, of: 5)),
                school.attempt(
                    from: school.ago(40), to: .some(school.ago(30)), primary: Item.score(5, of: 5),
                    additional: [Item.quantity(3, "b")]),
            ])
            try await school.upload([school.attempt(seconds: 7)], as: .suesApp)
            let toms = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/students/source:sis-sam", as: .tom
            ).json
            let sams = try await own(school, handout, as: .sam).json
            let attempts = sams["tasks"]?[0]?["attempts"]?.array ?? []
            #expect(attempts.map { $0["primaryItem"]?["score"]?.int64 } == [2, 5])
            #expect(attempts.last?["additionalItems"]?[0]?["identifier"] == "b")
            for name in ["handout", "student", "tasks", "notes"] {
                #expect(sams[name] == toms[name], "\(name)")
            }
            let sues = try await own(school, handout, as: .sue).json
            #expect(sues["student"]?["givenName"] == "Sue")
            #expect(sues["tasks"]?[0]?["attempts"]?.array?.count == 1)
        }
    }

    @Test func `attempts come in pages`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.result(60), school.result(40)])
            let first = try await own(school, handout, as: .sam, "?limit=1")
            let second = try await school.get(try #require(nextTarget(first)), as: .sam)
            let starts = [first, second].map {
                $0.json["tasks"]?[0]?["attempts"]?[0]?["startedAt"]?.text
            }
            let toms =
                try await school.get(
                    "/v1/handouts/\(handout.id.uuid)/students/source:sis-sam", as: .tom
                ).json["tasks"]?[0]?["attempts"]?.array ?? []
            #expect(starts.count == 2 && starts == toms.map { $0["startedAt"]?.text })
            #expect(nextTarget(second) == nil)
            let token = try #require(first.json["nextPageToken"]?.text)
            let other = try school.newHandout(path: ["other"])
            let foreign = try await own(school, other, as: .sam, "?pageToken=\(token)")
            #expect(foreign.status == 400)
        }
    }

    @Test func `a handout that one does not have is not there`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(to: [.sam])
            try await school.upload([school.attempt()])
            #expect(try await own(school, handout, as: .sam).status == 200)
            for persona in [Persona.sue, .ben, .omar] {
                #expect(try await own(school, handout, as: persona).status == 404, "\(persona)")
            }
            for persona in [Persona.tom, .ada, .petra, .exporter, .samsApp] {
                #expect(try await own(school, handout, as: persona).status == 403, "\(persona)")
            }
            #expect(try await own(school, handout, as: nil).status == 401)
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.sam))")
            #expect(try school.storedCount() == 1)
            #expect(try await own(school, handout, as: .sam).status == 404)
        }
    }
}
