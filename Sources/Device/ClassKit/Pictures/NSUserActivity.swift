import Foundation

/// What a person was doing, as one app or system component says it to another.
///
/// Linux has no such class. `ClassKitLinux.userActivity(from:)` makes one from a deep link, so that the code with
/// which your app continues an activity stays as it is.
open class NSUserActivity: NSObject {
    /// The kind of activity, in reverse-DNS form.
    public let activityType: String
    /// A title for people.
    public var title: String?
    /// Whatever is needed to continue the activity.
    public var userInfo: [AnyHashable: Any]?
    /// The web page with the same content.
    public var webpageURL: URL?

    /// Creates an activity.
    public init(activityType: String) {
        self.activityType = activityType
        super.init()
    }

    /// The kind of activity of a link into an app's contexts.
    package static let deepLinkType = "org.homeroom.classkit.open"
    /// The key of the path in `userInfo`.
    package static let pathKey = "identifierPath"

    /// Whether this opens a context.
    public var isClassKitDeepLink: Bool { contextIdentifierPath != nil }

    /// The identifier path of the context to open, below the app; `nil` if this does not open one.
    public var contextIdentifierPath: [String]? {
        guard activityType == NSUserActivity.deepLinkType else { return nil }
        return userInfo?[NSUserActivity.pathKey] as? [String]
    }
}
