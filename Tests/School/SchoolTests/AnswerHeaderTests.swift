import School
import TestKit
import Testing

/// What every answer says to anything that stores or shows it.
@Suite struct AnswerHeaders {
    @Test(arguments: ["/v1/me", "/v1/people", "/v1/people/source:nobody", "/v1/nothing"])
    func `browsers do not guess the type of an answer`(target: String) async throws {
        try await withSchool { school in
            let answer = try await school.get(target, as: .ada)
            #expect(answer.header("x-content-type-options") == "nosniff")
        }
    }
}
