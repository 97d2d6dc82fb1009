import Foundation

/// The domain of ClassKit's errors.
public let CLSErrorCodeDomain = "CLSErrorCodeDomain"

/// An error of ClassKit.
public struct CLSError: CustomNSError, LocalizedError, Hashable, @unchecked Sendable {
    /// What went wrong.
    public enum Code: Int, Sendable {
        /// Nothing.
        case none = 0
        /// ClassKit is unavailable because no server is configured.
        case classKitUnavailable = 1
        /// An argument is wrong.
        case invalidArgument = 2
        /// The object cannot be changed.
        case invalidModification = 3
        /// The app may not do this.
        case authorizationDenied = 4
        /// The store on this device cannot be opened or written.
        case databaseInaccessible = 5
        /// A limit was exceeded.
        case limits = 6
        /// The object exists already.
        case invalidCreate = 7
        /// The changed object could not be saved.
        case invalidUpdate = 8
        /// Some objects were saved and others were not.
        case partialFailure = 9
        /// The person has to sign in again.
        case invalidAccountCredentials = 10
    }

    private let error: NSError

    /// What went wrong.
    public var code: Code { Code(rawValue: error.code) ?? .none }

    /// The details, by the keys of `CLSErrorUserInfoKey` and Foundation.
    public var userInfo: [String: Any] { error.userInfo }

    /// Creates an error.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        error = NSError(domain: CLSErrorCodeDomain, code: code.rawValue, userInfo: userInfo)
    }

    init(_ code: Code, _ explanation: String, object: CLSObject? = nil) {
        var info: [String: Any] = [NSLocalizedDescriptionKey: explanation]
        if let object { info[CLSErrorUserInfoKey.objectKey.rawValue] = object }
        self.init(code, userInfo: info)
    }

    /// `CLSErrorCodeDomain`.
    public static var errorDomain: String { CLSErrorCodeDomain }
    /// `code` as a number.
    public var errorCode: Int { error.code }
    /// `userInfo`.
    public var errorUserInfo: [String: Any] { error.userInfo }
    /// What went wrong, in words for the developer.
    public var errorDescription: String? { error.userInfo[NSLocalizedDescriptionKey] as? String }

    /// Errors are equal if they have the same code and details.
    public static func == (left: CLSError, right: CLSError) -> Bool { left.error == right.error }
    /// Hashes the code and the details.
    public func hash(into hasher: inout Hasher) { hasher.combine(error) }

    /// No error.
    public static var none: Code { .none }
    /// ClassKit is unavailable because no server is configured.
    public static var classKitUnavailable: Code { .classKitUnavailable }
    /// An argument is wrong.
    public static var invalidArgument: Code { .invalidArgument }
    /// The object cannot be changed.
    public static var invalidModification: Code { .invalidModification }
    /// The app may not do this.
    public static var authorizationDenied: Code { .authorizationDenied }
    /// The store on this device cannot be opened or written.
    public static var databaseInaccessible: Code { .databaseInaccessible }
    /// A limit was exceeded.
    public static var limits: Code { .limits }
    /// The object exists already.
    public static var invalidCreate: Code { .invalidCreate }
    /// The changed object could not be saved.
    public static var invalidUpdate: Code { .invalidUpdate }
    /// Some objects were saved and others were not.
    public static var partialFailure: Code { .partialFailure }
    /// The person has to sign in again.
    public static var invalidAccountCredentials: Code { .invalidAccountCredentials }
}

extension CLSError.Code {
    /// Lets `catch CLSError.limits` and `case` match an error by its code.
    public static func ~= (code: CLSError.Code, error: any Error) -> Bool {
        (error as? CLSError)?.code == code
    }
}

/// The keys of an error's details.
public struct CLSErrorUserInfoKey: RawRepresentable, Hashable, Sendable {
    /// The key as text.
    public let rawValue: String

    /// Creates a key from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a key from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The object that caused the error.
    public static let objectKey = CLSErrorUserInfoKey("CLSErrorObjectKey")
    /// The errors behind a `partialFailure`, as an array.
    public static let underlyingErrorsKey = CLSErrorUserInfoKey("CLSErrorUnderlyingErrorsKey")
    /// The objects that were saved in spite of a `partialFailure`, as an array.
    public static let successfulObjectsKey = CLSErrorUserInfoKey("CLSErrorSuccessfulObjectsKey")
}
