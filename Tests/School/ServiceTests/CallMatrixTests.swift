import API
import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import ServerKit

/// Every call as every standing: whether it may be made at all. What each sees of it is tested with each feature.
@Suite struct WhoMayCallWhat {
    @Test func `each call has a row and each row a call`() async throws {
        try await withSchool { school in
            let calls = school.features.flatMap(\.endpoints).map { "\($0.method.name) \($0.path)" }
            let rows = try CallMatrix.rows().map(\.call)
            #expect(Set(rows).count == rows.count)
            for call in Set(calls).subtracting(rows) { Issue.record("no row for \(call)") }
            for row in Set(rows).subtracting(calls) { Issue.record("no call for \(row)") }
        }
    }

    @Test func `each standing may call what its column says, and nothing else`() async throws {
        try await withSchool { school in
            let rows = Dictionary(grouping: try CallMatrix.rows(), by: \.call)
            for endpoint in school.features.flatMap(\.endpoints) {
                guard let row = rows["\(endpoint.method.name) \(endpoint.path)"]?.first else {
                    continue
                }
                try await school.expectNobodyUnknown(endpoint, row.access)
                for standing in Standing.allCases where standing != .developer {
                    try await school.expectRight(of: standing, endpoint, row.access)
                }
            }
        }
    }
}

extension TestSchool {
    /// Without a token only open calls answer.
    fileprivate func expectNobodyUnknown(
        _ endpoint: Endpoint, _ access: CallMatrix.Access
    ) async throws {
        let answer = try await ask(endpoint, token: nil)
        switch access {
        case .open: #expect(answer.code != "unauthenticated", "\(endpoint.path)")
        // The Catalog API answers 403 to callers without a token that verifies.
        case .developers: #expect(answer.status == 403, "\(endpoint.method.name) \(endpoint.path)")
        case .standings: #expect(answer.status == 401, "\(endpoint.method.name) \(endpoint.path)")
        }
    }

    fileprivate func expectRight(
        of standing: Standing, _ endpoint: Endpoint, _ access: CallMatrix.Access
    ) async throws {
        let answer = try await ask(endpoint, token: try newToken(standing, endpoint))
        let call = "\(standing.rawValue): \(endpoint.method.name) \(endpoint.path): \(answer.text)"
        #expect(answer.status < 500, "\(call)")
        let isTurnedAway = answer.status == 403 && answer.text.contains("This call is for: ")
        switch access {
        case .open: #expect(!isTurnedAway, "\(call)")
        case .developers: #expect(answer.status == 403, "\(call)")
        case .standings(let allowed):
            #expect(isTurnedAway != allowed.contains(standing), "\(call)")
        }
    }

    private func ask(_ endpoint: Endpoint, token: String?) async throws -> Answer {
        let needed = endpoint.operation.parameters.filter(\.isRequired).map {
            "\($0.name)=\(sample($0))"
        }
        let query = needed.isEmpty ? "" : "?" + needed.joined(separator: "&")
        var body: [UInt8] = []
        var headers: [(String, String)] = []
        switch endpoint.operation.body {
        case .none, .jsonIfAny: break
        case .json, .document: body = Array("{}".utf8)
        case .form:
            body = Array("a=b".utf8)
            headers = [("Content-Type", "application/x-www-form-urlencoded")]
        case .stream(let types, _):
            body = Array("bytes".utf8)
            headers = types.prefix(1).map { ("Content-Type", $0) }
        }
        return try await send(
            endpoint.method, path(of: endpoint) + query, token: token, body: body, headers: headers)
    }

    /// The path with ids that do not exist.
    private func path(of endpoint: Endpoint) -> String {
        let segments = endpoint.path.split(separator: "/").map { segment in
            switch segment {
            case "{teamId}": "ABCDE12345"
            case "{bundleId}": "org.example.nothing"
            case "{adamId}": "123456789"
            default:
                segment.hasPrefix("{") ? "0199aaaa-0000-7000-8000-000000000000" : String(segment)
            }
        }
        return "/" + segments.joined(separator: "/")
    }

    private func sample(_ parameter: Endpoint.Parameter) -> String {
        switch parameter.shape {
        case .word(let values): values[0]
        default: "%5B%22a%22%5D"
        }
    }

    /// A token of a person with nothing but the standing; a new one for each call, since some calls end it.
    private func newToken(_ standing: Standing, _ endpoint: Endpoint) throws -> String {
        let token =
            "\(standing.rawValue) \(endpoint.method.name) \(endpoint.path) that is long enough"
            .split(separator: " ").joined(separator: "-").replacing(#/[{}/]/#, with: "-")
        let isService = (Standing.rolesOfServices + [.tool]).contains(standing)
        let person = isService ? nil : try personHolding(standing)
        let app = standing == .app ? quizzler : nil
        let fixed = isService || standing == .app ? standing.rawValue : nil
        try sql(
            """
            insert into school.access_token (organization_id, digest, person_id, standing, app, expires_at)
            values (\(hillside), \(SHA256.digest(Array(token.utf8)).bytes), \(person), \(fixed), \(app),
                    now() + interval '1 day')
            """)
        return token
    }

    private func personHolding(_ standing: Standing) throws -> PersonID {
        if standing == .app { return Persona.sam.personID }
        let managedID = "\(standing.rawValue.lowercased()).only@hillside.example"
        let known = try sql("select person_id from school.person where managed_id = \(managedID)")
        if !known.isEmpty { return PersonID(try known[0].uuid("person_id")) }
        let id = try sql("select school.new_id() as id")[0].uuid("id")
        try sql(
            """
            insert into school.managed_id_directory (managed_id, organization_id, person_id)
            values (\(managedID), \(hillside), \(id))
            """)
        try sql(
            """
            insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
            values (\(hillside), \(id), 'Only', \(standing.rawValue), \(managedID))
            """)
        try sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            values (\(hillside), \(id), \(mainLocation), \(standing.rawValue))
            """)
        return PersonID(id)
    }
}
