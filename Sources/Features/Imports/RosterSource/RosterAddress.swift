import HTTPClient

/// Where a OneRoster provider is: its collections, its tokens, and which version it speaks.
package struct RosterAddress: Sendable, Equatable {
    /// Below which the collections are, without a slash at the end.
    package let url: WebAddress
    /// Where access tokens are asked for.
    package let tokenURL: WebAddress
    let version: OneRosterVersion

    /// Which address is not understood.
    package enum Mistake: Error, Equatable, CustomStringConvertible {
        case url, tokenURL

        package var description: String {
            switch self {
            case .url:
                "The URL must begin with https:// and end in /v1p2 or /v1p1, such as "
                    + "https://sis.example/ims/oneroster/rostering/v1p2."
            case .tokenURL:
                "The URL of tokens must begin with https://, such as https://sis.example/oauth/token."
            }
        }
    }

    /// - Parameters:
    ///   - url: ends in `/v1p1` or `/v1p2`, perhaps with a slash.
    ///   - tokenURL: `/oauth/token` of the same server if `nil`.
    package init(url: String, tokenURL: String?) throws(Mistake) {
        let trimmed = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard trimmed.utf8.count <= Self.lengthLimit, let address = WebAddress(trimmed),
            !trimmed.contains("?"), let version = OneRosterVersion(path: address.rest)
        else { throw .url }
        let tokens = tokenURL ?? address.origin + "/oauth/token"
        guard tokens.utf8.count <= Self.lengthLimit, let tokenAddress = WebAddress(tokens) else {
            throw .tokenURL
        }
        self.url = address
        self.tokenURL = tokenAddress
        self.version = version
    }

    /// The longest URL, in bytes.
    static let lengthLimit = 1000

    /// The first page of a collection, or with a filter what the filter leaves of it.
    func page(of collection: OneRosterFile, from offset: Int = 0, filter: String? = nil)
        throws -> WebAddress
    {
        let filtered = filter.map { "&filter=\(formEncoded($0))" } ?? ""
        let text =
            "\(url.text)/\(collection.rawValue)?limit=\(RosterLimits.pageRecords)&offset=\(offset)"
            + filtered
        guard let address = WebAddress(text) else {
            throw RosterFailure(.unexpectedAnswer, "The URL is too long.")
        }
        return address
    }

    /// Where a link on a page leads, if that is the same server: nobody else gets the access token.
    func resolve(_ link: String, from page: WebAddress) -> WebAddress? {
        let path = page.rest.prefix { $0 != "?" }
        if link.hasPrefix("?") { return WebAddress(url.origin + path + link) }
        if link.hasPrefix("/"), !link.hasPrefix("//") { return WebAddress(url.origin + link) }
        var absolute = link
        // Behind a proxy that ends TLS, many servers call themselves http.
        if url.isSecure, link.hasPrefix("http://") { absolute = "https" + link.dropFirst(4) }
        guard let address = WebAddress(absolute), address.origin == url.origin else { return nil }
        return address
    }

    /// What an access token is asked for.
    var scope: String {
        switch version {
        case .v1p1: "https://purl.imsglobal.org/spec/or/v1p1/scope/roster-core.readonly"
        case .v1p2: "https://purl.imsglobal.org/spec/or/v1p2/scope/roster-core.readonly"
        }
    }
}

extension OneRosterVersion {
    /// The version that the end of a path names.
    fileprivate init?(path: String) {
        if path.hasSuffix("/v1p2") {
            self = .v1p2
        } else if path.hasSuffix("/v1p1") {
            self = .v1p1
        } else {
            return nil
        }
    }
}

/// A text as a form or a query holds it: everything but letters, digits and `-._~` as `%XX`.
func formEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            bytes.append(byte)
        default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
