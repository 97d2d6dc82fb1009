import Foundation

/// What an app says about a context, as it is stored and sent.
struct ContextFields: Equatable, Sendable {
    static let unbounded = NSRange(0...Int.max - 1)

    var type: CLSContextType
    var title: String
    var displayOrder = 0
    var topic: CLSContextTopic?
    var summary: String?
    var customTypeName: String?
    var isAssignable = true
    var suggestedAge = ContextFields.unbounded
    var suggestedCompletionTime = ContextFields.unbounded
    var universalLinkURL: URL?
}

/// What is kept of a progress reporting capability.
struct CapabilityRow: Equatable, Sendable {
    let kind: CLSProgressReportingCapability.Kind
    let details: String?
}
