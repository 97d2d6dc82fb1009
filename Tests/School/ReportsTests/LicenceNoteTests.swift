import JSONBytes
import School
import TestKit
import Testing
import Values

@Suite struct LicenceNotes {
    @Test func `a report says how many lack a licence for an app that the school bought`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            let before = try await school.report(handout).json.noteCodes
            #expect(before == ["nothing_reported"], "the school may not need licences for it")
            let app = "/v1/apps/990011223"
            let bought = try await school.put(
                app, as: .ada,
                json: [
                    "name": "Quizzler", "productType": "App", "bundleId": .text(school.quizzler),
                ])
            #expect(bought.status == 201)
            _ = try await school.put(
                app + "/pools/source:main", as: .ada, json: ["totalCount": 5])
            try await school.expectUnlicensed(2, in: handout)
            let sam = try await school.post(
                app + "/licences", as: .ada, json: ["personIds": ["source:sis-sam"]])
            #expect(sam.status == 201)
            try await school.expectUnlicensed(1, in: handout)
            let everybody = try await school.post(
                app + "/licences", as: .ada, json: ["classId": "source:class-Biology"])
            #expect(everybody.status == 201)
            #expect(try await school.report(handout).json.noteCodes == ["nothing_reported"])
        }
    }

    @Test func `where devices hold the app nothing is said about students`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let app = "/v1/apps/990011223"
            _ = try await school.put(
                app, as: .ada,
                json: [
                    "name": "Quizzler", "productType": "App", "bundleId": .text(school.quizzler),
                ])
            _ = try await school.put(
                app + "/pools/source:main", as: .ada, json: ["totalCount": 5])
            try await school.expectUnlicensed(2, in: handout)
            let device = try await school.post(
                app + "/licences", as: .ada, json: ["serialNumbers": ["TABLET-1"]])
            #expect(device.status == 201)
            #expect(try await school.report(handout).json.noteCodes == ["nothing_reported"])
        }
    }
}

extension TestSchool {
    fileprivate func expectUnlicensed(_ count: Int, in handout: GivenHandout) async throws {
        let notes = try await report(handout).json["notes"]?.array ?? []
        let note = notes.first { $0["code"] == "no_licence" }
        #expect(note?["text"]?.text?.hasPrefix("\(count) of the students") == true)
        #expect(note?["taskId"]?.text == handout.task.uuid.description)
    }
}
