import JSONBytes
import Postgres
import School
import TestKit
import Values

extension TestSchool {
    /// Grants a privilege, or withdraws it: in the whole organization or at the main location.
    @discardableResult
    func grant(
        _ privilege: String = "makeClasses", _ granted: Bool = true, isAtLocation: Bool = false
    ) async throws -> Int {
        let at = isAtLocation ? "/locations/\(mainLocation.uuid)" : ""
        return try await put(
            "/v1/privileges/\(privilege)\(at)", as: .ada, json: ["granted": .bool(granted)]
        ).status
    }

    func makeClass(
        _ name: String = "Chess club", as persona: Persona = .tom, _ more: [String: JSONValue] = [:]
    ) async throws -> Answer {
        var members: [(String, JSONValue)] = [
            ("name", .text(name)), ("locationId", .text(mainLocation.uuid.description)),
        ]
        for (key, value) in more {
            members.removeAll { $0.0 == key }
            members.append((key, value))
        }
        return try await post("/v1/me/classes", as: persona, json: .object(JSONObject(members)))
    }

    /// A class that Tom made with the privilege, which stays granted.
    func madeClass() async throws -> String {
        try await grant()
        return try await makeClass().json["id"]?.text ?? ""
    }

    func seat(_ person: Persona, _ role: String, in made: String, as persona: Persona = .tom)
        async throws -> Int
    {
        let path = "/v1/me/classes/\(made)/\(role)s/\(id(person).uuid)"
        return try await put(path, as: persona).status
    }

    func unseat(_ person: Persona, _ role: String, in made: String, as persona: Persona = .tom)
        async throws -> Int
    {
        let path = "/v1/me/classes/\(made)/\(role)s/\(id(person).uuid)"
        return try await delete(path, as: persona).status
    }

    func candidates(
        _ query: String, _ role: String = "student", in made: String, as persona: Persona = .tom
    ) async throws -> Answer {
        try await get("/v1/me/classes/\(made)/candidates?role=\(role)&q=\(query)", as: persona)
    }

    func resetPassword(of person: Persona, as persona: Persona) async throws -> Int {
        try await post("/v1/people/\(id(person).uuid)/temporary-password", as: persona).status
    }

    /// Who has a role in a class now.
    func roster(_ role: String, of made: String) throws -> Set<String> {
        Set(
            try sql(
                """
                select p.given_name as name
                  from school.seat as s
                  join school.person as p
                    on p.organization_id = s.organization_id and p.person_id = s.person_id
                 where s.class_id = \(UUID(made)) and s.role = \(role) and s.left_at is null
                """
            ).map { try $0.text("name") })
    }

    /// The changes of a class and its rosters in the audit trail, sorted: who, what kind and which change.
    func events(of made: String) throws -> [String] {
        try sql(
            """
            select concat_ws(' ', p.given_name, e.kind, e.details ->> 'change', e.details ->> 'role') as event
              from school.audit_event as e
              join school.person as p
                on p.organization_id = e.organization_id and p.person_id = e.person_id
             where e.subject_kind = 'class' and e.subject_id = \(made) and e.kind <> 'denial'
            """
        ).map { try $0.text("event") }.sorted()
    }
}
