import JSONBytes
import Postgres
import School
import TestKit
import Values

@testable import SCIM

extension TestSchool {
    /// Asks as the identity provider.
    func scim(
        _ method: String, _ path: String, _ body: JSONValue? = nil,
        headers: [(String, String)] = [], as persona: Persona? = .directoryWriter
    ) async throws -> Answer {
        let type = [("Content-Type", "application/scim+json")]
        let path = "/scim/v2/\(path)"
        switch method {
        case "POST": return try await post(path, as: persona, json: body, headers: type + headers)
        case "PUT": return try await put(path, as: persona, json: body, headers: type + headers)
        case "PATCH": return try await patch(path, as: persona, json: body, headers: type + headers)
        case "DELETE": return try await delete(path, as: persona, headers: headers)
        default: return try await get(path, as: persona, headers: headers)
        }
    }

    /// A new user.
    func newUser(_ userName: String, _ more: JSONValue = [:]) async throws -> Answer {
        var body = JSONObject([
            ("schemas", [.text(Schema.user.id)]), ("userName", .text(userName)),
            ("name", ["givenName": "Nora", "familyName": "Novak"]),
        ])
        for member in more.object?.members ?? [] { body[member.key] = member.value }
        return try await scim("POST", "Users", .object(body))
    }

    /// A `PATCH` with one change.
    func change(
        _ path: String, _ operation: JSONValue, headers: [(String, String)] = []
    ) async throws -> Answer {
        try await scim(
            "PATCH", path,
            [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                "Operations": [operation],
            ], headers: headers)
    }

    /// The user names or display names that a filter finds.
    func found(_ filter: String, in collection: String = "Users") async throws -> Set<String> {
        let answer = try await scim("POST", "\(collection)/.search", ["filter": .text(filter)])
        let resources = answer.json["Resources"]?.array ?? []
        return Set(
            resources.compactMap { ($0["userName"] ?? $0["displayName"])?.text }.map {
                String($0.prefix { $0 != "@" })
            })
    }

    /// External ids of Sam and Chemistry, of the client with the operator's token.
    func callSamAndChemistry() throws {
        try sql(
            """
            insert into school.external_id (organization_id, person_id, class_id, value)
            values (\(hillside), \(id(.sam)), null, 'e-sam'), (\(hillside), null, \(chemistry), 'e-Chemistry')
            """)
    }

    func id(of persona: Persona) -> String { persona.personID.uuid.description }

    /// The ids of the members of a group.
    func members(_ group: String) async throws -> Set<String> {
        let answer = try await scim("GET", "Groups/\(group)")
        return Set((answer.json["members"]?.array ?? []).compactMap { $0["value"]?.text })
    }
}
