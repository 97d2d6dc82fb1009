public import Foundation

/// Keeps small secrets for a person who is signed in at this machine.
public protocol SecretStore: Sendable {
    /// All copies that there are of a secret; usually one or none.
    func copies(_ name: String) async throws -> [Data]
    /// Replaces the secret. It is durable when the call returns.
    func write(_ secret: Data, as name: String) async throws
    /// Forgets it. It is not an error if there is none.
    func remove(_ name: String) async throws
}

extension SecretStore {
    /// The copy with the latest tokens.
    func newest(_ name: String) async throws -> SignedIn? {
        try await copies(name).compactMap { try? JSON.decode(SignedIn.self, from: $0) }
            .max { $0.generation < $1.generation }
    }
}

/// The desktop's secret store where there is one, else a file.
///
/// A keyring may be locked, or be there today and not tomorrow. So both are asked, and the one that has the later tokens
/// is right.
public struct DesktopSecrets: SecretStore {
    private let keyring: SecretTool
    private let file: SecretFile

    /// - Parameter folder: for the file.
    public init(
        folder: URL, variables: [String: String] = ProcessInfo.processInfo.environment
    ) {
        keyring = SecretTool(variables: variables)
        file = SecretFile(folder: folder)
    }

    public func copies(_ name: String) async throws -> [Data] {
        let inFile = try await file.copies(name)
        return await ((try? keyring.copies(name)) ?? []) + inFile
    }

    public func write(_ secret: Data, as name: String) async throws {
        do {
            try await keyring.write(secret, as: name)
        } catch UplinkError.secrets {
            return try await file.write(secret, as: name)
        }
        try await file.remove(name)
    }

    public func remove(_ name: String) async throws {
        try await file.remove(name)
        try? await keyring.remove(name)
    }
}
