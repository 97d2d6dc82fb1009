import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Returns {
    private static let path = "/v1/apps/\(TestSchool.quizzlerID)/return"

    @Test func `people give theirs back, and those without one are skipped`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(3)
            #expect(try await school.grant(school.people(.sam, .sue)).status == 201)
            let all = school.people(.sam, .sue, .ben)
            let answer = try await school.post(Self.path, as: .ada, json: all)
            #expect(answer.status == 200)
            #expect(answer.int("returnedCount") == 2)
            #expect(
                Set(answer.items.compactMap { $0["personId"]?.text })
                    == [school.id(.sam).uuid.description, school.id(.sue).uuid.description])
            #expect(try await school.counts() == [3, 0, 3])
            let again = try await school.post(Self.path, as: .ada, json: all)
            #expect(again.status == 200)
            #expect(again.int("returnedCount") == 0)
            #expect(try school.poolsThatDoNotAddUp() == 0)
            let events = try school.details(of: "licenceChange")
            #expect(events.map { $0["returned"] ?? 0 } == [0, 2], "doing nothing leaves no event")
        }
    }

    @Test func `a class and devices give theirs back, from one pool if it is named`()
        async throws
    {
        try await withSchool { school in
            try await school.buyQuizzler(3)
            try await school.addAnnex()
            try await school.buy(2, of: TestSchool.quizzlerID, at: "source:annex")
            #expect(try await school.grant(school.people(.sam, .ben)).status == 201)
            let annex: JSONValue = [
                "personIds": ["source:sis-sue"], "locationId": "source:annex",
            ]
            #expect(try await school.grant(annex).status == 201)
            let devices: JSONValue = [
                "serialNumbers": ["TABLET-1", "TABLET-2"], "locationId": "source:annex",
            ]
            let few = try await school.grant(devices)
            #expect(few.status == 409)
            let device: JSONValue = ["serialNumbers": ["TABLET-1"], "locationId": "source:annex"]
            #expect(try await school.grant(device).status == 201)

            let biology: JSONValue = .text(school.biology.uuid.description)
            let main = try await school.post(
                Self.path, as: .ada, json: ["classId": biology, "locationId": "source:main"])
            #expect(main.items.map { $0["personId"] } == [.text(school.id(.sam).uuid.description)])
            let rest = try await school.post(Self.path, as: .ada, json: ["classId": biology])
            #expect(rest.items.map { $0["personId"] } == [.text(school.id(.sue).uuid.description)])
            #expect(try await school.counts() == [5, 2, 3], "Ben sits in another class")
            let tablet = try await school.post(
                Self.path, as: .ada, json: ["serialNumbers": ["tablet-1", "TABLET-9"]])
            #expect(tablet.items.map { $0["serialNumber"] } == ["TABLET-1"])
            #expect(try school.poolsThatDoNotAddUp() == 0)
        }
    }

    @Test func `one mistake, and nobody gives anything back`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(2)
            #expect(try await school.grant(school.people(.sam)).status == 201)
            let wrong: [(JSONValue, [String])] = [
                (["personIds": ["source:sis-sam", "source:nobody"]], ["/personIds/1"]),
                (["personIds": ["source:sis-sam"], "locationId": "source:no"], ["/locationId"]),
                (["classId": "source:absent"], ["/classId"]),
                (["serialNumbers": ["A1", "no serial"]], ["/serialNumbers/1"]),
                (
                    ["personIds": ["source:sis-sam"], "classId": "source:class-Biology"],
                    ["/classId"]
                ),
            ]
            for (body, pointers) in wrong {
                let answer = try await school.post(Self.path, as: .ada, json: body)
                #expect(answer.status == 422)
                #expect(answer.pointers == pointers)
            }
            #expect(try await school.counts() == [2, 1, 1])
            let body = school.people(.sam)
            #expect(try await school.post(Self.path, as: .tom, json: body).status == 403)
            #expect(try await school.post(Self.path, as: .olga, json: body).status == 404)
            #expect(try await school.post("/v1/apps/1/return", as: .ada, json: body).status == 404)
        }
    }

    @Test func `nobody gives back books`() async throws {
        try await withSchool { school in
            try await school.buyNovel(1)
            #expect(
                try await school.grant(school.people(.sam), of: TestSchool.novelID).status == 201)
            let answer = try await school.post(
                "/v1/apps/\(TestSchool.novelID)/return", as: .ada, json: school.people(.sam))
            #expect(answer.status == 409)
            #expect(answer.code == "not_revocable")
            #expect(try await school.counts("/v1/apps/\(TestSchool.novelID)") == [1, 1, 0])
        }
    }
}

@Suite struct OwnLicences {
    @Test func `people read their own licences and nobody else's`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(3)
            try await school.buyNovel(2)
            #expect(try await school.grant(school.people(.sam, .sue)).status == 201)
            #expect(
                try await school.grant(school.people(.sam), of: TestSchool.novelID).status == 201)
            let sams = try await school.get("/v1/me/licences", as: .sam)
            #expect(sams.status == 200)
            #expect(sams.items.map { $0["name"] } == ["Quizzler", "Novel"])
            #expect(sams.items.first?["bundleId"] == .text(school.quizzler))
            #expect(sams.items.last?["productType"] == "Book")
            let first = try await school.get("/v1/me/licences?limit=1", as: .sam)
            let token = try #require(first.text("nextPageToken"))
            let second = try await school.get(
                "/v1/me/licences?limit=1&pageToken=\(token)", as: .sam)
            #expect(second.items == [sams.items[1]])
            let sues = try await school.get("/v1/me/licences", as: .sue)
            #expect(sues.items.map { $0["adamId"] } == [.text(TestSchool.quizzlerID)])
            for persona in [Persona.ben, .tom, .ada] {
                let none = try await school.get("/v1/me/licences", as: persona)
                #expect(none.status == 200)
                #expect(none.items.isEmpty, "\(persona)")
            }
            for persona in [Persona.samsApp, .provisioner, .exporter] {
                let refused = try await school.get("/v1/me/licences", as: persona)
                #expect(refused.status == 403, "\(persona)")
            }
        }
    }
}
