import Crypto
import JSONBytes
import Postgres
import TestKit
import Testing
import Values

@testable import SCIM

/// Where people go whose identity provider does not say where.
@Suite struct DefaultLocations {
    @Test func `who comes without a location goes where the service account says`() async throws {
        try await withSchool { school in
            let upper = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "Upper School"])
            #expect(upper.status == 201)
            let provider = try ExternalIDTests.Provider(school, "Entra")
            let refused = try await provider.add("nora")
            #expect(refused.status == 400)
            #expect(refused.json["detail"]?.text?.contains("default location") == true)

            let path = "/v1/service-accounts/\(provider.account)"
            let changed = try await school.patch(
                path, as: .ada, json: ["defaultLocationId": upper.json["id"] ?? .null])
            #expect(changed.status == 200, "\(changed.text)")
            #expect(changed.json["defaultLocationId"] == upper.json["id"])
            #expect(changed.json["name"] == "Entra")
            let nora = try await provider.add("nora")
            #expect(nora.status == 201, "\(nora.text)")
            #expect(nora.json[Schema.enterpriseUser.id]?["organization"] == "Upper School")
            // Another client has its own.
            #expect(try await school.newUser("mona").status == 400)

            #expect(
                try await school.patch(path, as: .ada, json: ["defaultLocationId": .null])
                    .json["defaultLocationId"] == .null)
            #expect(try await provider.add("mona").status == 400)
        }
    }

    @Test func `a location elsewhere is none, and one that is used stays`() async throws {
        try await withSchool { school in
            let provider = try ExternalIDTests.Provider(school, "Entra")
            let path = "/v1/service-accounts/\(provider.account)"
            let foreign = try school.sql(
                "select location_id as id from school.location where organization_id <> \(school.hillside) limit 1"
            )
            let elsewhere = try foreign[0].uuid("id")
            for id in [elsewhere, UUID.v7()] {
                let answer = try await school.patch(
                    path, as: .ada, json: ["defaultLocationId": .text(id.description)])
                #expect(answer.status == 422, "\(answer.text)")
            }
            let upper = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "Upper School"])
            let id = upper.json["id"]?.text ?? ""
            let made = try await school.post(
                "/v1/service-accounts", as: .ada,
                json: [
                    "name": "Okta", "role": "directoryWriter", "defaultLocationId": .text(id),
                ])
            #expect(made.json["defaultLocationId"]?.text == id, "\(made.text)")
            let refused = try await school.delete("/v1/locations/\(id)", as: .ada)
            #expect(refused.status == 409 && refused.code == "location_in_use")
            let account = made.json["id"]?.text ?? ""
            let left = try await school.patch(
                "/v1/service-accounts/\(account)", as: .ada, json: ["defaultLocationId": .null])
            #expect(left.json["defaultLocationId"] == .null)
            #expect(try await school.delete("/v1/locations/\(id)", as: .ada).status == 204)
        }
    }
}
