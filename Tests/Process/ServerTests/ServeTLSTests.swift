import Foundation
import Glibc
import Postgres
import Synchronization
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// `homeroom serve` with a certificate, behind a proxy that it trusts.
@Suite struct ServeTLS {
    @Test func `a hang-up changes the certificate under open connections`() async throws {
        try await withSchool { school in
            let pair = try TestPair(named: "old.example")
            let server = try await SecuredServer(school.homeroom, pair)
            defer { server.stop() }
            // Nobody looks at metrics in the night in which a certificate ends.
            #expect(server.says("The certificate expires in "))
            let open = try OpenConnection(port: server.port)
            #expect(try await open.ask("/healthz").contains("HTTP/1.1 200"))
            #expect(try await server.curl("/healthz", at: "old.example", pair).status == 0)

            let new = try TestPair(named: "new.example")
            try pair.replace(with: new)
            server.hangUp()
            #expect(server.says("certificate read again"))
            #expect(try await server.curl("/healthz", at: "new.example", new).status == 0)
            #expect(try await open.ask("/healthz").contains("HTTP/1.1 200"))

            try "no key".write(toFile: pair.key, atomically: true, encoding: .utf8)
            server.hangUp()
            #expect(server.says("certificate kept"))
            #expect(server.says("HOMEROOM_TLS_KEY: \(pair.key) holds no key"))
            #expect(try await server.curl("/healthz", at: "new.example", new).status == 0)
            #expect(try await open.ask("/healthz").contains("HTTP/1.1 200"))
        }
    }

    @Test func `answers over TLS ask browsers to keep using TLS`() async throws {
        try await withSchool { school in
            let pair = try TestPair(named: "school.example")
            let server = try await SecuredServer(school.homeroom, pair)
            defer { server.stop() }
            for path in ["/healthz", "/v1/me", "/docs"] {
                let answer = try await server.curl(path, at: "school.example", pair, "-i")
                #expect(answer.status == 0)
                let head = answer.output.lowercased()
                #expect(head.contains("\nstrict-transport-security: max-age=31536000\r"), "\(path)")
            }
        }
        try await withServer { _, server in
            let answer = try ask(port: server.port, "GET", "/healthz", token: nil)
            #expect(answer.status == 200)
            #expect(answer["strict-transport-security"] == nil, "plaintext answers do not say it")
        }
    }

    @Test func `events name the client behind the proxy`() async throws {
        try await withSchool { school in
            let pair = try TestPair(named: "school.example")
            let server = try await SecuredServer(
                school.homeroom, pair, "--trusted-proxies", "127.0.0.1, 10.0.0.0/8",
                "--forwarded-field", "Forwarded")
            defer { server.stop() }
            let body = #"{"managedId":"\#(Persona.tom.managedID)","password":"wrong"}"#
            let answer = try await server.curl(
                "/v1/sign-in", at: "school.example", pair, "--json", body, "-H",
                #"Forwarded: for=127.0.0.1, for="[2001:db8::43]:4711", for=10.9.8.7"#, "-H",
                "X-Forwarded-For: 192.0.2.1")
            #expect(answer.status == 0)
            #expect(answer.output.contains("\"status\":401"))
            let events = try school.sql(
                "select address from school.audit_event where kind = 'signInFailure'")
            #expect(try events.map { try $0.text("address") } == ["2001:db8::43"])
        }
    }

    /// A call that must not serve, and the message about it.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let variables: [String: String]
        let complaint: String
    }

    static let mistakes = [
        Mistake(
            testDescription: "a key alone", variables: ["TLS_KEY": "/key"],
            complaint: "HOMEROOM_TLS_KEY needs HOMEROOM_TLS_CERTIFICATE"),
        Mistake(
            testDescription: "a certificate alone", variables: ["TLS_CERTIFICATE": "/certificate"],
            complaint: "HOMEROOM_TLS_CERTIFICATE needs HOMEROOM_TLS_KEY"),
        Mistake(
            testDescription: "no file",
            variables: ["TLS_CERTIFICATE": "/none", "TLS_KEY": "/none"],
            complaint: "HOMEROOM_TLS_CERTIFICATE: /none: No such file or directory"),
        Mistake(
            testDescription: "no certificate in the file",
            variables: ["TLS_CERTIFICATE": "/etc/passwd", "TLS_KEY": "/etc/passwd"],
            complaint: "HOMEROOM_TLS_CERTIFICATE: /etc/passwd holds no certificate"),
        Mistake(
            testDescription: "any origin", variables: ["CORS_ORIGINS": "*"],
            complaint: "HOMEROOM_CORS_ORIGINS should be origins"),
        Mistake(
            testDescription: "an origin with a path",
            variables: ["CORS_ORIGINS": "https://app.example, https://lab.example/"],
            complaint: "HOMEROOM_CORS_ORIGINS should be origins"),
        Mistake(
            testDescription: "no address", variables: ["TRUSTED_PROXIES": "10.0.0.0/8,localhost"],
            complaint: "HOMEROOM_TRUSTED_PROXIES should be"),
        Mistake(
            testDescription: "a range with bits behind its end",
            variables: ["TRUSTED_PROXIES": "10.0.0.1/8"],
            complaint: "HOMEROOM_TRUSTED_PROXIES should be"),
    ]

    @Test(arguments: mistakes)
    func `unusable settings stop the start and are named`(mistake: Mistake) async throws {
        var homeroom = Homeroom(databaseURL: "host=/nowhere")
        for (name, value) in mistake.variables { homeroom.environment["HOMEROOM_" + name] = value }
        let run = try await homeroom("serve", "--listen", "127.0.0.1:0")
        #expect(run.status != 0)
        #expect(run.complaints.contains(mistake.complaint), "\(run.complaints)")
        #expect(!run.complaints.contains("root:"))
    }

    @Test func `a key of another certificate stops the start`() async throws {
        let pair = try TestPair(named: "one.example")
        var homeroom = Homeroom(databaseURL: "host=/nowhere")
        homeroom.environment["HOMEROOM_TLS_CERTIFICATE"] = pair.certificate
        homeroom.environment["HOMEROOM_TLS_KEY"] = try TestPair(named: "other.example").key
        let run = try await homeroom("serve", "--listen", "127.0.0.1:0")
        #expect(run.status == 1)
        #expect(run.complaints.contains("HOMEROOM_TLS_KEY: "))
        #expect(run.complaints.contains("key values mismatch"))
    }
}

/// What a process has written so far.
private final class Said: Sendable {
    let text = Mutex("")
}

/// A running `homeroom serve` with TLS, and everything that it has printed.
private final class SecuredServer: @unchecked Sendable {
    private let process = Process()
    private let errors = Pipe()
    private let said = Said()
    private(set) var port: UInt16 = 0

    init(_ homeroom: Homeroom, _ pair: TestPair, _ arguments: String...) async throws {
        process.executableURL = URL(filePath: Homeroom.executable)
        process.arguments =
            [
                "serve", "--listen", "127.0.0.1:0", "--tls-certificate", pair.certificate,
                "--tls-key", pair.key,
            ] + arguments
        process.environment = homeroom.variables
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        errors.fileHandleForReading.readabilityHandler = { [said] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            said.text.withLock { $0 += text }
        }
        #expect(says("serves on https://127.0.0.1:"))
        let line = said.text.withLock { $0 }
        let found = line.firstMatch(of: /127.0.0.1:([0-9]+)/).flatMap { UInt16($0.1) }
        port = try #require(found, "\(line)")
    }

    /// Whether it prints that sooner or later, if it has not already.
    func says(_ text: String) -> Bool {
        becomes { said.text.withLock { $0.contains(text) } }
    }

    func hangUp() {
        kill(process.processIdentifier, SIGHUP)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        errors.fileHandleForReading.readabilityHandler = nil
    }

    /// Asks as a client that trusts only that certificate.
    func curl(
        _ path: String, at name: String, _ pair: TestPair, _ arguments: String...
    ) async throws -> Homeroom.Run {
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/curl")
        curl.arguments =
            [
                "-sS", "--cacert", pair.certificate, "--resolve", "\(name):\(port):127.0.0.1",
                "https://\(name):\(port)\(path)",
            ] + arguments
        return try await Homeroom.finish(curl)
    }
}

/// A connection of `openssl s_client` that stays open between its requests.
private final class OpenConnection: @unchecked Sendable {
    private let client = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(port: UInt16) throws {
        client.executableURL = URL(filePath: "/usr/bin/openssl")
        client.arguments = ["s_client", "-quiet", "-connect", "127.0.0.1:\(port)"]
        client.standardInput = input
        client.standardOutput = output
        client.standardError = FileHandle.nullDevice
        try client.run()
    }

    deinit { client.terminate() }

    /// Returns the first bytes of the answer.
    func ask(_ path: String) async throws -> String {
        try input.fileHandleForWriting.write(
            contentsOf: Data("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [output] in
                let bytes = output.fileHandleForReading.availableData
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
