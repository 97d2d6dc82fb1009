import HTTPServer
import HTTPWire
import Testing
import Values

@testable import Pages

/// The accounts that the sign-in page of the demonstration school offers.
@Suite struct DemonstrationDoors {
    private func signInPage(
        from address: String, host: String, offering accounts: [OfferedAccount]
    ) async throws -> String {
        let api = FakeAPI()
        let pages = Pages(
            firstNumber: 1, clock: Clock { Timestamp("2026-11-22T10:00:00Z")! }, offered: accounts
        ) { await api.answer($0) }
        let request = try HTTPRequest(
            method: .get, target: "/sign-in", headers: [(name: "Host", value: host)],
            clientAddress: address)
        let answer = await pages.answer(request)
        return String(decoding: try await answer.wholeBody(), as: UTF8.self)
    }

    private let accounts = ["teacher", "student"].compactMap {
        OfferedAccount(role: $0, managedID: "\($0)@harbour.example", password: "open-\($0)")
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:8080"), ("::1", "[::1]:8080"), ("127.0.0.1", "localhost"),
    ])
    func `browsers on this machine sign in with one click`(
        address: String, host: String
    ) async throws {
        let page = try await signInPage(from: address, host: host, offering: accounts)
        #expect(page.contains("Try the demonstration school"))
        #expect(page.contains("value=\"teacher@harbour.example\""))
        #expect(page.contains("value=\"open-student\"") && page.contains(">Teacher</button>"))
    }

    @Test(arguments: [
        ("192.0.2.7", "127.0.0.1:8080"), ("127.0.0.1", "school.example"),
        ("127.0.0.1", "127.0.0.1.attacker.example"), ("127.0.0.1", ""),
    ])
    func `others do not`(address: String, host: String) async throws {
        let page = try await signInPage(from: address, host: host, offering: accounts)
        #expect(page.contains("name=\"password\"") && !page.contains("open-"))
    }

    @Test func `a server without the demonstration offers nothing`() async throws {
        let page = try await signInPage(from: "127.0.0.1", host: "localhost", offering: [])
        #expect(page.contains("name=\"password\"") && !page.contains("demonstration"))
    }

    @Test func `only roles are offered`() {
        #expect(OfferedAccount(role: "provisioner", managedID: "a", password: "b") == nil)
    }
}
