import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct PagesOfTheDirectory {
    @Test func `every item comes once, even with inserts in between`() async throws {
        try await withSchool { school in
            for number in 1...7 {
                _ = try await school.post(
                    "/v1/people", as: .ada, json: school.student("Pia", "Page\(number)"))
            }
            let all = try await school.page("/v1/people?role=student", as: .ada).ids
            #expect(all.count == 10)
            var seen: [String] = []
            var token: String?
            var pages = 0
            repeat {
                let next = token.map { "&pageToken=\($0)" } ?? ""
                let page = try await school.page(
                    "/v1/people?role=student&limit=3\(next)", as: .ada)
                #expect(page.ids.count <= 3)
                seen += page.ids
                token = page.next
                pages += 1
                if pages == 2 {
                    _ = try await school.post(
                        "/v1/people", as: .ada, json: school.student("Late", "Comer"))
                }
            } while token != nil
            #expect(Set(seen).count == seen.count)
            #expect(Set(all).isSubset(of: seen))
            #expect(seen.count == 11)
        }
    }

    @Test func `a token belongs to its filters and its list`() async throws {
        try await withSchool { school in
            let first = try await school.get("/v1/people?limit=2&role=student", as: .ada)
            let token = try #require(first.text("nextPageToken"))
            #expect(first.header("link")?.contains("rel=\"next\"") == true)
            for path in [
                "/v1/people?limit=2&role=teacher&pageToken=\(token)",
                "/v1/people?limit=2&pageToken=\(token)", "/v1/classes?pageToken=\(token)",
                "/v1/people?limit=2&role=student&pageToken=broken",
            ] {
                let answer = try await school.get(path, as: .ada)
                #expect(answer.status == 400, "\(path)")
                #expect(answer.code == "invalid_parameter")
            }
            let other = try await school.get(
                "/v1/people?limit=5&role=student&pageToken=\(token)", as: .ada)
            #expect(other.status == 200, "another limit is fine")
        }
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "limit=x", "colour=red", "role=king", "updatedSince=yesterday",
        "locationId=7",
    ])
    func `an invalid parameter is refused`(query: String) async throws {
        try await withSchool { school in
            let answer = try await school.get("/v1/people?\(query)", as: .ada)
            #expect(answer.status == 400)
        }
    }
}
