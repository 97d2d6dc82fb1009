import HTTPServer
import WireKit

extension TestPair {
    /// For tests that do not care which.
    static let shared = Result { try TestPair(named: "shared.example") }

    func endpoint() throws -> TLSEndpoint {
        try TLSEndpoint(certificate: certificate, key: key)
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
