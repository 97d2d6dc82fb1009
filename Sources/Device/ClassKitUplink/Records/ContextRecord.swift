public import Foundation

/// A context as an app saves it (`NewNativeContext` of the server's API).
public struct ContextRecord: Codable, Equatable, Sendable {
    /// Below the app; `[]` is the app itself.
    public var identifierPath: [String]
    /// What teachers and students read.
    public var title: String
    /// The server's word, such as `quiz`.
    public var type: String
    /// For the type `custom`.
    public var customTypeName: String?
    /// Siblings sort by it.
    public var displayOrder: Double
    /// Whether a teacher may assign it.
    public var isAssignable: Bool
    /// Which figures it announces.
    public var progressReportingCapabilities: [Capability]
    /// In years; `nil` for everyone.
    public var suggestedAge: Bounds?
    /// In minutes; `nil` for any time.
    public var suggestedCompletionTime: Bounds?
    /// A longer description.
    public var summary: String?
    /// The server's word, such as `math`.
    public var topic: String?
    /// Where a deep link leads instead of the app's own.
    public var universalLinkURL: String?
    /// Second places in browsing; `nil` leaves what the server has.
    public var navigationPaths: [[String]]?

    /// Makes a context; what is left out has the server's default.
    public init(
        identifierPath: [String], title: String, type: String, customTypeName: String? = nil,
        displayOrder: Double = 0, isAssignable: Bool = true,
        progressReportingCapabilities: [Capability] = [], suggestedAge: Bounds? = nil,
        suggestedCompletionTime: Bounds? = nil, summary: String? = nil, topic: String? = nil,
        universalLinkURL: String? = nil, navigationPaths: [[String]]? = nil
    ) {
        self.identifierPath = identifierPath
        self.title = title
        self.type = type
        self.customTypeName = customTypeName
        self.displayOrder = displayOrder
        self.isAssignable = isAssignable
        self.progressReportingCapabilities = progressReportingCapabilities
        self.suggestedAge = suggestedAge
        self.suggestedCompletionTime = suggestedCompletionTime
        self.summary = summary
        self.topic = topic
        self.universalLinkURL = universalLinkURL
        self.navigationPaths = navigationPaths
    }
}

/// A figure that a context announces.
public struct Capability: Codable, Hashable, Sendable {
    /// `duration`, `percent`, `binary`, `quantity` or `score`.
    public var kind: String
    /// What it means here, for teachers.
    public var details: String

    /// Makes a capability.
    public init(kind: String, details: String) {
        self.kind = kind
        self.details = details
    }
}

/// A lower and an upper bound, both inclusive. In JSON `[lower, upper]`, with null for no bound.
public struct Bounds: Codable, Hashable, Sendable {
    /// At least this.
    public var lower: Int
    /// At most this; `nil` for no bound.
    public var upper: Int?

    /// Makes bounds.
    public init(lower: Int, upper: Int?) {
        self.lower = lower
        self.upper = upper
    }

    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        lower = try list.decodeIfPresent(Int.self) ?? 0
        upper = try list.decodeIfPresent(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(lower)
        if let upper { try list.encode(upper) } else { try list.encodeNil() }
    }
}

/// A context as the server has it, published by the developer or saved by the app.
public struct MirroredContext: Decodable, Equatable, Sendable {
    /// What an app would save to get it.
    public var record: ContextRecord
    /// `catalog` or `native`.
    public var origin: String
    /// By the server's clock.
    public var createdAt: Date
    /// By the server's clock.
    public var updatedAt: Date
    /// Whether `Uplink.thumbnail(of:)` finds a picture.
    public var hasThumbnail: Bool

    /// Makes a context.
    public init(
        record: ContextRecord, origin: String, createdAt: Date, updatedAt: Date,
        hasThumbnail: Bool = false
    ) {
        self.record = record
        self.origin = origin
        self.hasThumbnail = hasThumbnail
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    private enum CodingKeys: String, CodingKey {
        case origin, createdAt, updatedAt, hasThumbnail
    }

    public init(from decoder: any Decoder) throws {
        record = try ContextRecord(from: decoder)
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        origin = try fields.decode(String.self, forKey: .origin)
        createdAt = try fields.decode(Date.self, forKey: .createdAt)
        updatedAt = try fields.decode(Date.self, forKey: .updatedAt)
        // Older servers have no pictures of contexts.
        hasThumbnail = try fields.decodeIfPresent(Bool.self, forKey: .hasThumbnail) ?? false
    }
}

/// A picture of a context.
public struct ThumbnailRecord: Equatable, Sendable {
    /// The context, below the app.
    public var identifierPath: [String]
    /// PNG or JPEG; `nil` removes the picture.
    public var image: Data?

    /// Makes a record.
    public init(identifierPath: [String], image: Data?) {
        self.identifierPath = identifierPath
        self.image = image
    }
}

/// That everything assigned for a context is done.
public struct CompletionRecord: Codable, Equatable, Sendable {
    /// The context, below the app.
    public var identifierPath: [String]
    /// When the app said so.
    public var queuedAt: Moment

    /// Makes a record.
    public init(identifierPath: [String], queuedAt: Moment) {
        self.identifierPath = identifierPath
        self.queuedAt = queuedAt
    }
}
