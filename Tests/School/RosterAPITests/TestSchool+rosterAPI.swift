import JSONBytes
import TestKit

extension TestSchool {
    func roster(_ path: String, as persona: Persona? = .rosterReader) async throws -> Answer {
        try await get("/rosterapi/v1/\(path)", as: persona)
    }

    /// The given names of listed users, in lower case.
    func names(_ path: String, as persona: Persona = .rosterReader) async throws -> [String] {
        Answer.names(in: try await roster(path, as: persona))
    }
}

extension Answer {
    static func names(in answer: Answer) -> [String] {
        (answer.json["users"]?.array ?? []).compactMap { $0["givenName"]?.text?.lowercased() }
    }
}
