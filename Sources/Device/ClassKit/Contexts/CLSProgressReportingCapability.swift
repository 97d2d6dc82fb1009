import Foundation

/// A kind of progress that a context reports, announced to teachers before they assign it.
open class CLSProgressReportingCapability: CLSObject, @unchecked Sendable {
    /// The kinds of progress.
    public enum Kind: Int, Sendable {
        /// The time spent.
        case duration = 0
        /// How much is done, in percent.
        case percent = 1
        /// One of two values, such as passed or failed.
        case binary = 2
        /// A quantity, such as the hints used.
        case quantity = 3
        /// A score.
        case score = 4
    }

    /// The kind of progress.
    public let kind: Kind
    /// What the progress means, in words for teachers.
    public let details: String?

    /// Creates a capability.
    public init(kind: Kind, details: String?) {
        self.kind = kind
        self.details = details
        super.init()
    }

    /// Restores an archived capability.
    public required init?(coder: NSCoder) {
        guard let kind = Kind(rawValue: coder.decodeInteger(forKey: "kind")) else { return nil }
        self.kind = kind
        details = coder.decodeObject(of: NSString.self, forKey: "details") as String?
        super.init(coder: coder)
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(kind.rawValue, forKey: "kind")
        coder.encode(details as NSString?, forKey: "details")
    }
}
