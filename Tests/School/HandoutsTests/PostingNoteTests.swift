import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct PostingNotes {
    @Test func `giving says how many have no licence and whose progress is off, and never who`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let app = "/v1/apps/990011223"
            _ = try await school.put(
                app, as: .ada,
                json: [
                    "name": "Quizzler", "productType": "App", "bundleId": .text(school.quizzler),
                ])
            _ = try await school.put(
                app + "/pools/source:main", as: .ada, json: ["totalCount": 1])
            _ = try await school.post(
                app + "/licences", as: .ada, json: ["personIds": ["source:sis-sam"]])
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(school.id(.sue))"
            )
            let answer = try await school.give([TestSchool.map, school.capitals])
            let notes = try #require(answer.json["notes"]?.array)
            #expect(notes.map { $0["code"] } == ["no_licence", "progress_off"])
            #expect(
                notes.map { $0["text"]?.text } == [
                    "1 of 2 have no licence for this app.", "Progress is off for 1 of 2.",
                ])
            #expect(notes[0]["taskId"] == answer.json["tasks"]?[1]?["id"])
            #expect(!answer.text.contains(school.id(.sue).uuid.description))
            let link = try await school.give([TestSchool.map])
            #expect(link.json["notes"] == [], "a link needs neither")
        }
    }

    @Test func `only the recipients count`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            try school.sql(
                "update school.person set is_progress_paused = true where person_id = \(school.id(.sue))"
            )
            let handout = try await school.handout(
                recipients: [.text(school.id(.sam).uuid.description)])
            #expect(handout["notes"] == [])
            let wider = try await school.patch(
                school.path(handout), as: .tom, json: ["recipients": "class"])
            #expect(wider.json["notes"]?[0]?["text"] == "Progress is off for 1 of 2.")
        }
    }

    @Test func `a draft says nothing, and its publication says what is withdrawn or off for all`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let draft = try await school.handout(publishAt: nil)
            #expect(draft["notes"]?.isNull == true)
            try school.sql("update school.context set deleted_at = school.moment()")
            try school.sql("update school.organization set is_student_progress_enabled = false")
            let answer = try await school.put(school.path(draft, "/publication"), as: .tom)
            let notes = try #require(answer.json["notes"]?.array)
            #expect(notes.map { $0["code"] } == ["context_withdrawn", "progress_off"])
            #expect(notes[1]["text"] == "Progress is off for 2 of 2.")
        }
    }

    @Test func `a class without students has nobody to do it`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.seat set left_at = school.moment() where role = 'student'")
            let answer = try await school.give([TestSchool.map])
            #expect(answer.json["notes"]?[0]?["code"] == "no_students")
        }
    }
}
