/// An error in the form of a standard of its own, where calls do not answer a `Problem`.
package protocol AnsweredError: Error {
    /// What the client gets.
    var response: Response { get }
}

extension AnsweredError {
    /// Runs a call and answers its refusals in the standard's form; lets other errors through.
    package static func answering(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let refusal as Self {
            return refusal.response
        }
    }
}
