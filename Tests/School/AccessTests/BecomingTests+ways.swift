import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

extension Becoming {
    /// Tries a way, and says whether it was taken.
    func take(
        _ way: String, of id: PersonID, as persona: Persona, in school: TestSchool
    ) async throws -> Bool {
        let path = "/v1/people/\(id.uuid)"
        let answer: Answer
        switch way {
        case "password":
            answer = try await school.post("\(path)/temporary-password", as: persona)
        case "link": answer = try await school.delete("\(path)/sign-in-links", as: persona)
        case "badge":
            answer = try await school.post(
                "/v1/classes/\(TestIDs.biology.uuid)/badges", as: persona,
                json: ["personIds": [.text("\(id.uuid)")], "again": true])
            // Of those who get none, the call says which.
            if answer.pointers == ["/personIds/0"] { return false }
        case "email" where persona == .directoryWriter:
            let values: JSONValue = [["value": "x@hillside.example"]]
            answer = try await rewrite("emails", values, of: id, school)
        case "managedId" where persona == .directoryWriter:
            let name = JSONValue.text("new.\(id.uuid)@hillside.example")
            answer = try await rewrite("userName", name, of: id, school)
        case "email":
            answer = try await school.patch(
                path, as: persona, json: ["email": "x@hillside.example"])
        default:
            answer = try await school.patch(
                path, as: persona, json: ["managedId": .text("n\(id.uuid)@hillside.example")])
        }
        if (200..<300).contains(answer.status) { return true }
        #expect([403, 404, 409].contains(answer.status), "\(way) by \(persona): \(answer.text)")
        return false
    }

    /// Lets nothing but the map keep somebody from a badge: the school wants them, and the person sits in Tom's class.
    func prepareBadges(for id: PersonID, _ school: TestSchool) async throws {
        try await school.allowBadges()
        try school.sql(
            """
            delete from school.seat where class_id = \(TestIDs.biology) and person_id = \(id)
            """)
        try school.sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role, joined_at)
            values (\(school.hillside), \(TestIDs.biology), \(id), 'student', school.moment() - interval '1 hour')
            """)
    }

    private func rewrite(
        _ attribute: String, _ value: JSONValue, of id: PersonID, _ school: TestSchool
    ) async throws -> Answer {
        let body: JSONValue = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations": [["op": "replace", "path": .text(attribute), "value": value]],
        ]
        return try await school.send(
            "PATCH", "/scim/v2/Users/\(id.uuid)", as: .directoryWriter, body: body.bytes,
            headers: [("Content-Type", "application/scim+json")])
    }
}
