public import Foundation

/// One attempt of a person at a context. Its times are the device's; the uplink corrects them when it sends.
public struct ActivityRecord: Codable, Equatable, Sendable {
    /// Chosen by the device, the same for every part of the attempt.
    public var id: UUID
    /// The context, below the app; `[]` is the app itself.
    public var identifierPath: [String]
    /// When it was first started.
    public var startedAt: Moment
    /// When it was last stopped; `nil` while it runs.
    public var stoppedAt: Moment?
    /// When anything about it last changed, its duration included.
    public var modifiedAt: Moment
    /// Time in running state.
    public var durationSeconds: Double
    /// Progress, in any order, overlapping or not.
    public var progressRanges: [ProgressRange]
    /// The figure that matters most.
    public var primaryItem: ItemRecord?
    /// The other figures.
    public var additionalItems: [ItemRecord]
    /// The times that were sent last; `nil` before the first sending.
    public var stamp: ActivityStamp?
    /// `stamp.modifiedAt` of the former activity at the same context; `nil` if there is none or it was never sent.
    public var formerModifiedAt: Date?

    /// Makes a record.
    public init(
        id: UUID, identifierPath: [String], startedAt: Moment, stoppedAt: Moment?,
        modifiedAt: Moment, durationSeconds: Double, progressRanges: [ProgressRange] = [],
        primaryItem: ItemRecord? = nil, additionalItems: [ItemRecord] = [],
        stamp: ActivityStamp? = nil, formerModifiedAt: Date? = nil
    ) {
        self.id = id
        self.identifierPath = identifierPath
        self.startedAt = startedAt
        self.stoppedAt = stoppedAt
        self.modifiedAt = modifiedAt
        self.durationSeconds = durationSeconds
        self.progressRanges = progressRanges
        self.primaryItem = primaryItem
        self.additionalItems = additionalItems
        self.stamp = stamp
        self.formerModifiedAt = formerModifiedAt
    }
}

/// The times of an activity as they were sent, in the server's time.
///
/// A part keeps its times when it is sent again, and a later part gets later ones, whatever the clocks say meanwhile:
/// the server takes the part with the later `modifiedAt`.
public struct ActivityStamp: Codable, Equatable, Sendable {
    /// The activity.
    public var id: UUID
    /// As sent.
    public var startedAt: Date
    /// As sent.
    public var modifiedAt: Date
    /// The device's moment that `modifiedAt` stands for.
    public var revisedAt: Moment

    /// Makes a stamp.
    public init(id: UUID, startedAt: Date, modifiedAt: Date, revisedAt: Moment) {
        self.id = id
        self.startedAt = startedAt
        self.modifiedAt = modifiedAt
        self.revisedAt = revisedAt
    }
}

/// Progress from one point to another, both from 0 to 1. In JSON `[start, end]`.
public struct ProgressRange: Codable, Hashable, Sendable {
    /// Where it begins.
    public var start: Double
    /// Where it ends, after `start`.
    public var end: Double

    /// Makes a range.
    public init(start: Double, end: Double) {
        self.start = start
        self.end = end
    }

    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        start = try list.decode(Double.self)
        end = try list.decode(Double.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(start)
        try list.encode(end)
    }
}

/// A figure of an activity.
public enum ItemRecord: Codable, Equatable, Sendable {
    /// Points out of a maximum.
    case score(identifier: String, title: String, score: Double, maxScore: Double)
    /// A number.
    case quantity(identifier: String, title: String, quantity: Double)
    /// One of two values; `valueType` is the server's word for the pair, such as `passFail`.
    case binary(identifier: String, title: String, value: Bool, valueType: String)

    private enum CodingKeys: String, CodingKey {
        case kind, identifier, title, score, maxScore, quantity, value, valueType
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let identifier = try fields.decode(String.self, forKey: .identifier)
        let title = try fields.decode(String.self, forKey: .title)
        let kind = try fields.decode(String.self, forKey: .kind)
        switch kind {
        case "score":
            self = .score(
                identifier: identifier, title: title,
                score: try fields.decode(Double.self, forKey: .score),
                maxScore: try fields.decode(Double.self, forKey: .maxScore))
        case "quantity":
            self = .quantity(
                identifier: identifier, title: title,
                quantity: try fields.decode(Double.self, forKey: .quantity))
        case "binary":
            self = .binary(
                identifier: identifier, title: title,
                value: try fields.decode(Bool.self, forKey: .value),
                valueType: try fields.decode(String.self, forKey: .valueType))
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: fields, debugDescription: "“\(kind)” is not a kind of item.")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        func name(_ kind: String, _ identifier: String, _ title: String) throws {
            try fields.encode(kind, forKey: .kind)
            try fields.encode(identifier, forKey: .identifier)
            try fields.encode(title, forKey: .title)
        }
        switch self {
        case .score(let identifier, let title, let score, let maxScore):
            try name("score", identifier, title)
            try fields.encode(score, forKey: .score)
            try fields.encode(maxScore, forKey: .maxScore)
        case .quantity(let identifier, let title, let quantity):
            try name("quantity", identifier, title)
            try fields.encode(quantity, forKey: .quantity)
        case .binary(let identifier, let title, let value, let valueType):
            try name("binary", identifier, title)
            try fields.encode(value, forKey: .value)
            try fields.encode(valueType, forKey: .valueType)
        }
    }
}
