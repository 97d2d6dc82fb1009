import Foundation

/// A self-signed certificate and its key, in files below the temporary folder.
package struct TestPair: Sendable {
    package let certificate: String
    package let key: String

    /// - Parameter name: the name of the server, by which a client can distinguish pairs.
    package init(named name: String) throws {
        let folder = NSTemporaryDirectory() + "homeroom-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        certificate = folder + "/certificate.pem"
        key = folder + "/key.pem"
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=DNS:" + name,
            "-keyout", key, "-out", certificate,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        // The process that reads it again may no longer be root.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
    }

    /// Puts another pair's files in place of these.
    package func replace(with other: TestPair) throws {
        for (old, new) in [(certificate, other.certificate), (key, other.key)] {
            try Data(contentsOf: URL(filePath: new)).write(to: URL(filePath: old))
        }
    }
}
