public import Foundation

/// The desktop's secret store, such as GNOME Keyring or KWallet, by libsecret's own program `secret-tool`.
///
/// The program rather than the library: an app needs neither libsecret nor GLib to start, the secret travels on standard
/// input, and a keyring that hangs is ended after some seconds instead of holding a thread of the app. It is run only
/// when a person signs in, and once an hour.
public struct SecretTool: SecretStore {
    private let variables: [String: String]

    /// - Parameter variables: where programs and the session bus are found.
    public init(variables: [String: String] = ProcessInfo.processInfo.environment) {
        self.variables = variables
    }

    public func copies(_ name: String) async throws -> [Data] {
        let output = try await run(["lookup"] + attributes(name))
        // 1 is “not found”.
        guard output.status == 0, !output.output.isEmpty,
            let secret = Data(base64Encoded: output.output, options: .ignoreUnknownCharacters)
        else { return [] }
        return [secret]
    }

    public func write(_ secret: Data, as name: String) async throws {
        // Base64 has no line ends that the program would cut off.
        let output = try await run(
            ["store", "--label=Homeroom sign-in"] + attributes(name),
            input: secret.base64EncodedData())
        guard output.status == 0, try await copies(name) == [secret] else {
            throw UplinkError.secrets("The desktop's secret store does not keep the sign-in.")
        }
    }

    public func remove(_ name: String) async throws {
        _ = try await run(["clear"] + attributes(name))
    }

    private func attributes(_ name: String) -> [String] {
        ["application", "homeroom-classkit", "sign-in", name]
    }

    private func run(_ arguments: [String], input: Data = Data()) async throws -> Program.Output {
        guard variables["DBUS_SESSION_BUS_ADDRESS"] != nil,
            let output = try await Program.run(
                "secret-tool", arguments, input: input, seconds: 10, variables: variables)
        else { throw UplinkError.secrets("There is no secret store on this desktop.") }
        return output
    }
}
