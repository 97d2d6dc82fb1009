import HTTPServer
import Log

/// The settings for client connections: TLS, and which proxies are trusted to report addresses.
extension Settings {
    /// The two files of HOMEROOM_TLS_CERTIFICATE and HOMEROOM_TLS_KEY.
    package struct TLSFiles: Sendable, Equatable {
        package let certificate: String
        package let key: String
    }

    /// Reads the two settings, neither of which makes sense without the other.
    static func tlsFiles(certificate: String?, key: String?) throws -> TLSFiles? {
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        case (nil, _?):
            throw Unreadable(description: "HOMEROOM_TLS_KEY needs HOMEROOM_TLS_CERTIFICATE")
        case (_?, nil):
            throw Unreadable(description: "HOMEROOM_TLS_CERTIFICATE needs HOMEROOM_TLS_KEY")
        }
    }

    /// The URL of HOMEROOM_URL: scheme and host, perhaps a port, and nothing else, since clients compare it letter by
    /// letter.
    static func url(_ text: String?) throws -> String? {
        guard let text else { return nil }
        guard isOrigin(text) else {
            throw Unreadable(
                description:
                    "HOMEROOM_URL should be scheme and host in lower case, such as https://school.example"
            )
        }
        return text
    }

    private static func isOrigin(_ text: String) -> Bool {
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        let authority = text.utf8.dropFirst(scheme?.utf8.count ?? 0)
        func isAllowed(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "-.:[]".utf8.contains(byte)
        }
        return scheme != nil && !authority.isEmpty && authority.allSatisfy(isAllowed)
    }

    /// Reads comma-separated origins; surrounding spaces do not matter. There is no pattern for several: an origin that
    /// nobody thought of must not call.
    static func origins(_ text: String) throws -> Set<String> {
        let parts = text.split(separator: ",").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        guard parts.allSatisfy(isOrigin) else {
            throw Unreadable(
                description: """
                    HOMEROOM_CORS_ORIGINS should be origins between commas, each scheme and host in lower \
                    case, such as https://app.example, https://lab.example:8443
                    """)
        }
        return Set(parts)
    }

    /// Reads comma-separated addresses and ranges; surrounding spaces do not matter.
    static func addressRanges(_ text: String) throws -> [AddressRange] {
        try text.split(separator: ",").map { part in
            guard let range = AddressRange(part.split(separator: " ").joined(separator: " ")) else {
                throw Unreadable(
                    description: """
                        HOMEROOM_TRUSTED_PROXIES should be addresses and ranges between commas, such \
                        as 127.0.0.1, 10.0.0.0/8, 2001:db8::/32
                        """)
            }
            return range
        }
    }

    /// The HTTP engine's settings, with the TLS files loaded.
    func httpServerSettings() throws -> HTTPServerSettings {
        let proxies = trustedProxies
        var settings = HTTPServerSettings()
        settings.trustedProxies = proxies
        settings.forwardedField = forwardedField
        settings.handshakeLimits.exempt = proxies
        settings.isUnlimited = { address in
            address.isLoopback || proxies.contains { $0.contains(address) }
        }
        guard let tlsFiles else { return settings }
        do {
            settings.tls = try TLSEndpoint(certificate: tlsFiles.certificate, key: tlsFiles.key)
        } catch {
            throw CommandFailure(error.named)
        }
        return settings
    }
}

extension TLSEndpoint {
    /// Reloads the files for new connections. If something is wrong with them, it is logged and the current pair
    /// stays in use.
    func reload(log: Log) {
        do throws(Failure) {
            try reload()
            log.info("certificate read again")
        } catch {
            log.error("certificate kept", ["cause": .text(error.named)])
        }
    }
}

extension TLSEndpoint.Failure {
    /// The same error, naming the variable that names the file.
    fileprivate var named: String {
        switch part {
        case .certificate: "HOMEROOM_TLS_CERTIFICATE: \(description)."
        case .key: "HOMEROOM_TLS_KEY: \(description)."
        }
    }
}
