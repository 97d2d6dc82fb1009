import Crypto
import HTTPWire

/// A strong entity tag made from the version of a row (RFC 9110 section 8.8.3).
package struct ETag: Sendable, Equatable {
    package let version: Int
    /// Distinguishes the wordings of one version.
    private let wording: String

    package init(version: Int) {
        self.version = version
        wording = ""
    }

    /// The tag of an answer worded for these languages: a tag names one representation only (RFC 9110 section
    /// 8.8.3.3). Without a language, the tag is the version alone.
    package init(version: Int, languages: [String]) {
        self.version = version
        let digest = SHA256.digest(Array(languages.joined(separator: ",").utf8)).bytes
        wording = languages.isEmpty ? "" : "-" + Base64.encodeURL(Array(digest.prefix(6)))
    }

    package var text: String { "\"" + String(version) + wording + "\"" }
}

/// What `If-Match` or `If-None-Match` names: any representation, or those with certain tags.
package enum EntityTags: Sendable, Equatable {
    case any
    /// As they were sent, with their quotes; weak ones begin with `W/`.
    case listed([String])

    /// `nil` if the request has no such field. The first invalid tag ends the list.
    package init?(_ headers: HeaderFields, _ name: String) {
        let values = headers.all(name)
        guard !values.isEmpty else { return nil }
        if values == ["*"] {
            self = .any
            return
        }
        var tags: [String] = []
        for value in values {
            var rest = value.utf8[...]
            while let tag = EntityTags.next(&rest) { tags.append(tag) }
        }
        self = .listed(tags)
    }

    /// Whether one of them equals the tag and neither is weak (RFC 9110 section 8.8.3.2); `*` matches any.
    package func matchStrongly(_ tag: String?) -> Bool {
        switch self {
        case .any: true
        case .listed(let tags): tag.map { !$0.hasPrefix("W/") && tags.contains($0) } ?? false
        }
    }

    /// Whether one of them belongs to the version, in any wording (`ETag.init(version:languages:)`); `*` matches any.
    package func match(version: Int) -> Bool {
        switch self {
        case .any: true
        case .listed(let tags):
            tags.contains { $0 == ETag(version: version).text || $0.hasPrefix("\"\(version)-") }
        }
    }

    /// Whether one of them equals the tag, weak or not.
    package func matchWeakly(_ tag: String?) -> Bool {
        switch self {
        case .any: true
        case .listed(let tags):
            tag.map { tag in tags.contains { Self.opaque($0) == Self.opaque(tag) } } ?? false
        }
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    /// Takes a tag off the front, with the spaces and commas before it.
    private static func next(_ rest: inout Substring.UTF8View) -> String? {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == UInt8(ascii: ",") }
        let isWeak = rest.starts(with: "W/".utf8)
        let tag = isWeak ? rest.dropFirst(2) : rest
        guard tag.first == UInt8(ascii: "\""),
            let end = tag.dropFirst().firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        let text = Substring(rest[...end])
        rest = rest[tag.index(after: end)...]
        return String(text)
    }
}
