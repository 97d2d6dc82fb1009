import ClassKitUplink
import Foundation

/// A context as the Catalog API takes it.
struct CatalogContext: Encodable, Equatable {
    struct ContextData: Encodable, Equatable {
        var identifierPath: [String]
        var title: String
        var type: String
        var customTypeName: String?
        var displayOrder: Double
        var isAssignable: Bool
        var progressReportingCapabilities: [Capability]
        var suggestedAge: [Int]?
        var suggestedCompletionTime: [Int]?
        var summary: String?
        var topic: String?
        var universalLinkURL: String?
        var thumbnailId: String?
    }

    struct Metadata: Encodable, Equatable {
        var locale: String
        var presentablePaths: [Place]?
    }

    struct Place: Encodable, Equatable {
        var path: [String]
    }

    var data: ContextData
    var metadata: Metadata

    /// - Parameters:
    ///   - bundleID: the app, where every path of the catalog begins.
    ///   - thumbnailID: `nil` for no picture.
    init(_ context: ContextRecord, of bundleID: String, locale: String, thumbnailID: String?) {
        data = ContextData(
            identifierPath: [bundleID] + context.identifierPath, title: context.title,
            type: context.type, customTypeName: context.customTypeName,
            displayOrder: context.displayOrder, isAssignable: context.isAssignable,
            progressReportingCapabilities: context.progressReportingCapabilities,
            suggestedAge: context.suggestedAge.map(Self.bounds),
            suggestedCompletionTime: context.suggestedCompletionTime.map(Self.bounds),
            summary: context.summary, topic: context.topic,
            universalLinkURL: context.universalLinkURL, thumbnailId: thumbnailID)
        let paths = context.navigationPaths ?? []
        metadata = Metadata(
            locale: locale,
            // The list replaces the place below the parent, which therefore is in it.
            presentablePaths: paths.isEmpty
                ? nil
                : ([context.identifierPath.dropLast()] + paths).map { Place(path: [bundleID] + $0) }
        )
    }

    /// The catalog's word for no upper bound is the second largest number.
    private static func bounds(_ bounds: Bounds) -> [Int] {
        [bounds.lower, bounds.upper ?? Int.max - 1]
    }
}
