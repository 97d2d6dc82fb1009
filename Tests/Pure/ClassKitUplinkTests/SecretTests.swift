import Foundation
import Synchronization
import Testing

@testable import ClassKitUplink

/// Where tokens are kept.
@Suite struct SecretTests {
    private let folder = TemporaryFolder()

    /// A stand-in for libsecret's program, which keeps what it gets in a file.
    private func keyring(_ script: String? = nil) throws -> [String: String] {
        let program = folder.url.appending(path: "secret-tool")
        let text =
            script ?? """
                #!/bin/sh
                verb=$1; shift
                [ "$verb" = store ] && shift
                file="\(folder.url.path)/$(echo "$*" | md5sum | cut -c1-8).item"
                case $verb in
                store) cat > "$file" ;;
                lookup) [ -f "$file" ] && cat "$file" || exit 1 ;;
                clear) rm -f "$file" ;;
                esac
                """
        try Data(text.utf8).write(to: program)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: program.path)
        return [
            "PATH": "\(folder.url.path):/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x",
        ]
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
            $0.hasSuffix(".secret")
        }
    }

    private func signedIn(_ generation: Int) -> SignedIn {
        SignedIn(
            subject: "sam", accessToken: "a", refreshToken: "r",
            renewAt: Moment(wall: .distantFuture, uptime: 1, bootID: "b"), generation: generation)
    }

    @Test func `files belong to their owner alone`() async throws {
        let secrets = SecretFile(folder: folder.url.appending(path: "new"))
        #expect(try await secrets.copies("a").isEmpty)
        try await secrets.write(Data("one".utf8), as: "a")
        try await secrets.write(Data("two".utf8), as: "a")
        try await secrets.write(Data("other".utf8), as: "b")
        #expect(try await secrets.copies("a") == [Data("two".utf8)])
        let path = folder.url.appending(path: "new").path
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let mode = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[
                .posixPermissions]
            #expect(mode as? Int == 0o600)
        }
        try await secrets.remove("a")
        try await secrets.remove("a")
        #expect(try await secrets.copies("a").isEmpty)
        #expect(try await secrets.copies("b") == [Data("other".utf8)])
    }

    @Test func `a file that cannot be written is reported`() async throws {
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let secrets = SecretFile(folder: file)
        await #expect(throws: UplinkError.self) { try await secrets.write(Data(), as: "a") }
    }

    @Test func `a keyring is used where there is one`() async throws {
        let secrets = DesktopSecrets(folder: folder.url, variables: try keyring())
        let bytes = Data([0, 10, 255, 10])
        try await secrets.write(bytes, as: "a b")
        #expect(try await secrets.copies("a b") == [bytes])
        #expect(try await secrets.copies("a").isEmpty)
        #expect(try files().isEmpty)
        try await secrets.remove("a b")
        #expect(try await secrets.copies("a b").isEmpty)
    }

    @Test(arguments: [
        "#!/bin/sh\nexit 1", "#!/bin/sh\ncat > /dev/null; exit 0", "#!/bin/sh\nkill -9 $$",
    ])
    func aKeyringThatDoesNotKeepIsNotTrusted(script: String) async throws {
        let secrets = DesktopSecrets(folder: folder.url, variables: try keyring(script))
        try await secrets.write(Data("one".utf8), as: "a")
        #expect(try await secrets.copies("a") == [Data("one".utf8)])
        #expect(try files().count == 1)
    }

    @Test func `without a session there is no keyring`() async throws {
        var variables = try keyring()
        variables["DBUS_SESSION_BUS_ADDRESS"] = nil
        let secrets = DesktopSecrets(folder: folder.url, variables: variables)
        try await secrets.write(Data("one".utf8), as: "a")
        #expect(try files().count == 1)
    }

    @Test func `the later tokens are right, wherever they are`() async throws {
        let good = DesktopSecrets(folder: folder.url, variables: try keyring())
        try await good.write(JSON.encode(signedIn(1)), as: "a")
        var locked = try keyring()
        locked["DBUS_SESSION_BUS_ADDRESS"] = nil
        let fallback = DesktopSecrets(folder: folder.url, variables: locked)
        try await fallback.write(JSON.encode(signedIn(2)), as: "a")
        #expect(try await good.copies("a").count == 2)
        #expect(try await good.newest("a")?.generation == 2)
        try await good.write(JSON.encode(signedIn(3)), as: "a")
        #expect(try await good.newest("a")?.generation == 3)
        #expect(try files().isEmpty)
    }
}

/// A secret store that can be read but not written.
struct FullDisk: SecretStore {
    let file: SecretFile

    func copies(_ name: String) async throws -> [Data] { try await file.copies(name) }
    func write(_ secret: Data, as name: String) async throws {
        throw UplinkError.secrets("No space left.")
    }
    func remove(_ name: String) async throws { try await file.remove(name) }
}

/// What a device shows.
final class Shown: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func add(_ text: String) { list.withLock { $0.append(text) } }
}
