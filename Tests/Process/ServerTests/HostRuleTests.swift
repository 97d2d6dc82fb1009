import HTTPServer
import HTTPWire
import Testing

@testable import Server

/// Requests for another host, if the operator has said what this server is called.
@Suite struct HostRules {
    private func status(_ host: String?, of path: String = "/sign-in", at url: String?) throws
        -> Int?
    {
        let headers = host.map { [(name: "Host", value: $0)] } ?? []
        let request = try HTTPRequest(method: .get, target: path, headers: headers)
        return HostRule(url: url).refusal(of: request)?.status
    }

    @Test(arguments: [
        "school.example", "school.example:8443", "SCHOOL.example", "school.example.", "127.0.0.1",
        "127.0.0.1:8080", "192.0.2.7", "[::1]", "[2001:db8::7]:8080", "localhost:8080",
        "homeroom.localhost", "",
    ])
    func `its own name, addresses and localhost are answered`(host: String) throws {
        for url in ["https://school.example", "https://school.example:8443"] {
            #expect(try status(host, at: url) == nil)
        }
    }

    @Test(arguments: [
        "evil.example", "school.example.evil.example", "evil.example:80", "evilschool.example",
        "127.0.0.1.evil.example", "[evil.example]", "localhost.evil.example", "notlocalhost",
        "school.example@evil.example", "127.1", "2130706433", " ", "school.example evil.example",
    ])
    func `any other name is refused`(host: String) throws {
        #expect(try status(host, at: "https://school.example") == 421)
        #expect(try status(host, at: nil) == nil, "nobody has said what it is called")
        for path in ["/healthz", "/readyz"] {
            #expect(try status(host, of: path, at: "https://school.example") == nil)
        }
        #expect(try status(host, of: "/healthz/x", at: "https://school.example") == 421)
    }

    @Test func `a server that is known by an address has that address`() throws {
        for url in ["http://192.0.2.7:8080", "http://[2001:db8::7]"] {
            #expect(try status("192.0.2.7", at: url) == nil)
            #expect(try status("[2001:DB8::7]:80", at: url) == nil)
            #expect(try status("evil.example", at: url) == 421)
        }
        #expect(try status(nil, at: "https://school.example") == nil, "HTTP/1.0 has no Host")
    }
}
