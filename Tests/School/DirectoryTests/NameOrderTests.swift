import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct OrderOfNames {
    private static let path = "/v1/people/source:s-1"

    private func order(_ school: TestSchool, as persona: Persona = .ada) async throws -> String? {
        try await school.get(Self.path, as: persona).text("nameOrder")
    }

    @Test func `a person has the order of the organization, or an own one`() async throws {
        try await withSchool { school in
            let pia = school.student("Pia", "Page")
            let made = try await school.put(Self.path, as: .ada, json: pia)
            #expect(made.text("nameOrder") == "givenFirst")
            let changed = try await school.patch(
                "/v1/organization", as: .petra, json: ["nameOrder": "familyFirst"])
            #expect(changed.status == 200 && changed.text("nameOrder") == "familyFirst")
            #expect(try await order(school) == "familyFirst")
            let listed = try await school.get("/v1/people?sourceId=s-1", as: .ada).items
            #expect(listed.first?["nameOrder"] == "familyFirst")
            let own = try await school.patch(
                Self.path, as: .ada, json: ["nameOrder": "givenFirst"])
            #expect(own.text("nameOrder") == "givenFirst")
            let renamed = try await school.patch(Self.path, as: .ada, json: ["grade": "7"])
            #expect(renamed.text("nameOrder") == "givenFirst")
            let reset = try await school.patch(Self.path, as: .ada, json: ["nameOrder": nil])
            #expect(reset.text("nameOrder") == "familyFirst")
            _ = try await school.patch(Self.path, as: .ada, json: ["nameOrder": "givenFirst"])
            let replaced = try await school.put(Self.path, as: .ada, json: pia)
            #expect(replaced.status == 200 && replaced.text("nameOrder") == "familyFirst")
            let wrong = try await school.patch(Self.path, as: .ada, json: ["nameOrder": "both"])
            #expect(wrong.status == 422 && wrong.pointers == ["/nameOrder"])
            let teacher = try await school.patch(
                "/v1/organization", as: .tom, json: ["nameOrder": "givenFirst"])
            #expect(teacher.status == 403)
        }
    }

    @Test func `a change that only follows the organization keeps following it`() async throws {
        try await withSchool { school in
            _ = try await school.put(Self.path, as: .ada, json: school.student("Pia", "Page"))
            let organization = "/v1/organization"
            for order in ["familyFirst", "givenFirst"] {
                _ = try await school.patch(
                    organization, as: .ada, json: ["nameOrder": .text(order)])
                _ = try await school.patch(Self.path, as: .ada, json: ["grade": .text(order)])
                #expect(try await self.order(school) == order)
            }
        }
    }

    @Test func `the tag of a person changes with the organization's order`() async throws {
        try await withSchool { school in
            let made = try await school.put(
                Self.path, as: .ada, json: school.student("Pia", "Page"))
            let tag = [("If-None-Match", made.header("etag") ?? "")]
            #expect(try await school.get(Self.path, as: .ada, headers: tag).status == 304)
            _ = try await school.patch(
                "/v1/organization", as: .ada, json: ["nameOrder": "familyFirst"])
            #expect(try await school.get(Self.path, as: .ada, headers: tag).status == 200)
            let stale = try await school.patch(
                Self.path, as: .ada, json: ["grade": "7"],
                headers: [("If-Match", made.header("etag") ?? "")])
            #expect(stale.status == 412)
        }
    }

    @Test func `a batch sets the order, and sets it back`() async throws {
        try await withSchool { school in
            func send(_ more: [String: JSONValue]) async throws -> String? {
                let item = school.student(
                    "Pia", "Page", more.merging(["sourceId": "s-1"]) { own, _ in own })
                let answer = try await school.post(
                    "/v1/people/batch", as: .ada, json: ["items": [item]])
                return answer.items.first?["status"]?.text ?? answer.items.first?["outcome"]?.text
            }
            let made = try await send(["nameOrder": "familyFirst"])
            #expect(made == "created")
            #expect(try await order(school) == "familyFirst")
            #expect(try await send(["nameOrder": "familyFirst"]) == "unchanged")
            #expect(try await send([:]) == "updated")
            #expect(try await order(school) == "givenFirst")
        }
    }

    @Test func `teachers, students and reports see it beside the names`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.person set name_order = 'familyFirst' where given_name in ('Tom', 'Sam')"
            )
            let handout = try school.newHandout()
            let me = try await school.get("/v1/me", as: .sam).json
            #expect(me["person"]?["nameOrder"] == "familyFirst")
            let own = try await school.get("/v1/me/handouts/\(handout.id.uuid)", as: .sam).json
            let teachers = own["teachers"] ?? own["handout"]?["teachers"]
            let orders = (teachers?.array ?? []).map {
                "\($0["givenName"]?.text ?? "") \($0["nameOrder"]?.text ?? "")"
            }
            #expect(Set(orders) == ["Tom familyFirst", "Cora givenFirst"])
            let report = try await school.get("/v1/handouts/\(handout.id.uuid)/report", as: .tom)
            let students = report.json["tasks"]?[0]?["students"]?.array ?? []
            #expect(
                Set(students.compactMap { $0["nameOrder"]?.text }) == ["familyFirst", "givenFirst"])
            let taught = try await school.get("/v1/classes/\(TestIDs.biology.uuid)", as: .tom)
            #expect(
                (taught.json["teachers"]?.array ?? []).contains {
                    $0["givenName"] == "Tom" && $0["nameOrder"] == "familyFirst"
                })
        }
    }

    @Test(arguments: [
        ("Anna", "Nagy"), ("陽菜", "田中"), ("さくら", "佐々木"), ("リサ", "Smith"), ("민수", "김"),
        ("Åsa", "Öberg"),
    ])
    func `the database writes a full name as the program does`(
        given: String, family: String
    ) async throws {
        try await withSchool { school in
            for order in ["givenFirst", "familyFirst"] {
                let name = FullName(
                    given: given, family: family, isFamilyFirst: order == "familyFirst")
                let found = try school.sql(
                    "select school.full_name(\(given), \(family), \(order)) as name")
                #expect(try found[0].text("name") == name.text)
            }
        }
    }
}
