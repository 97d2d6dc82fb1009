import HTTPWire
import JSONBytes
import School
import Values

/// What a person needs to get started with the demonstration school.
package struct Overview: Sendable {
    package let classID: String?
    /// A handout of that class that has a report.
    package let handoutID: String?
    /// Everyone whose password is printed, with the id; `nil` if the person no longer exists.
    package let accounts: [(account: DemonstrationAccount, id: String?)]

    /// Queries the service; leaves out what someone has removed from the school.
    package init(door: Door, token: String) async throws {
        let taught = try await Overview.found(
            door, "/v1/classes/source:\(DemonstrationSchool.showcaseClassID)", token)
        let teacher = try await Overview.id(of: .teacher, door, token)
        let student = try await Overview.id(of: .student, door, token)
        accounts = [
            (.administrator, DemonstrationAccount.administratorID.uuid.description),
            (.teacher, teacher),
            (.student, student),
        ]
        classID = taught?["id"]?.text
        guard let teacher, let person = UUID(teacher), let classID else {
            handoutID = nil
            return
        }
        let own = try await door.makeToken(PersonID(person), .teacher, nil)
        let page = try await Overview.found(door, "/v1/handouts?classId=\(classID)", own)
        let handout = page?["items"]?.array?.first { $0["title"]?.text == "Fun with Science" }
        handoutID = handout?["id"]?.text
    }

    /// Whether filling the school has finished.
    package static func isFinished(_ door: Door, token: String) async throws -> Bool {
        let organization = try await door.call(.get, "/v1/organization", token: token)
        return organization["name"]?.text != DemonstrationAccount.unfinishedName
    }

    private static func id(
        of account: DemonstrationAccount, _ door: Door, _ token: String
    ) async throws -> String? {
        guard let source = account.sourceID else { return nil }
        return try await found(door, "/v1/people/source:\(source)", token)?["id"]?.text
    }

    private static func found(
        _ door: Door, _ target: String, _ token: String
    ) async throws -> JSONValue? {
        let answer = try await door.send(.get, target, token, .nothing)
        guard answer.status == 200 else { return nil }
        return try JSONValue(parsing: answer.body)
    }
}
