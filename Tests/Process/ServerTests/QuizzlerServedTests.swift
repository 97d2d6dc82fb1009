import AloneKit
import Foundation
import HTTPServer
import HTTPWire
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// The app of the demonstration school, on an origin of its own.
@Suite struct QuizzlerServed {
    private func answer(
        _ method: HTTPMethod, _ target: String, host: String = "127.0.0.1:8081"
    ) async throws -> (status: Int, headers: [ResponseField], text: String) {
        let files = Quizzler.Files(host: "127.0.0.1:8081", school: 8080)
        let answer = files.answer(
            try HTTPRequest(
                method: method, target: target, headers: [(name: "Host", value: host)]))
        return (
            answer.status, answer.headers,
            String(decoding: try await answer.wholeBody(), as: UTF8.self)
        )
    }

    @Test func `its page forbids what it does not need, and knows its school and its bundle id`()
        async throws
    {
        for (target, school) in [
            ("/", "127.0.0.1"), ("/?at=localhost", "localhost"), ("/?at=evil.example", "127.0.0.1"),
            ("/callback?code=c&state=s", "127.0.0.1"),
        ] {
            let page = try await answer(.get, target)
            #expect(page.status == 200)
            #expect(page.text.contains("data-school=\"http://\(school):8080\""), "\(target)")
            #expect(page.text.contains("data-client=\"org.example.tensums\""))
            let policy = page.headers.first { $0.name == "Content-Security-Policy" }?.value
            #expect(
                policy == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src "
                    + "http://127.0.0.1:8080 http://localhost:8080; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'")
            #expect(
                page.headers.contains { $0.name == "Referrer-Policy" && $0.value == "no-referrer" })
            #expect(
                !page.headers.contains {
                    $0.name.hasPrefix("Access-Control") || $0.name == "Set-Cookie"
                })
        }
        #expect(
            try await answer(.get, "/quizzler.js").text.contains("code_challenge_method: \"S256\""))
        #expect(try await answer(.get, "/quizzler.css").status == 200)
    }

    @Test func `it answers to its own name alone, and takes nothing`() async throws {
        for host in ["evil.example", "localhost:8081", "127.0.0.1:8080", "127.0.0.1", ""] {
            #expect(try await answer(.get, "/", host: host).status == 404, "\(host)")
        }
        #expect(try await answer(.post, "/callback").status == 404)
        for target in ["/v1/me", "/sign-in", "/quizzler.html", "/../quizzler.js", "/healthz"] {
            #expect(try await answer(.get, target).status == 404, "\(target)")
        }
    }

    @Test func `its program is short enough to be copied`() throws {
        let file = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
            .appending(path: "Sources/Program/Server/Examples/quizzler.js")
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 200 && lines.allSatisfy { $0.count <= 120 })
    }

    private func settings(_ variables: [String: String]) throws -> Settings {
        try Settings(environment: variables)
    }

    @Test(arguments: [
        [:], ["HOMEROOM_PAGES": "on"], ["HOMEROOM_PAGES": "off"],
        ["HOMEROOM_PAGES": "demonstration", "HOMEROOM_URL": "https://school.example"],
    ])
    func `only the demonstration on this machine has it`(variables: [String: String]) throws {
        #expect(try settings(variables).quizzlerListener() == nil)
    }

    @Test func `it is beside the school's port, or where a port is free`() throws {
        let demonstration = ["HOMEROOM_PAGES": "demonstration"]
        let first = try #require(try settings(demonstration).quizzlerListener())
        defer { close(first) }
        let second = try #require(try settings(demonstration).quizzlerListener())
        defer { close(second) }
        #expect(ListeningSocket.port(of: second) != ListeningSocket.port(of: first))
    }

    // Alone, because the kernel's table of sockets has gaps while others open and close theirs.
    @Test(.alone) func `a school's own server knows no such origin`() async throws {
        try await withSchool { school in
            for pages in ["on", "demonstration"] {
                let server = try await RunningServer(school.homeroom.with("HOMEROOM_PAGES", pages))
                defer { server.kill() }
                let listening = try Self.ports(of: server.processID)
                #expect(listening.contains(server.port))
                #expect(listening.count == (pages == "on" ? 1 : 2))
                let app = try #require(
                    pages == "on" ? server.port + 1 : listening.first { $0 != server.port })
                let asked = try await Self.head(
                    "http://127.0.0.1:\(server.port)/v1/activities", "-X", "OPTIONS",
                    "-H", "Origin: \(Quizzler.origin(app))",
                    "-H", "Access-Control-Request-Method: POST")
                let isAllowed = asked.contains("access-control-allow-origin")
                #expect(isAllowed == (pages == "demonstration"), "\(asked)")
                let report = try await Self.head(
                    "http://127.0.0.1:\(server.port)/demonstration/report")
                #expect(report.hasPrefix(pages == "on" ? "http/1.1 404" : "http/1.1 303"))
            }
        }
    }

    /// The ports of this machine on which a process listens.
    private static func ports(of process: Int32) throws -> Set<UInt16> {
        let folder = "/proc/\(process)/fd"
        let sockets = Set(
            try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            })
        // A String of its contents would end with the first page: the kernel gives the file no size.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/net/tcp"))
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        return Set(
            table.split(separator: "\n").dropFirst().compactMap { line in
                let fields = line.split(separator: " ")
                guard fields.count > 9, fields[3] == "0A", sockets.contains("socket:[\(fields[9])]")
                else { return nil }
                return UInt16(fields[1].suffix(4), radix: 16)
            })
    }

    /// The head of an answer, in lower case.
    private static func head(_ url: String, _ arguments: String...) async throws -> String {
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/curl")
        curl.arguments = ["-sS", "-o", "/dev/null", "-D", "-", url] + arguments
        let outcome = try await Homeroom.finish(curl)
        #expect(outcome.status == 0, "\(outcome.complaints)")
        return outcome.output.lowercased()
    }
}
