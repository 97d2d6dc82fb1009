import ClassKit
import Foundation

/// What an app on Linux needs beside ClassKit, because the system does not do it: signing in, deep links, and pausing
/// while nobody looks at the app.
public enum ClassKitLinux {
    /// Whether a person is signed in, or was last.
    public static var isSignedIn: Bool { CLSDataStore.shared.settings.subject != nil }

    /// Pauses what runs, and sends what waits. Call it when your window loses the focus or is closed.
    public static func enterBackground() { CLSDataStore.shared.enterBackground() }

    /// Lets go on what `enterBackground()` has paused.
    public static func enterForeground() { CLSDataStore.shared.enterForeground() }

    /// Sends what waits, as far as the network allows, and fetches what changed. Call it before your program ends.
    public static func synchronize() async { await CLSDataStore.shared.synchronize() }

    /// How many changes wait for sending.
    /// - Throws: `CLSError` if the store cannot be read.
    public static func unsentCount() async throws -> Int {
        try await CLSDataStore.shared.unsentCount()
    }

    /// The user activity of a link into your app, `classkit-BUNDLEID://open?path=["a","b"]`; `nil` for other links.
    ///
    /// Your desktop entry has the line `MimeType=x-scheme-handler/classkit-BUNDLEID;`. Pass the activity to the code
    /// that continues activities.
    public static func userActivity(from url: URL) -> NSUserActivity? {
        userActivity(from: url, for: CLSDataStore.shared.settings.bundleID)
    }

    static func userActivity(from url: URL, for bundleID: String) -> NSUserActivity? {
        guard url.scheme?.lowercased() == "classkit-\(bundleID.lowercased())", url.host == "open",
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            let text = parts.queryItems?.first(where: { $0.name == "path" })?.value,
            let path = try? JSONDecoder().decode([String].self, from: Data(text.utf8)),
            !path.isEmpty
        else { return nil }
        let activity = NSUserActivity(activityType: NSUserActivity.deepLinkType)
        activity.userInfo = [NSUserActivity.pathKey: path]
        return activity
    }
}
