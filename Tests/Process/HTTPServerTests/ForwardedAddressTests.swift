import HTTPWire
import RandomKit
import Testing
import Values

@testable import HTTPServer

/// The client address of a request; 10.0.0.0/8, ::1 and 2001:db8:a::/48 are trusted proxies.
@Suite struct ForwardedAddresses {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var peer = "10.0.0.1"
        var forwarded: [String] = []
        var listed: [String] = []
        let client: String

        init(
            _ description: String, peer: String = "10.0.0.1", forwarded: String...,
            client: String
        ) {
            testDescription = description
            self.peer = peer
            self.forwarded = forwarded
            self.client = client
        }

        init(_ description: String, listed: String..., client: String) {
            testDescription = description
            self.listed = listed
            self.client = client
        }
    }

    static let trusted = ["10.0.0.0/8", "::1", "2001:db8:a::/48"].compactMap { AddressRange($0) }

    static let cases = [
        Case("nothing said", client: "10.0.0.1"),
        Case(
            "an untrusted peer", peer: "192.0.2.1", forwarded: "for=198.51.100.9",
            client: "192.0.2.1"),
        Case(
            "a mapped peer", peer: "::ffff:10.0.0.9", forwarded: "for=198.51.100.9",
            client: "198.51.100.9"),
        Case(
            "an IPv6 peer", peer: "2001:db8:a::7", forwarded: "for=198.51.100.9",
            client: "198.51.100.9"),

        Case("one hop", forwarded: "for=192.0.2.43", client: "192.0.2.43"),
        Case(
            "other pairs around it",
            forwarded: "by=203.0.113.60;For=192.0.2.43 ; proto=https;host=\"a,b;c\"",
            client: "192.0.2.43"),
        Case("a port", forwarded: "for=\"192.0.2.43:47011\"", client: "192.0.2.43"),
        Case("IPv6", forwarded: "for=\"[2001:DB8:cafe::17]\"", client: "2001:db8:cafe::17"),
        Case(
            "IPv6 with a port", forwarded: "for=\"[2001:db8:cafe::17]:4711\"",
            client: "2001:db8:cafe::17"),
        Case(
            "IPv6 with a hidden port", forwarded: "for=\"[2001:db8:cafe::17]:_p\"",
            client: "2001:db8:cafe::17"),
        Case("a mapped client", forwarded: "for=\"[::ffff:192.0.2.43]\"", client: "192.0.2.43"),
        Case("escapes", forwarded: "for=\"192.0\\.2.43\"", client: "192.0.2.43"),
        Case(
            "two hops, the second trusted", forwarded: "for=192.0.2.43, for=10.9.9.9",
            client: "192.0.2.43"),
        Case(
            "an invented first hop", forwarded: "for=127.0.0.1, for=192.0.2.43",
            client: "192.0.2.43"),
        Case("two lines", forwarded: "for=127.0.0.1", "for=192.0.2.43", client: "192.0.2.43"),
        Case("only proxies", forwarded: "for=10.1.1.1, for=10.2.2.2", client: "10.1.1.1"),
        Case("empty elements", forwarded: " , for=192.0.2.43 ,, ", client: "192.0.2.43"),
        Case("empty pairs", forwarded: ";;for=192.0.2.43;", client: "192.0.2.43"),
        Case("an empty line", forwarded: "", client: "10.0.0.1"),

        Case("unknown", forwarded: "for=unknown", client: "unknown"),
        Case("hidden", forwarded: "for=_hidden", client: "unknown"),
        Case(
            "hidden behind a proxy", forwarded: "for=192.0.2.43, for=_gazonk, for=10.2.2.2",
            client: "unknown"),
        Case(
            "hidden before the client", forwarded: "for=_secret, for=192.0.2.43",
            client: "192.0.2.43"),
        Case("no for", forwarded: "proto=https", client: "unknown"),
        Case("two in one element", forwarded: "for=192.0.2.43;for=192.0.2.44", client: "unknown"),
        Case("an open quote", forwarded: "for=\"192.0.2.43, for=192.0.2.44", client: "unknown"),
        Case(
            "an open quote in an earlier line", forwarded: "for=\"", "for=192.0.2.44",
            client: "192.0.2.44"),
        Case("a trailing escape", forwarded: "for=\"192.0.2.43\\", client: "unknown"),
        Case("no value", forwarded: "for=", client: "unknown"),
        Case("an empty value", forwarded: "for=\"\"", client: "unknown"),
        Case("no equals sign", forwarded: "for", client: "unknown"),
        Case("a bare IPv6", forwarded: "for=[2001:db8::1]", client: "unknown"),
        Case("an open bracket", forwarded: "for=\"[2001:db8::1\"", client: "unknown"),
        Case("IPv4 in brackets", forwarded: "for=\"[192.0.2.43]\"", client: "unknown"),
        Case("a strange port", forwarded: "for=\"192.0.2.43:80x\"", client: "unknown"),
        Case("a long port", forwarded: "for=\"192.0.2.43:123456\"", client: "unknown"),
        Case("no port after the colon", forwarded: "for=\"192.0.2.43:\"", client: "unknown"),
        Case("a zone", forwarded: "for=\"[fe80::1%eth0]\"", client: "unknown"),
        Case("a name", forwarded: "for=localhost", client: "unknown"),
        Case("a blank in the value", forwarded: "for=\"127.0.0.1 \"", client: "unknown"),
        Case("bytes that are not text", forwarded: "for=\"\u{FFFD}\u{0}\"", client: "unknown"),
        Case("a word after the quote", forwarded: "for=\"192.0.2.43\"x", client: "unknown"),

        Case("a list", listed: "192.0.2.43", client: "192.0.2.43"),
        Case(
            "a list with blanks and ports", listed: "192.0.2.43:99 ,\t10.2.2.2",
            client: "192.0.2.43"),
        Case("a list of IPv6", listed: "2001:db8::1, [2001:db8:a::2]:443", client: "2001:db8::1"),
        Case("a list over two lines", listed: "127.0.0.1", "192.0.2.43", client: "192.0.2.43"),
        Case(
            "an invented list", listed: "127.0.0.1, ::1, 10.0.0.1, 192.0.2.43", client: "192.0.2.43"
        ),
        Case("a list with a word", listed: "192.0.2.43, unknown, 10.2.2.2", client: "unknown"),
        Case("a list with a word before", listed: "what, 192.0.2.43", client: "192.0.2.43"),
        Case("an empty list", listed: " , ,", client: "10.0.0.1"),

    ]

    @Test(arguments: cases)
    func `the client is the one the trusted proxies name`(hops: Case) throws {
        let fields =
            hops.forwarded.map { (name: "Forwarded", value: $0) }
            + hops.listed.map { (name: "X-Forwarded-For", value: $0) }
        let client = ForwardedAddress.resolve(
            peer: try #require(NetworkAddress(hops.peer)), headers: HeaderFields(fields),
            trusted: Self.trusted, field: hops.forwarded.isEmpty ? .list : .standard)
        #expect(client == hops.client)
    }

    @Test(arguments: [
        (ForwardedField.list, "192.0.2.44"), (.standard, "192.0.2.43"),
    ])
    func `a field that the proxies do not write is the client's own text`(
        field: ForwardedField, client: String
    ) throws {
        let peer = try #require(NetworkAddress("10.0.0.1"))
        func resolve(_ fields: [(name: String, value: String)]) -> String {
            ForwardedAddress.resolve(
                peer: peer, headers: HeaderFields(fields), trusted: Self.trusted, field: field)
        }
        let standard = (name: "Forwarded", value: "for=192.0.2.43")
        let list = (name: "X-Forwarded-For", value: "192.0.2.44")
        let (believed, other) = field == .list ? (list, standard) : (standard, list)
        #expect(resolve([believed]) == client)
        #expect(resolve([believed, other]) == client)
        #expect(resolve([(name: other.name, value: "\"_nonsense"), believed]) == client)
        #expect(resolve([other]) == "10.0.0.1", "as if the proxy had said nothing")
    }

    @Test(arguments: seeds(0..<20))
    func `any bytes at all give an address or none`(seed: UInt64) throws {
        let peer = try #require(NetworkAddress("10.0.0.1"))
        let pieces = [
            "for", "=", "\"", "\\", ";", ",", "[", "]", ":", "10.0.0.1", "::1", "_", " ", "é",
        ]
        var dice = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let line = (0..<Int.random(in: 0..<12, using: &dice)).map { _ in
                pieces.randomElement(using: &dice) ?? ""
            }.joined()
            for name in ["Forwarded", "X-Forwarded-For"] {
                let client = ForwardedAddress.resolve(
                    peer: peer, headers: HeaderFields([(name: name, value: line)]),
                    trusted: Self.trusted, field: name == "Forwarded" ? .standard : .list)
                #expect(client == "unknown" || NetworkAddress(client) != nil)
            }
        }
    }

    @Test func `the handler sees the client, not the proxy`() async throws {
        var settings = HTTPServerSettings()
        settings.trustedProxies = try [#require(AddressRange("127.0.0.1"))]
        try await withServer(settings, handler: { .text($0.clientAddress) }) { server in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.43\r\n\r\n")
            #expect(client.answer()?.body == "192.0.2.43")
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.answer()?.body == "127.0.0.1")
        }
        try await withServer(handler: { .text($0.clientAddress) }) { server in
            let client = TestClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.43\r\n\r\n")
            #expect(client.answer()?.body == "127.0.0.1")
        }
    }

    @Test(arguments: [
        (["https"], true), (["HTTPS"], true), (["http", "https"], true), (["http, https"], true),
        (["https", "http"], false), (["http"], false), ([""], false), ([], false),
    ])
    func `a trusted proxy says whether its client speaks TLS`(
        fields: [String], isSecure: Bool
    ) async throws {
        let lines = fields.map { "X-Forwarded-Proto: \($0)\r\n" }.joined()
        let request = "GET / HTTP/1.1\r\nHost: x\r\n\(lines)\r\n"
        var settings = HTTPServerSettings()
        settings.trustedProxies = try [#require(AddressRange("127.0.0.1"))]
        try await withServer(settings, handler: { .text("\($0.isSecure)") }) { server in
            let client = TestClient(port: server.port)
            client.send(request)
            #expect(client.answer()?.body == "\(isSecure)")
        }
        try await withServer(handler: { .text("\($0.isSecure)") }) { server in
            let client = TestClient(port: server.port)
            client.send(request)
            #expect(client.answer()?.body == "false", "anyone can write this field")
        }
    }
}
