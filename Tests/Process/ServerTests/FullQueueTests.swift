import AloneKit
import Crypto
import Glibc
import JSONBytes
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// When everything is taken, a request waits its turn or is refused, with the time to come back.
@Suite(.alone) struct FullQueues {
    @Test
    func `beyond the connections for transactions and a caller's place in their queue it is 503`()
        async throws
    {
        try await withServer { school, server in
            let lock = try LocationLock(school)
            // A caller has two of the connections, and 64 places in the queue.
            let clients = (0..<98).map { _ in WireClient(port: server.port) }
            for client in clients {
                client.ask("POST", "/v1/locations", as: .ada, ["name": "Many"])
            }
            #expect(becomes { clients.count(where: \.isAnswered) == 32 })
            #expect(try school.waitingBackends().count == 2)
            let refused = clients.filter(\.isAnswered)
            for client in refused { client.answer().map(expectComeBack) }
            try lock.release()
            let others = clients.filter { client in !refused.contains { $0 === client } }
            #expect(others.count == 66)
            for client in others { #expect(client.answer()?.status == 201) }
            let next = WireClient(port: server.port)
            next.addLocation("Many")
            #expect(next.answer()?.status == 201)
            #expect(try school.countLocations("Many") == 67)
        }
    }

    @Test func `of large requests of a caller only two wait`() async throws {
        try await withServer { school, server in
            let lock = try LocationLock(school)
            let body = #"{"name": "Large""# + String(repeating: " ", count: 70 << 10) + "}"
            let request = """
                POST /v1/locations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Authorization: Bearer \(Persona.ada.token)\r\n\
                Content-Length: \(body.utf8.count)\r\n\r\n\(body)
                """
            let clients = (0..<6).map { _ in WireClient(port: server.port) }
            for client in clients { client.send(Array(request.utf8)) }
            #expect(becomes { clients.count(where: \.isAnswered) == 2 })
            for client in clients.filter(\.isAnswered) { client.answer().map(expectComeBack) }
            try lock.release()
        }
    }

    @Test func `short statements that wait too long or take too long are 503`() async throws {
        try await withServer { school, server in
            let lock = try LocationLock(school)
            let clients = (0..<200).map { _ in WireClient(port: server.port) }
            for client in clients { client.ask("GET", "/v1/locations", as: .ada) }
            let answers = clients.compactMap { $0.answer() }
            #expect(answers.count == 200)
            for answer in answers { expectComeBack(answer) }
            try lock.release()
            for client in clients {
                client.ask("GET", "/v1/locations", as: .ada)
                #expect(client.answer()?.status == 200)
                client.close()
            }
        }
    }

    @Test func `who typed right waits behind a crowd, and nobody is told that they erred`()
        async throws
    {
        let cost = try #require(PasswordCost("ln=13,r=8,p=1"))
        try await withServer(passwordCost: cost) { _, server in
            let crowd = (0..<40).map { _ in WireClient(port: server.port) }
            for (number, client) in crowd.enumerated() {
                client.signIn("child\(number)@hillside.example")
            }
            let child = WireClient(port: server.port)
            child.signIn(Persona.sam.managedID)
            #expect(child.answer()?.status == 200)
            #expect(crowd.map { $0.answer()?.status } == Array(repeating: 401, count: 40))
        }
    }

    @Test func `tries of one account beyond the fifth are 503, and one that leaves makes room`()
        async throws
    {
        let cost = try #require(PasswordCost("ln=15,r=8,p=1"))
        try await withServer(passwordCost: cost) { _, server in
            let clients = (0..<60).map { _ in WireClient(port: server.port) }
            for client in clients { client.signIn(Persona.tom.managedID) }
            // One is checked and four wait; later ones are answered at once.
            let refused = clients.suffix(20).compactMap { $0.answer() }.filter { $0.status != 200 }
            #expect(refused.count > 10)
            for answer in refused { expectComeBack(answer) }
            for client in clients { client.close() }
            let isServed = becomes(within: .seconds(10)) {
                let next = WireClient(port: server.port)
                next.signIn(Persona.tom.managedID)
                return next.answer()?.status == 200
            }
            #expect(isServed)
        }
    }

    private func expectComeBack(_ answer: WireAnswer) {
        #expect(answer.status == 503, "\(answer.text)")
        #expect(answer["retry-after"] != nil)
    }
}

extension WireClient {
    fileprivate func signIn(_ managedID: String) {
        ask(
            "POST", "/v1/sign-in", as: nil,
            ["managedId": .text(managedID), "password": .text(Persona.password)])
    }
}
