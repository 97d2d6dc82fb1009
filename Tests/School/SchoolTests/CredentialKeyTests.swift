import Crypto
import Foundation
import Testing

@testable import School

/// The file of the key with which client secrets are sealed.
@Suite struct CredentialKeys {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "key-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test func `the file is made once, for its owner alone`() throws {
        try withFolder { folder in
            let path = folder + "/credentials.key"
            #expect(try CredentialKey(at: path).find()?.id == nil)
            let made = try CredentialKey(at: path).findOrMake()
            #expect(try CredentialKey(at: path).findOrMake().id == made.id)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        }
    }

    @Test func `several that make it at once have the same key`() async throws {
        let folder = NSTemporaryDirectory() + "key-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask { try CredentialKey(at: folder + "/credentials.key").findOrMake().id }
            }
            var ids: Set<String> = []
            for try await id in group { ids.insert(id) }
            return ids
        }
        #expect(ids.count == 1)
    }

    @Test(arguments: [
        "", "\n", "abc", String(repeating: "0", count: 63), String(repeating: "x", count: 64),
    ])
    func `a file that holds no key is refused, and left as it is`(content: String) throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/credentials.key"
            try content.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(throws: CredentialKey.Unusable.self) {
                try CredentialKey(at: path).findOrMake()
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
        }
    }
}
