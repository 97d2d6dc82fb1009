public import Foundation

/// Which server an app reports to, and as which app.
public struct UplinkConfiguration: Codable, Equatable, Sendable {
    /// The address of the server, with a path if it has one.
    public var server: URL
    /// Names the app.
    public var bundleID: String
    /// `production` or `development`.
    public var environment: String

    /// Makes a configuration.
    ///
    /// - Throws: `UplinkError.configuration` unless the address is `https`, or `http` on this machine.
    public init(server: URL, bundleID: String, environment: String = "production") throws {
        try ServerAddress.check(server)
        guard ["production", "development"].contains(environment) else {
            throw UplinkError.configuration(
                "The environment must be production or development, not “\(environment)”.")
        }
        guard !bundleID.isEmpty else {
            throw UplinkError.configuration("The bundle id is empty.")
        }
        self.server = server
        self.bundleID = bundleID
        self.environment = environment
    }

    /// Finds the configuration: the variables `CLASSKIT_SERVER` and `CLASSKIT_ENVIRONMENT`, and for what they leave out
    /// the file of the machine's administrator.
    ///
    /// - Returns: `nil` if no server is configured, or the file does not list the app.
    /// - Throws: `UplinkError.configuration`, naming what cannot be used.
    public static func find(
        bundleID: String,
        variables: [String: String] = ProcessInfo.processInfo.environment,
        file: String = "/etc/homeroom/classkit.json"
    ) throws -> UplinkConfiguration? {
        let machine = try MachineSettings.read(file)
        let text = variables["CLASSKIT_SERVER"].flatMap { $0.isEmpty ? nil : $0 }
        if text == nil, let bundles = machine?.bundles, !bundles.contains(bundleID) { return nil }
        guard let address = text ?? machine?.server else { return nil }
        let origin = text == nil ? "\(file): server" : "CLASSKIT_SERVER"
        guard let url = URL(string: address) else {
            throw UplinkError.configuration("\(origin): “\(address)” is not an address.")
        }
        do {
            return try UplinkConfiguration(
                server: url, bundleID: bundleID,
                environment: variables["CLASSKIT_ENVIRONMENT"] ?? machine?.environment
                    ?? "production")
        } catch UplinkError.configuration(let reason) {
            throw UplinkError.configuration("\(origin): \(reason)")
        }
    }

    /// The address of a call.
    func address(_ path: String, query: [(String, String)] = []) -> URL {
        let base = server.absoluteString
        let start = base.hasSuffix("/") ? String(base.dropLast()) : base
        let text =
            query.isEmpty
            ? start + path
            : start + path + "?" + query.map { "\($0)=\(Form.encode($1))" }.joined(separator: "&")
        return URL(string: text) ?? server
    }
}

/// What the administrator of a managed machine has written.
private struct MachineSettings: Decodable {
    let server: String
    let organization: String?
    let environment: String?
    let bundles: [String]?

    static func read(_ file: String) throws -> MachineSettings? {
        guard let data = FileManager.default.contents(atPath: file) else {
            guard FileManager.default.fileExists(atPath: file) else { return nil }
            throw UplinkError.configuration("\(file) cannot be read.")
        }
        do {
            return try JSON.decode(MachineSettings.self, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw UplinkError.configuration("\(file): “\(key.stringValue)” is missing.")
        } catch DecodingError.typeMismatch(_, let context) {
            let field = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw UplinkError.configuration("\(file): “\(field)” has the wrong type.")
        } catch {
            throw UplinkError.configuration("\(file) is not valid JSON.")
        }
    }
}

/// `application/x-www-form-urlencoded`.
enum Form {
    static func body(_ fields: [(String, String)]) -> Data {
        Data(fields.map { "\($0)=\(encode($1))" }.joined(separator: "&").utf8)
    }

    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
