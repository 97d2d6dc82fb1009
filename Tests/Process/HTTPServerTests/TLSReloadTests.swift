import Foundation
import HTTPServer
import Testing
import WireKit

@Suite struct TLSReload {
    @Test func `new connections get the new certificate, and open ones live on`() async throws {
        let pair = try TestPair(named: "old.example")
        let endpoint = try pair.endpoint()
        var settings = HTTPServerSettings()
        settings.tls = endpoint
        try await withServer(settings, handler: TLSConnections.counting) { server in
            let old = try TLSClient(port: server.port)
            #expect(old.serverName == "/CN=old.example")
            old.send(TLSConnections.ask)
            #expect(old.answer()?.status == 200)
            var offer = TLSClient.Offer()
            offer.session = old.session()
            try pair.replace(with: TestPair(named: "new.example"))
            try endpoint.reload()
            let new = try TLSClient(port: server.port, offer)
            #expect(new.serverName == "/CN=new.example")
            #expect(!new.isResumed)
            for client in [old, new] {
                client.send(TLSConnections.ask)
                #expect(client.answer()?.status == 200)
            }
        }
    }

    @Test func `a bad pair is refused by name, and the old one stays`() async throws {
        let pair = try TestPair(named: "kept.example")
        let endpoint = try pair.endpoint()
        let other = try TestPair(named: "other.example")
        let original = try Data(contentsOf: URL(filePath: pair.key))
        try Data(contentsOf: URL(filePath: other.key)).write(to: URL(filePath: pair.key))
        let mismatch = #expect(throws: TLSEndpoint.Failure.self) { try endpoint.reload() }
        #expect(mismatch?.part == .key)
        #expect(mismatch?.description.hasPrefix(pair.key) == true)
        try FileManager.default.removeItem(atPath: pair.key)
        let missing = #expect(throws: TLSEndpoint.Failure.self) { try endpoint.reload() }
        #expect(missing?.description == "\(pair.key): No such file or directory")
        try original.write(to: URL(filePath: pair.key))
        try Data("no certificate".utf8).write(to: URL(filePath: pair.certificate))
        let nonsense = #expect(throws: TLSEndpoint.Failure.self) { try endpoint.reload() }
        #expect(nonsense?.part == .certificate)
        var settings = HTTPServerSettings()
        settings.tls = endpoint
        try await withServer(settings, handler: TLSConnections.counting) { server in
            let client = try TLSClient(port: server.port)
            #expect(client.serverName == "/CN=kept.example")
        }
    }

    @Test func `a key with a password is refused without a prompt`() throws {
        let pair = try TestPair(named: "locked.example")
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "ec", "-in", pair.key, "-out", pair.key + ".locked", "-aes256", "-passout",
            "pass:secret",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        let failure = #expect(throws: TLSEndpoint.Failure.self) {
            _ = try TLSEndpoint(certificate: pair.certificate, key: pair.key + ".locked")
        }
        #expect(failure?.part == .key)
    }
}
