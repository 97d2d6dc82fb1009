import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/people?order=name")
struct PeopleByName {
    /// Names as a dictionary has them, which neither bytes nor ids do.
    private static let sorted = [
        ("Zoe", "Abel"), ("Ada", "Çelik"), ("Ada", "Celik-Berg"), ("ada", "Dorn"),
        ("Ada", "Dorn"), ("Ida", "Österberg"), ("Ida", "Ott"), ("花子", "さとう"),
    ]

    private func add(_ school: TestSchool) async throws {
        for (given, family) in Self.sorted.reversed() {
            let made = try await school.post(
                "/v1/people", as: .ada, json: school.student(given, family))
            #expect(made.status == 201)
        }
        try school.sql(
            """
            update school.person set grade = 'new'
             where given_name = any (\(Self.sorted.map(\.0))) and family_name = any (\(Self.sorted.map(\.1)))
            """)
    }

    private func names(_ answer: Answer) -> [String] {
        answer.items.map { "\($0["givenName"]?.text ?? "") \($0["familyName"]?.text ?? "")" }
    }

    private static let filter = "/v1/people?order=name&grade=new"

    @Test func `people come as in a dictionary, in pages too`() async throws {
        try await withSchool { school in
            try await add(school)
            let expected = Self.sorted.map { "\($0) \($1)" }
            let all = try await school.get(Self.filter, as: .ada)
            #expect(all.status == 200)
            #expect(names(all) == expected)
            var found: [String] = []
            var target = Self.filter + "&limit=3"
            for _ in 1...3 {
                let page = try await school.get(target, as: .ada)
                found += names(page)
                guard let token = page.json["nextPageToken"]?.text else { break }
                target = Self.filter + "&limit=3&pageToken=\(token)"
            }
            #expect(found == expected)
        }
    }

    @Test func `people with the same name come once each, in the order of their ids`()
        async throws
    {
        try await withSchool { school in
            for _ in 1...5 {
                _ = try await school.post(
                    "/v1/people", as: .ada, json: school.student("Pia", "Page"))
            }
            let all = try await school.get("/v1/people?order=name&q=pia", as: .ada).items
                .compactMap { $0["id"]?.text }
            #expect(all.count == 5 && all == all.sorted())
            let first = try await school.get("/v1/people?order=name&q=pia&limit=2", as: .ada)
            let token = try #require(first.json["nextPageToken"]?.text)
            let next = try await school.get(
                "/v1/people?order=name&q=pia&limit=2&pageToken=\(token)", as: .ada)
            #expect(next.items.compactMap { $0["id"]?.text } == Array(all[2...3]))
        }
    }

    @Test func `a token of one order is not one of the other`() async throws {
        try await withSchool { school in
            let pages = ["/v1/people?limit=2", "/v1/people?limit=2&order=name"]
            for (own, other) in [(pages[0], pages[1]), (pages[1], pages[0])] {
                let page = try await school.get(own, as: .ada)
                let token = try #require(page.json["nextPageToken"]?.text)
                #expect(try await school.get("\(own)&pageToken=\(token)", as: .ada).status == 200)
                let foreign = try await school.get("\(other)&pageToken=\(token)", as: .ada)
                #expect(foreign.status == 400 && foreign.code == "invalid_parameter")
            }
            let wrong = try await school.get("/v1/people?order=age", as: .ada)
            #expect(wrong.status == 400)
        }
    }

    @Test func `a teacher gets the people of the own classes, by name too`() async throws {
        try await withSchool { school in
            let all = try await school.get("/v1/people?order=name", as: .ada).items.count
            let toms = try await school.get("/v1/people?order=name", as: .tom).items
                .compactMap { $0["givenName"]?.text }
            #expect(all > toms.count)
            #expect(Set(toms) == ["Tom", "Cora", "Sam", "Sue"])
        }
    }
}
