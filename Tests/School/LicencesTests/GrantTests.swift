import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Grants {
    private static let licences = "/v1/apps/\(TestSchool.quizzlerID)/licences"

    @Test func `people get licences, and those who have one keep it free of charge`() async throws {
        try await withSchool { school in
            try school.makeMaraContentManager()
            try await school.buyQuizzler(3)
            let first = try await school.grant(school.people(.sam), as: .mara)
            #expect(first.status == 201)
            #expect(first.holders("created") == [school.id(.sam).uuid.description])
            #expect(first.int("createdCount") == 1)
            let second = try await school.grant(
                ["personIds": ["source:sis-sam", "source:sis-sue", "source:sis-sue"]])
            #expect(second.status == 201)
            #expect(second.holders("created") == [school.id(.sue).uuid.description])
            #expect(second.holders("unchanged") == [school.id(.sam).uuid.description])
            #expect(second.int("unchangedCount") == 1)
            let third = try await school.grant(school.people(.sam, .sue))
            #expect(third.status == 200)
            #expect(third.int("createdCount") == 0)
            #expect(try await school.counts() == [3, 2, 1])
            #expect(try school.details(of: "licenceChange").map { $0["granted"] } == [1, 1])
            let events = try school.sql(
                """
                select standing from school.audit_event where kind = 'licenceChange'
                 order by arrived_at, event_id
                """)
            #expect(
                try events.map { try $0.text("standing") } == ["contentManager", "administrator"])
        }
    }

    @Test func `a person being deactivated gets none, even at the same moment`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(2)
            let other = try BlockingConnection(school.ownerURL)
            try other.execute("begin")
            let changed = try other.query(
                "update school.person set deactivated_at = school.moment() where person_id = \(school.id(.sam))"
            )
            #expect(changed.affected == 1)
            let answer = try await school.grant(school.people(.sam))
            #expect(answer.status == 503, "\(answer.text)")
            try other.execute("commit")
            let held = try school.sql(
                "select from school.licence where person_id = \(school.id(.sam))")
            #expect(held.count == 0)
            #expect(try await school.grant(school.people(.sue)).status == 201)
        }
    }

    @Test func `too few for all means none for anyone, and the answer has the numbers`()
        async throws
    {
        try await withSchool { school in
            try await school.buyQuizzler(2)
            #expect(try await school.grant(school.people(.sam)).status == 201)
            let answer = try await school.grant(school.people(.sam, .sue, .ben))
            #expect(answer.status == 409)
            #expect(answer.code == "too_few_licences")
            #expect(
                answer.text("detail")
                    == "1 left and 2 needed at the location \(school.mainLocation.uuid).")
            #expect(answer.pointers == ["/personIds"])
            #expect(try await school.counts() == [2, 1, 1])
        }
    }

    @Test func `a class is granted what its current students need`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            let body: JSONValue = ["classId": .text(school.biology.uuid.description)]
            let granted = try await school.grant(body)
            #expect(granted.status == 201)
            #expect(
                granted.holders("created")
                    == [school.id(.sam).uuid.description, school.id(.sue).uuid.description])
            let joined = try await school.put(
                "/v1/classes/source:class-Biology/students/source:sis-ben", as: .ada)
            #expect(joined.status == 201)
            #expect(try await school.counts() == [5, 2, 3], "later members get none automatically")
            let again = try await school.grant(body)
            #expect(again.holders("created") == [school.id(.ben).uuid.description])
            let absent = try await school.grant(["classId": "source:absent"])
            #expect(absent.pointers == ["/classId"])
        }
    }

    @Test func `devices hold device licences`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(2)
            try await school.buyNovel(2)
            let body: JSONValue = ["serialNumbers": ["dmpx90sample1", "DMPX90SAMPLE1"]]
            let granted = try await school.grant(body)
            #expect(granted.status == 201)
            #expect(granted.holders("created") == ["DMPX90SAMPLE1"])
            #expect(try await school.grant(body).holders("unchanged") == ["DMPX90SAMPLE1"])
            let book = try await school.grant(body, of: TestSchool.novelID)
            #expect(book.status == 422)
            #expect(book.pointers == ["/serialNumbers"])
            let strange = try await school.grant(["serialNumbers": ["A1", "no serial"]])
            #expect(strange.pointers == ["/serialNumbers/1"])
            let people = try await school.patch(
                "/v1/apps/\(TestSchool.quizzlerID)", as: .ada, json: ["deviceAssignable": false])
            #expect(people.status == 409)
            #expect(people.code == "devices_hold_licences")
        }
    }

    @Test func `seats come from the pool of the person's location, or a named one`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(1)
            try await school.addAnnex()
            try await school.buy(2, of: TestSchool.quizzlerID, at: "source:annex")
            #expect(try await school.grant(school.people(.sam)).status == 201)
            #expect(try await school.grant(school.people(.sue)).code == "too_few_licences")
            let named = try await school.grant([
                "personIds": ["source:sis-sue"], "locationId": "source:annex",
            ])
            #expect(named.status == 201)
            let device = try await school.grant(["serialNumbers": ["TABLET-1"]])
            #expect(device.status == 422)
            #expect(device.pointers == ["/locationId"])
            let placed = try await school.grant([
                "serialNumbers": ["TABLET-1"], "locationId": "source:annex",
            ])
            #expect(placed.status == 201)
            let absent = try await school.grant([
                "serialNumbers": ["TABLET-1"], "locationId": "source:absent",
            ])
            #expect(absent.pointers == ["/locationId"])
            #expect(try await school.counts() == [3, 3, 0])
        }
    }

    @Test func `a location must be named where several are possible`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            try await school.addAnnex()
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                select organization_id, \(school.id(.sam)), location_id, 'student'
                  from school.location where source_id = 'annex'
                """)
            let one = try await school.grant(school.people(.sam))
            #expect(one.status == 201, "only one of the two locations has a pool")
            try await school.buy(1, of: TestSchool.quizzlerID, at: "source:annex")
            try school.sql("delete from school.licence")
            let two = try await school.grant(school.people(.sue, .sam))
            #expect(two.status == 422)
            #expect(two.pointers == ["/personIds/1"])
            #expect(two.json["errors"]?.array?.first?["code"] == "ambiguous_location")
            #expect(try await school.counts() == [6, 0, 6])
        }
    }

    @Test func `an unknown or inactive person gets none, and neither does anyone else in the call`()
        async throws
    {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            try school.sql(
                "update school.person set deactivated_at = now() where source_id = 'sis-ben'")
            let answer = try await school.grant([
                "personIds": [
                    "source:sis-sam", "source:sis-ben", "source:absent",
                    .text(school.id(.omar).uuid.description),
                ]
            ])
            #expect(answer.status == 422)
            #expect(answer.pointers == ["/personIds/1", "/personIds/2", "/personIds/3"])
            #expect(try await school.counts() == [5, 0, 5])
            let nobody = try await school.grant([:])
            #expect(nobody.pointers == [""])
            let both = try await school.grant([
                "classId": "source:class-Biology", "personIds": ["source:sis-sam"],
            ])
            #expect(both.pointers == ["/classId"])
        }
    }

    @Test func `an idempotency key grants once`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            let key = [("Idempotency-Key", "first")]
            let first = try await school.grant(school.people(.sam), headers: key)
            let again = try await school.grant(school.people(.sam), headers: key)
            #expect(first.status == 201)
            #expect(again.status == 201)
            #expect(again.body == first.body)
            #expect(again.header("idempotency-replayed") == "true")
            let other = try await school.grant(school.people(.sue), headers: key)
            #expect(other.status == 422)
        }
    }

    @Test func `licences are listed by holder, pool and moment, page by page`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            let made = try await school.grant(school.people(.sam, .sue, .ben))
            #expect(try await school.grant(["serialNumbers": ["TABLET-1"]]).status == 201)
            func count(_ query: String) async throws -> Int {
                let answer = try await school.get(Self.licences + "?" + query, as: .ada)
                #expect(answer.status == 200)
                return answer.items.count
            }
            #expect(try await count("personId=source:sis-sam") == 1)
            #expect(try await count("serialNumber=tablet-1") == 1)
            #expect(try await count("locationId=source:main") == 4)
            #expect(try await count("locationId=source:absent") == 0)
            #expect(try await count("updatedSince=2020-01-01T00:00:00.000Z") == 4)
            #expect(try await count("updatedSince=2100-01-01T00:00:00.000Z") == 0)
            let page = try await school.get(Self.licences + "?limit=3", as: .ada)
            let token = try #require(page.text("nextPageToken"))
            let rest = try await school.get(
                Self.licences + "?limit=3&pageToken=\(token)", as: .ada)
            #expect(page.items.count == 3 && rest.items.count == 1)
            let id = try #require(made.items.first?["id"]?.text)
            let one = try await school.get(Self.licences + "/\(id)", as: .ada)
            #expect(one.status == 200)
            #expect(one.header("etag") != nil)
            #expect(try await school.get("/v1/apps/1/licences", as: .ada).status == 404)
        }
    }

    @Test func `forty concurrent requests to a pool of ten get ten`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(10)
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await school.patiently {
                            try await school.grant(["serialNumbers": [.text("TABLET-\(number)")]])
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 10)
            let refused = answers.filter { $0.status != 201 }
            #expect(refused.allSatisfy { $0.code == "too_few_licences" })
            #expect(try await school.counts() == [10, 10, 0])
            #expect(try school.poolsThatDoNotAddUp() == 0)
        }
    }
}
