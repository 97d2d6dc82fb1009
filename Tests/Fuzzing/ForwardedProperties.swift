import HTTPWire

@testable import HTTPServer

/// `Forwarded` and `X-Forwarded-For`: whatever a client writes, its address is the one the proxy saw.
enum ForwardedProperties {
    private static let proxies = ["10.0.0.0/8", "2001:db8::/32"].compactMap { AddressRange($0) }
    private static let proxy = NetworkAddress(high: 0, low: 0xFFFF_0A00_0001)
    private static let stranger = NetworkAddress(high: 0, low: 0xFFFF_C000_0207)

    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        checkAddress(text)
        for field in ["Forwarded", "X-Forwarded-For"] { checkField(field, text) }
    }

    private static func checkField(_ field: String, _ text: String) {
        let seen = field == "Forwarded" ? "for=192.0.2.7" : "192.0.2.7"
        require(
            resolve([(field, text)], from: stranger) == stranger.description,
            "only a proxy is believed")
        checkForm(resolve([(field, text)], from: proxy))
        require(
            resolve([(field, text), (field, seen)], from: proxy) == "192.0.2.7",
            "a line that a proxy adds is believed")
        let appended = resolve([(field, "\(text), \(seen)")], from: proxy)
        require(
            ["192.0.2.7", ForwardedAddress.unknown].contains(appended),
            "what a proxy adds to the client's line is believed, or nothing is")
    }

    /// An address in its one form, or the word for none.
    private static func checkForm(_ client: String) {
        require(
            client == ForwardedAddress.unknown
                || NetworkAddress(client)?.description == client,
            "a client is an address, or unknown")
    }

    private static func checkAddress(_ text: String) {
        if let address = NetworkAddress(text) {
            require(
                NetworkAddress(address.description) == address, "an address is its own text")
            require(
                AddressRange(text)?.contains(address) == true, "an address is a range of its own")
        }
        _ = AddressRange(text)?.contains(proxy)
    }

    private static func resolve(
        _ fields: [(name: String, value: String)], from peer: NetworkAddress
    ) -> String {
        ForwardedAddress.resolve(
            peer: peer, headers: HeaderFields(fields), trusted: proxies,
            field: fields[0].name == "Forwarded" ? .standard : .list)
    }
}
