import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Pools {
    private static let pools = "/v1/apps/\(TestSchool.quizzlerID)/pools"

    @Test func `a location buys seats, more of them, and fewer`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            try await school.addAnnex()
            let annex = try await school.buy(3, of: TestSchool.quizzlerID, at: "source:annex")
            #expect(annex.status == 201)
            #expect(try await school.counts() == [8, 0, 8])
            #expect(try await school.counts(Self.pools + "/source:annex") == [3, 0, 3])
            let fewer = try await school.buy(1, of: TestSchool.quizzlerID, at: "source:annex")
            #expect(fewer.status == 200)
            #expect(try await school.counts() == [6, 0, 6])
            let listed = try await school.get(Self.pools + "?limit=1", as: .ada)
            #expect(listed.items.count == 1)
            let token = try #require(listed.text("nextPageToken"))
            let rest = try await school.get(
                Self.pools + "?limit=1&pageToken=\(token)", as: .ada)
            #expect(rest.items.count == 1 && rest.items != listed.items)
            #expect(
                try school.details(of: "poolChange").map { $0["totalCount"]?.int64 } == [5, 3, 1])
        }
    }

    @Test func `a pool never becomes smaller than the licences assigned from it`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(3)
            #expect(try await school.grant(school.people(.sam, .sue)).status == 201)
            let path = Self.pools + "/source:main"
            let refused = try await school.put(path, as: .ada, json: ["totalCount": 1])
            #expect(refused.status == 409)
            #expect(refused.code == "licences_assigned")
            #expect(refused.text("detail") == "2 are assigned, and the pool would have 1.")
            for target in [path, "/v1/apps/\(TestSchool.quizzlerID)"] {
                let kept = try await school.delete(target, as: .ada)
                #expect(kept.status == 409)
                #expect(kept.text("detail")?.contains("2 of its licences are assigned") == true)
            }
            #expect(try await school.counts(path) == [3, 2, 1])
            #expect(try await school.put(path, as: .ada, json: ["totalCount": 2]).status == 200)
        }
    }

    @Test func `a pool is removed when all its seats are free`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(3)
            let path = Self.pools + "/source:main"
            let tag = try await school.get(path, as: .ada).header("etag") ?? ""
            try await school.buy(4, of: TestSchool.quizzlerID)
            let stale = try await school.delete(path, as: .ada, headers: [("If-Match", tag)])
            #expect(stale.status == 412)
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.get(path, as: .ada).status == 404)
            #expect(try await school.delete(path, as: .ada).status == 404)
            #expect(try await school.counts() == [0, 0, 0])
        }
    }

    @Test func `a missing app or location has no pool`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(3)
            let seats: JSONValue = ["totalCount": 1]
            for path in [
                Self.pools + "/source:absent", Self.pools + "/nonsense",
                Self.pools + "/\(TestIDs.elsewhereLocation.uuid)", "/v1/apps/1/pools/source:main",
            ] {
                #expect(try await school.put(path, as: .ada, json: seats).status == 404)
            }
            let many = try await school.put(
                Self.pools + "/source:main", as: .ada, json: ["totalCount": -1])
            #expect(many.pointers == ["/totalCount"])
        }
    }

    @Test func `free seats move to another location, and no others`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            try await school.addAnnex()
            #expect(try await school.grant(school.people(.sam, .sue)).status == 201)
            let transfer = Self.pools + "/source:main/transfer"
            let many = try await school.post(
                transfer, as: .ada, json: ["locationId": "source:annex", "count": 4])
            #expect(many.status == 409)
            #expect(many.code == "too_few_licences")
            #expect(many.text("detail")?.hasPrefix("3 left and 4 needed") == true)
            #expect(try await school.get(Self.pools + "/source:annex", as: .ada).status == 404)
            let moved = try await school.post(
                transfer, as: .ada, json: ["locationId": "source:annex", "count": 3])
            #expect(moved.status == 200)
            #expect(moved.json["from"]?["totalCount"] == 2)
            #expect(moved.json["from"]?["availableCount"] == 0)
            #expect(moved.json["to"]?["totalCount"] == 3)
            #expect(try await school.counts() == [5, 2, 3])
            let absent = try await school.post(
                transfer, as: .ada, json: ["locationId": "source:absent", "count": 1])
            #expect(absent.pointers == ["/locationId"])
            let same = try await school.post(
                transfer, as: .ada, json: ["locationId": "source:main", "count": 1])
            #expect(same.pointers == ["/locationId"])
            let none = try await school.post(
                transfer, as: .ada, json: ["locationId": "source:annex", "count": 0])
            #expect(none.pointers == ["/count"])
        }
    }

    @Test func `seats moving both ways at once are neither lost nor created`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(20)
            try await school.addAnnex()
            try await school.buy(20, of: TestSchool.quizzlerID, at: "source:annex")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<60 {
                    let (from, to) = number % 2 == 0 ? ("main", "annex") : ("annex", "main")
                    group.addTask {
                        try await school.patiently {
                            try await school.post(
                                Self.pools + "/source:\(from)/transfer", as: .ada,
                                json: ["locationId": .text("source:\(to)"), "count": 1])
                        }.status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(statuses) == [200])
            #expect(try await school.counts() == [40, 0, 40])
            #expect(try await school.counts(Self.pools + "/source:main") == [20, 0, 20])
        }
    }

    @Test func `ten concurrent requests to create a pool create one`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(1)
            try await school.addAnnex()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...10 {
                    group.addTask {
                        try await school.patiently {
                            try await school.put(
                                Self.pools + "/source:annex", as: .ada,
                                json: ["totalCount": .number(JSONNumber(Int64(number)))])
                        }.status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == Array(repeating: 200, count: 9) + [201])
        }
    }
}
