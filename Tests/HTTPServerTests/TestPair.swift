import Foundation
import HTTPServer

/// A certificate of its own making and its key, in files that are gone with the test's machine.
struct TestPair: Sendable {
    let certificate: String
    let key: String

    /// For the tests that do not care which.
    static let shared = Result { try TestPair(named: "shared.example") }

    /// - Parameter name: the common name, by which a client can tell one pair from another.
    init(named name: String) throws {
        let folder = NSTemporaryDirectory() + "homeroom-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        certificate = folder + "/certificate.pem"
        key = folder + "/key.pem"
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=" + name, "-keyout", key, "-out", certificate,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func endpoint() throws -> TLSEndpoint {
        try TLSEndpoint(certificate: certificate, key: key)
    }

    /// Puts another pair's files in the place of this one's.
    func replace(with other: TestPair) throws {
        for (old, new) in [(certificate, other.certificate), (key, other.key)] {
            try Data(contentsOf: URL(filePath: new)).write(to: URL(filePath: old))
        }
    }
}

extension HTTPServerSettings {
    /// Secured by the shared pair, and otherwise as given.
    func secured() throws -> HTTPServerSettings {
        var settings = self
        settings.tls = try TestPair.shared.get().endpoint()
        return settings
    }
}
