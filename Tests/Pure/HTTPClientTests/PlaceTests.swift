import HTTPClient
import Testing

@Suite struct WhereAddressesLead {
    @Test(
        arguments: [
            ((8, 8, 8, 8), NetworkPlace.open), ((142, 250, 1, 1), .open), ((172, 15, 0, 1), .open),
            ((172, 32, 0, 1), .open), ((192, 167, 0, 1), .open), ((100, 128, 0, 1), .open),
            ((10, 0, 0, 1), .own), ((172, 16, 0, 1), .own), ((172, 31, 255, 255), .own),
            ((192, 168, 1, 1), .own), ((100, 64, 0, 1), .own), ((127, 0, 0, 1), .loopback),
            ((127, 255, 255, 255), .loopback), ((0, 0, 0, 0), .nowhere),
            ((169, 254, 169, 254), .nowhere),
            ((224, 0, 0, 1), .nowhere), ((255, 255, 255, 255), .nowhere),
            ((192, 0, 2, 1), .nowhere),
            ((198, 18, 0, 1), .nowhere), ((198, 51, 100, 1), .nowhere),
            ((203, 0, 113, 9), .nowhere),
        ] as [((UInt8, UInt8, UInt8, UInt8), NetworkPlace)])
    func `each range of IPv4`(address: (UInt8, UInt8, UInt8, UInt8), place: NetworkPlace) {
        #expect(NetworkPlace(four: address) == place)
        let four = [address.0, address.1, address.2, address.3]
        #expect(NetworkPlace(six: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + four) == place)
        // Translated addresses lead to the Internet only.
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(NetworkPlace(six: translated + four) == (place == .open ? .open : .nowhere))
    }

    @Test(
        arguments: [
            ([0x26, 0x07, 0xF8, 0xB0], NetworkPlace.open), ([0x2A, 0x00, 0x14, 0x50], .open),
            ([0xFD, 0x00, 0, 0], .own), ([0xFC, 0x00, 0, 0], .own), ([0xFE, 0x80, 0, 0], .nowhere),
            ([0xFF, 0x02, 0, 0], .nowhere), ([0x20, 0x01, 0x0D, 0xB8], .nowhere),
            ([0x20, 0x02, 0x7F, 0x00], .nowhere), ([0x20, 0x01, 0, 0], .nowhere),
            ([0x01, 0, 0, 0], .nowhere),
        ] as [([UInt8], NetworkPlace)])
    func `each range of IPv6`(first: [UInt8], place: NetworkPlace) {
        #expect(NetworkPlace(six: first + [UInt8](repeating: 0, count: 11) + [1]) == place)
    }

    @Test func `the one address of this machine, and none at all`() {
        let zeros = [UInt8](repeating: 0, count: 15)
        #expect(NetworkPlace(six: zeros + [1]) == .loopback)
        #expect(NetworkPlace(six: zeros + [0]) == .nowhere)
    }

    @Test(arguments: [
        "https://id.example", "https://id.example:8443/realms/school", "http://127.0.0.1:4000",
        "https://[2001:db8::1]:443/a?b=c", "https://id.example?tenant=1",
    ])
    func `addresses that are read`(text: String) throws {
        let address = try #require(WebAddress(text))
        #expect(address.origin + address.rest == text)
        #expect(address.isSecure == text.hasPrefix("https"))
        #expect(!address.host.contains("["))
    }

    @Test(arguments: [
        "", "id.example", "ftp://id.example", "HTTPS://id.example", "https://ID.example",
        "https://", "https:///a", "https://id.example:0", "https://id.example:65536",
        "https://id.example:", "https://id.example:+1", "https://user@id.example",
        "https://id.example@evil.example/", "https://id.example/#a", "https://id.example/a b",
        "https://id.example\\@evil.example", "https://id.example/\n", "https://[::1", "https://[]/",
        "https://[::1]x", "https://id_example", "https://a%2eb", "https://é.example",
    ])
    func `addresses that could be read in two ways are none`(text: String) {
        #expect(WebAddress(text) == nil)
    }
}
