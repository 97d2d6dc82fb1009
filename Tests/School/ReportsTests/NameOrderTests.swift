import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// Reports list students as the paper list beside them does.
@Suite struct NamesInReports {
    @Test func `a name with a mark is beside the one without`() async throws {
        try await withSchool { school in
            for (persona, name) in [(Persona.sam, "Özdemir"), (.sue, "Zimmer")] {
                try school.sql(
                    "update school.person set family_name = \(name) where person_id = \(school.id(persona))"
                )
            }
            let handout = try school.newHandout()
            for app in [Persona.samsApp, .suesApp] {
                try await school.upload([school.attempt(primary: Item.quantity(3))], as: app)
            }
            let path = "/v1/handouts/\(handout.id.uuid)"
            let report = try await school.get("\(path)/report", as: .tom).json
            #expect(names(report["tasks"]?[0]?["students"]) == ["Özdemir", "Zimmer"])
            let items = try await school.get("\(path)/tasks/\(handout.task.uuid)/items", as: .tom)
            #expect(names(items.json["items"]?[0]?["students"]) == ["Özdemir", "Zimmer"])
        }
    }

    private func names(_ students: JSONValue?) -> [String?]? {
        students?.array?.map { $0["familyName"]?.text }
    }
}
