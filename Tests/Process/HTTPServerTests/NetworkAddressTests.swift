import Testing

@testable import HTTPServer

@Suite struct NetworkAddresses {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:DB8:0:0::7", "2001:db8::7"), ("::1", "::1"), ("::", "::"),
        ("2001:db8::192.0.2.33", "2001:db8::c000:221"), ("0.0.0.0", "0.0.0.0"),
    ])
    func `one address has one text`(written: String, shown: String) throws {
        #expect(try #require(NetworkAddress(written)).description == shown)
    }

    @Test(arguments: [
        "", " ", "unknown", "192.0.2", "192.0.2.256", "192.0.2.07", "192.0.2.7 ", "0x7f.1",
        "2130706433", "192.0.2.7:80", "[::1]", "::1%lo", "1::2::3", "fe80::1/64", "::1\u{0}",
        "127.0.0.1\u{0}.example", String(repeating: "1:", count: 100), "١٢٧.0.0.1",
    ])
    func `anything else is not an address`(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test func `loopback is recognized in every form`() throws {
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(try #require(NetworkAddress(text)).isLoopback)
        }
        for text in ["128.0.0.1", "::2", "::7f00:1", "1::1", "::ffff:10.127.0.1"] {
            #expect(try !#require(NetworkAddress(text)).isLoopback)
        }
    }

    @Test(
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("::ffff:10.0.0.0/104", "10.1.1.1", true),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.6", false),
            ("192.0.2.7/31", "192.0.2.7", nil), ("192.0.2.6/31", "192.0.2.7", true),
            ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::8", false),
            ("2001:db8::/32", "2001:db8:9::1", true), ("2001:db8::/32", "2001:db9::1", false),
            ("2001:db8:0:1::/64", "2001:db8:0:1:ff::", true),
            ("2001:db8:0:1::/65", "2001:db8:0:1:8000::", false),
            ("::1/128", "::1", true), ("::1/128", "::2", false), ("::/0", "9::", true),
            ("10.0.0.0/33", "10.0.0.0", nil), ("10.0.0.0/-1", "10.0.0.0", nil),
            ("10.0.0.0/", "10.0.0.0", nil), ("10.0.0.0/8/8", "10.0.0.0", nil),
            ("10.0.0.1/8", "10.0.0.1", nil), ("::/129", "::", nil),
            ("10.0.0.0/+8", "10.0.0.0", nil),
            ("localhost", "127.0.0.1", nil),
        ] as [(String, String, Bool?)])
    func `a range holds every address with the same leading bits`(
        range: String, address: String, isInside: Bool?
    ) throws {
        let address = try #require(NetworkAddress(address))
        #expect(AddressRange(range)?.contains(address) == isInside)
    }
}
