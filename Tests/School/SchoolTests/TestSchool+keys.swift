import JSONBytes
import Postgres
import TestKit

extension TestSchool {
    func addLocation(
        _ name: String, key: String?, as persona: Persona = .ada
    ) async throws -> Answer {
        try await post(
            "/v1/locations", as: persona, json: ["name": .text(name)],
            headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    func locationCount(_ name: String) throws -> Int {
        try sql("select from school.location where name = \(name)").count
    }

    func keyCount() throws -> Int {
        try sql("select from school.idempotency_key").count
    }
}
