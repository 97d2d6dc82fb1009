import JSONBytes
import Postgres
import TestKit
import Testing

/// What an archive does to the licences of those it leaves out.
@Suite struct LicencesOfLeavers {
    @Test func `a person who is left out returns apps and keeps books`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            for (app, body) in [
                ("1", ["name": "Chess", "productType": "App", "bundleId": "org.example.chess"]),
                ("2", ["name": "Novel", "productType": "Book"]),
            ] as [(String, JSONValue)] {
                let path = "/v1/apps/\(app)"
                _ = try await school.put(path, as: .ada, json: body)
                _ = try await school.put(
                    path + "/pools/source:L1", as: .ada, json: ["totalCount": 20])
                let granted = try await school.post(
                    path + "/licences", as: .ada, json: ["classId": "source:K1"])
                #expect(granted.json["createdCount"] == 11)
            }
            let outcome = try await school.importArchive(.withoutEleventhStudent)
            #expect(outcome.status == "succeeded")
            #expect(try school.person("S11").text("status") == "deactivated")
            let apps = try await school.get("/v1/apps", as: .ada).items
            #expect(apps.map { $0["assignedCount"] } == [10, 11])
            #expect(apps.map { $0["availableCount"] } == [10, 9])
        }
    }
}
