import API
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("?count=true")
struct CountedLists {
    @Test func `a list says how many all its pages have`() async throws {
        try await withSchool { school in
            let all = try await school.get("/v1/people?role=student", as: .ada).items.count
            #expect(all == 3)
            let page = try await school.get("/v1/people?role=student&limit=1&count=true", as: .ada)
            #expect(page.json["totalCount"]?.int64 == 3)
            #expect(page.items.count == 1)
            let without = try await school.get("/v1/people?role=student&limit=1", as: .ada)
            #expect(without.json["totalCount"] == nil)
            let empty = try await school.get("/v1/people?grade=none&count=true", as: .ada)
            #expect(empty.json["totalCount"]?.int64 == 0)
        }
    }

    @Test func `it counts what the caller may see`() async throws {
        try await withSchool { school in
            let path = "/v1/people?limit=1&count=true"
            let everyone = try await school.get(path, as: .ada).json["totalCount"]?.int64
            let own = try await school.get(path, as: .tess)
            let seen = try await school.get("/v1/people", as: .tess).items.count
            #expect(own.json["totalCount"]?.int64 == Int64(seen))
            #expect(try #require(everyone) > Int64(seen))
            #expect(try await school.get(path, as: .sam).status == 403)
        }
    }

    @Test func `later pages repeat the number of the first one, whatever happened since`()
        async throws
    {
        try await withSchool { school in
            let path = "/v1/people?role=student&limit=1&count=true"
            let first = try await school.get(path, as: .ada)
            let token = try #require(first.json["nextPageToken"]?.text)
            try school.sql(
                "delete from school.person_role where person_id = \(Persona.ben.personID)")
            let second = try await school.get("\(path)&pageToken=\(token)", as: .ada)
            #expect(second.json["totalCount"]?.int64 == 3)
            let bare = "/v1/people?role=student&limit=1&pageToken=\(token)"
            #expect(try await school.get(bare, as: .ada).json["totalCount"] == nil)
            // The first page did not count: this one does.
            let uncounted = try await school.get("/v1/people?role=student&limit=1", as: .ada)
            let other = try #require(uncounted.json["nextPageToken"]?.text)
            let counted = try await school.get("\(path)&pageToken=\(other)", as: .ada)
            #expect(counted.json["totalCount"]?.int64 == 2)
        }
    }

    @Test func `counting and expanding are paid for`() async throws {
        try await withSchool(requestsPerSecond: 20) { school in
            func left(_ path: String) async throws -> Int {
                let field = try await school.get(path, as: .ada).header("RateLimit") ?? ""
                return try #require(field.firstMatch(of: /r=([0-9]+)/).flatMap { Int($0.1) })
            }
            func used(_ paths: [String]) async throws -> Int {
                // Some of it comes back meanwhile: the shorter of two attempts counts.
                var most = 0
                for _ in 1...2 {
                    let before = try await left("/v1/terms")
                    for path in paths.dropLast() { _ = try await left(path) }
                    most = max(most, before - (try await left(paths[paths.count - 1])))
                }
                return most
            }
            let plain = try await used(Array(repeating: "/v1/classes", count: 5))
            let counted = try await used(Array(repeating: "/v1/classes?count=true", count: 5))
            #expect(counted > plain)
            let expanded = Array(repeating: "/v1/classes?expand=teachers,students,term", count: 5)
            #expect(try await used(expanded) > plain)
        }
        try await withSchool(requestsPerSecond: 1) { school in
            var statuses: Set<Int> = []
            for _ in 1...8 {
                let answer = try await school.get("/v1/terms?count=true", as: .ada)
                statuses.insert(answer.status)
                if answer.status == 429 { #expect(answer.header("Retry-After") != nil) }
            }
            #expect(statuses == [200, 429])
        }
    }

    @Test func `every list can be counted`() async throws {
        try await withSchool { school in
            let lists = school.features.flatMap(\.endpoints).filter { $0.operation.item != nil }
            #expect(lists.count > 25)
            var counted = 0
            for list in lists {
                #expect(list.operation.parameters.contains { $0.name == "count" }, "\(list.path)")
                counted += try await isCounted(target(list), school) ? 1 : 0
            }
            #expect(counted > 20)
        }
    }

    /// A path that exists for someone, if it can be said without knowing more.
    private func target(_ list: Endpoint) -> String {
        let biology = TestIDs.biology.uuid.description
        let path = list.path.split(separator: "/").map { segment in
            segment == "{id}" ? biology : segment == "{bundleId}" ? "a.b" : String(segment)
        }
        let needed = list.operation.parameters.filter(\.isRequired).map { "&\($0.name)=%5B%5D" }
        return "/\(path.joined(separator: "/"))?count=true&limit=1000\(needed.joined())"
    }

    /// Whether someone gets the list; then the number is that of its items.
    private func isCounted(_ target: String, _ school: TestSchool) async throws -> Bool {
        var isCounted = false
        for persona in [Persona.ada, .tom, .sam, .exporter, .samsApp] {
            let answer = try await school.get(target, as: persona)
            #expect(answer.status < 500, "\(target): \(answer.text)")
            guard answer.status == 200 else { continue }
            isCounted = true
            let total = try #require(answer.json["totalCount"]?.int64, "\(target)")
            #expect(total == Int64(answer.items.count), "\(target)")
        }
        return isCounted
    }
}
