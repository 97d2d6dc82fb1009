import Foundation

extension StoreSettings {
    /// The settings of this app: its bundle id, the folder of the person's data, and the name of the app.
    package static func found(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> StoreSettings {
        let program = ProcessInfo.processInfo.processName
        let bundleID =
            environment["CLASSKIT_BUNDLE"] ?? Bundle.main.bundleIdentifier ?? program
        let title =
            Bundle.main.object(forInfoDictionaryKey: "CFBundleDisplayName") as? String ?? program
        return StoreSettings(
            bundleID: bundleID, title: title,
            folder: dataFolder(environment).appendingPathComponent(fileName(bundleID)),
            subject: nil,
            obstacle: CLSError(
                .classKitUnavailable,
                "No server is configured: set CLASSKIT_SERVER, or write /etc/homeroom/classkit.json."
            ))
    }

    /// `$XDG_DATA_HOME/classkit`.
    package static func dataFolder(_ environment: [String: String]) -> URL {
        let data =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? NSHomeDirectory() + "/.local/share"
        return URL(fileURLWithPath: data).appendingPathComponent("classkit")
    }
}
