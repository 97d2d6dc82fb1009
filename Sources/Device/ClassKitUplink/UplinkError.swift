public import Foundation

/// What goes wrong between an app and its server.
public enum UplinkError: Error, Equatable, Sendable {
    /// A setting cannot be used. Names where it is and what is wrong.
    case configuration(String)
    /// The server could not be reached, or the connection broke.
    case network(String)
    /// The server sent something that its protocol does not have.
    case protocolViolation(String)
    /// Nobody is signed in.
    case signedOut
    /// Another person is signed in than the one whose work this is.
    case otherPerson
    /// The person said no, or the code expired.
    case signInFailed(String)
    /// The server refused the call.
    case refused(status: Int, code: String, detail: String)
    /// The secret store does not work.
    case secrets(String)
}

extension UplinkError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .configuration(let text), .network(let text), .protocolViolation(let text),
            .signInFailed(let text), .secrets(let text):
            text
        case .signedOut: "Nobody is signed in."
        case .otherPerson: "Another person is signed in."
        case .refused(let status, let code, let detail): "\(status) \(code): \(detail)"
        }
    }
}

extension UplinkError: LocalizedError {
    public var errorDescription: String? { description }
}
