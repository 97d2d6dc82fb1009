import ClassKitUplink
import Foundation

extension StoreSettings {
    /// The settings of this app: its bundle id and its server, and who signed in last.
    ///
    /// The bundle id is that of `CLASSKIT_BUNDLE`, else that of the app's Info.plist, else the name of the program.
    package static func found(
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) -> StoreSettings {
        let program = ProcessInfo.processInfo.processName
        let bundleID = variables["CLASSKIT_BUNDLE"] ?? Bundle.main.bundleIdentifier ?? program
        let title =
            Bundle.main.object(forInfoDictionaryKey: "CFBundleDisplayName") as? String ?? program
        var settings = StoreSettings(
            bundleID: bundleID, title: title,
            folder: SignIn.folder(bundleID: bundleID, variables: variables), subject: nil)
        do {
            let configuration = try UplinkConfiguration.find(
                bundleID: bundleID, variables: variables)
            guard let configuration else {
                settings.obstacle = CLSError(
                    .classKitUnavailable,
                    """
                    No server is configured for \(bundleID): set CLASSKIT_SERVER, or name the app in \
                    /etc/homeroom/classkit.json.
                    """)
                return settings
            }
            settings.subject = try SignIn.keptSubject(
                configuration: configuration, folder: settings.folder, variables: variables)
            let tokens: any TokenSource =
                FixedToken(variables: variables)
                ?? SignIn(
                    configuration: configuration, folder: settings.folder,
                    secrets: DesktopSecrets(folder: settings.folder, variables: variables))
            settings.link = ServerLink(configuration: configuration, tokens: tokens)
        } catch {
            settings.obstacle = CLSError(
                .classKitUnavailable,
                "The server's configuration cannot be used: \(error.localizedDescription)")
        }
        return settings
    }
}
