import ClassKitUplink
import Foundation

/// A context as the database has it.
struct ContextRow: Equatable, Sendable {
    /// Below the app.
    var path: [String]
    var fields: ContextFields
    var capabilities: [CapabilityRow]
    /// Where it is also shown, below the app.
    var navigation: [[String]]
    var origin = "local"
    var hasThumbnail = false
    var created: Date
    var modified: Date
}

/// What a save does to a thumbnail.
enum PictureChange: Equatable, Sendable {
    case none
    /// `nil` removes it.
    case file(Data?)
}

/// All figures of an activity.
struct ItemRows: Codable, Equatable, Sendable {
    var primary: ItemRecord?
    var additional: [ItemRecord] = []
}

/// An activity as the database has it.
struct ActivityRow: Equatable, Sendable {
    var id: UUID
    /// Below the app.
    var path: [String]
    var formerID: UUID?
    var startedAt: Moment?
    var stoppedAt: Moment?
    var modifiedAt: Moment
    var seconds: Double
    var ranges: ProgressRanges
    var items: ItemRows
    var created: Date
    var isRunning: Bool
    var isCurrent: Bool
}

/// What one save changes.
struct SaveRows: Sendable {
    var removals: [[String]] = []
    var contexts: [(row: ContextRow, picture: PictureChange)] = []
    var activities: [ActivityRow] = []

    var isEmpty: Bool { removals.isEmpty && contexts.isEmpty && activities.isEmpty }
}
