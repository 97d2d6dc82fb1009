import Foundation

/// A context as the database has it.
struct ContextRow: Equatable, Sendable {
    /// Below the app.
    var path: [String]
    var fields: ContextFields
    var capabilities: [Capability]
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

/// A figure of an activity as the database has it.
enum ItemRow: Codable, Equatable, Sendable {
    case score(identifier: String, title: String, score: Double, maxScore: Double)
    case quantity(identifier: String, title: String, quantity: Double)
    case binary(identifier: String, title: String, value: Bool, valueType: Int)
}

/// All figures of an activity.
struct ItemRows: Codable, Equatable, Sendable {
    var primary: ItemRow?
    var additional: [ItemRow] = []
}

/// An activity as the database has it.
struct ActivityRow: Equatable, Sendable {
    var id: UUID
    /// Below the app.
    var path: [String]
    var formerID: UUID?
    var startedAt: DeviceTime?
    var stoppedAt: DeviceTime?
    var modifiedAt: DeviceTime
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
