import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The service as the demonstration uses it: its calls, and two things that no call can do.
package struct Door: Sendable {
    package typealias Answer = (status: Int, body: [UInt8])
    package typealias Send =
        @Sendable (HTTPMethod, _ target: String, _ token: String?, _ content: Content) async throws
        -> Answer

    /// The body of a request.
    package enum Content: Sendable {
        case nothing
        case json([UInt8])
        /// `application/x-www-form-urlencoded`.
        case form([UInt8])
        case archive([UInt8])
    }

    /// Sends a request with a bearer token through the service's own code.
    let send: Send
    /// Creates a token without a sign-in, as `homeroom token create` does: six hundred passwords would take minutes.
    let makeToken: @Sendable (PersonID, Standing, _ app: String?) async throws -> String
    /// Runs a statement as the owner of the database, for the past (`DemonstrationStatements.swift`).
    let askAsOwner: @Sendable (Statement) async throws -> Void

    package init(
        send: @escaping Send,
        makeToken: @escaping @Sendable (PersonID, Standing, String?) async throws -> String,
        askAsOwner: @escaping @Sendable (Statement) async throws -> Void
    ) {
        self.send = send
        self.makeToken = makeToken
        self.askAsOwner = askAsOwner
    }

    /// Sends and receives JSON; throws if the service refuses.
    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, token: String?, _ json: JSONValue? = nil
    ) async throws -> JSONValue {
        let answer = try await send(method, target, token, json.map { .json($0.bytes) } ?? .nothing)
        guard (200..<300).contains(answer.status) else {
            throw Refusal(method: method.name, target: target, answer: answer)
        }
        return answer.body.isEmpty ? nil : try JSONValue(parsing: answer.body)
    }
}

/// The service answered a call of the demonstration with a problem.
package struct Refusal: Error, CustomStringConvertible {
    let method: String
    let target: String
    let answer: Door.Answer

    package var description: String {
        "\(method) \(target) was answered \(answer.status): "
            + String(decoding: answer.body, as: UTF8.self)
    }
}

extension JSONValue {
    /// A member that every such answer should have.
    func promised(_ key: String) throws -> String {
        guard let text = self[key]?.text else { throw BrokenPromise(key: key) }
        return text
    }

    func promisedUUID(_ key: String) throws -> UUID {
        guard let uuid = UUID(try promised(key)) else { throw BrokenPromise(key: key) }
        return uuid
    }
}

/// An answer lacks such a member.
struct BrokenPromise: Error, CustomStringConvertible {
    let key: String

    var description: String { "An answer of the service has no \(key)." }
}
