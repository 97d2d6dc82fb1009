import API
import Foundation
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit
import WireKit

@testable import ServerKit

/// The example of the guide to apps in any language, word for word.
@Suite struct ExampleOfAnyApp {
    private static let file = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
        .appending(path: "Sources/Program/Server/Examples/report_progress.py")

    @Test func `a student signs in on the device, and the teacher sees the work`() async throws {
        try await withServer { school, server in
            try school.sql(
                """
                insert into school.app (organization_id, adam_id, bundle_id, name, product_type,
                                        is_device_assignable, is_revocable)
                values (\(school.hillside), '77', \(TestIDs.quizzler), 'Quizzler', 'App', true, true)
                """)
            let handout = try school.newHandout(path: ["chapter-1", "quiz-1"])
            let said = Pipe()
            let app = Process()
            app.executableURL = URL(filePath: "/usr/bin/python3")
            app.arguments = [
                Self.file.path, "http://127.0.0.1:\(server.port)", TestIDs.quizzler,
            ]
            app.standardOutput = said
            try app.run()
            defer { app.terminate() }
            let question = try Self.line(from: said.fileHandleForReading)
            let code = try #require(question.firstMatch(of: /enter (\S+)/), "\(question)").1
            try Self.enter(String(code), port: server.port)
            let printed = said.fileHandleForReading.readDataToEndOfFile()
            app.waitUntilExit()
            #expect(app.terminationStatus == 0)
            #expect(String(decoding: printed, as: UTF8.self) == "202 {}\n202 {}\n")

            let target = "/v1/handouts/\(handout.id.uuid)/report"
            func cell() throws -> JSONValue? {
                let answer = LiveClient(port: server.port).get(target, token: Persona.tom.token)
                let body = try JSONValue(parsing: Array((answer?.body ?? "{}").utf8))
                return body["tasks"]?[0]?["students"]?.array?.first {
                    $0["personId"]?.text == Persona.sam.personID.uuid.description
                }
            }
            #expect(try becomes { try cell()?["doneAt"]?.text != nil })
            #expect(try cell()?["attempts"] == 1)
            #expect(try cell()?["progress"] == 1)
            #expect(try cell()?["primaryItem"]?["score"] == 2)
        }
    }

    private static func line(from file: FileHandle) throws -> String {
        var line = ""
        while !line.hasSuffix("\n") {
            let more = file.availableData
            try #require(!more.isEmpty, "\(line)")
            line += String(decoding: more, as: UTF8.self)
        }
        return line
    }

    /// As a person does at another computer.
    private static func enter(_ code: String, port: UInt16) throws {
        let visitor = PageVisitor(port: port)
        let door = try visitor.get("/device?user_code=\(code)")
        _ = try visitor.follow(door)
        let location = try #require(door["location"])
        let back = try #require(location.firstMatch(of: /[?&]to=([^&]+)/)).1
        let signedIn = try visitor.post(
            "/sign-in",
            [
                "managedId": Persona.sam.managedID, "password": Persona.password,
                "to": try #require(String(back).removingPercentEncoding),
            ])
        _ = try visitor.follow(signedIn)
        _ = try visitor.post("/device", ["code": code])
        let done = try visitor.post(
            "/device/decision", ["code": code.filter { $0 != "-" }, "do": "allow"])
        #expect(done.text.contains("The app is connected"))
    }

    @Test func `it is short and needs no package`() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
        let imports = Set(
            text.matches(of: /(?m)^(?:from|import) (.+?)(?: import .*)?$/).flatMap {
                $0.1.split(separator: ",").map { $0.filter { $0 != " " } }
            })
        #expect(imports == ["json", "random", "sys", "time", "uuid", "datetime", "urllib"])
    }

    @Test func `the guides show every example word for word`() async throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.file.deletingLastPathComponent(), includingPropertiesForKeys: nil)
        #expect(files.count > 1)
        try await withSchool { school in
            let page = try await school.get("/docs", as: nil).text
                .replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
                .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
                .replacing("&amp;", with: "&")
            // How one looks is nothing to learn from.
            for file in files where file.pathExtension != "css" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for line in text.split(separator: "\n") { #expect(page.contains(line), "\(line)") }
            }
        }
    }
}
