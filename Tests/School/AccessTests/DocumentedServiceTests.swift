import HTTPWire
import JSONBytes
import School
import TestKit
import Testing

@testable import Access

@Suite struct DocumentedServices {
    @Test func `the API document says where services get tokens, and which calls take them`()
        async throws
    {
        try await withSchool { school in
            let document = try await school.get("/openapi.json", as: nil).json
            let scheme = document["components"]?["securitySchemes"]?["serviceAccount"]
            #expect(scheme?["type"] == "oauth2")
            let flow = scheme?["flows"]?["clientCredentials"]
            let tokenURL = flow?["tokenUrl"]?.text ?? ""
            #expect(document["paths"]?[tokenURL]?["post"] != nil)
            let scopes = Set(flow?["scopes"]?.object?.keys ?? [])
            #expect(scopes == Set(Standing.rolesOfServices.map(\.rawValue)))

            let add = document["paths"]?["/v1/people"]?["post"]?["security"]
            #expect(add == [["accessToken": []], ["serviceAccount": ["provisioner"]]])
            let accounts = document["paths"]?["/v1/service-accounts"]?["get"]?["security"]
            #expect(accounts == [["accessToken": []]])
        }
    }
}
