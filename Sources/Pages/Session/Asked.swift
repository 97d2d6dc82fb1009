import Contract
import HTTPWire
import JSONBytes

/// A call of the contract as a page makes it: with what its path names, and its query.
struct Asked<Query: QueryNames, Answer: Answered>: Sendable {
    let method: HTTPMethod
    private(set) var path: LocalPath

    /// The same with one more parameter; unchanged if the value is `nil`.
    func with(_ name: Query, _ value: String?) -> Asked {
        guard let value else { return self }
        var copy = self
        copy.path = path.with(item: name.rawValue, value)
        return copy
    }

    func with(_ name: Query, _ value: Int) -> Asked { with(name, "\(value)") }
}

extension Call {
    /// The call with what stands in the braces of its path, from left to right.
    func of(_ values: String...) -> Asked<Query, Answer> {
        var rest = values[...]
        let steps = path.split(separator: "/").map { step -> String in
            guard step.hasPrefix("{") else { return String(step) }
            guard let value = rest.popFirst() else {
                preconditionFailure("\(path) names more than \(values.count)")
            }
            return LocalPath.encoded(value)
        }
        precondition(rest.isEmpty, "\(path) names less than \(values.count)")
        return Asked(method: method, path: LocalPath(own: "/" + steps.joined(separator: "/")))
    }

    /// A call whose path names nothing.
    var asked: Asked<Query, Answer> { of() }
}

extension Client {
    /// What the API answers to a call of the contract. Throws a `Refusal` for any status but 2xx.
    @discardableResult
    func answer<Query, Answer>(
        to call: Asked<Query, Answer>, _ body: JSONValue? = nil
    ) async throws -> Answer {
        guard let answer = Answer(try await send(call.method, call.path, body)) else {
            throw UnexpectedDocument()
        }
        return answer
    }

    /// Sends a file while it arrives.
    func upload<Query, Answer>(
        _ file: SentFile, as type: String, to call: Asked<Query, Answer>
    ) async throws -> Answer {
        guard let answer = Answer(try await upload(file, as: type, to: call.path)) else {
            throw UnexpectedDocument()
        }
        return answer
    }
}

/// An answer of the API in which something is missing that pages rely on.
struct UnexpectedDocument: Error {}
