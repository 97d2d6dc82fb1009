import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import ServerKit

/// The clients that `deploy/publish-clients` makes, as those who install them use them.
@Suite struct PublishedClients {
    private static let tree = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
    private static let check = tree.appending(path: "deploy/clients/check")
    private static let examples = tree.appending(path: "Sources/Program/Server/Examples")
    /// How the guide compiles a program.
    private static let strictly = [
        "--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node",
    ]

    @discardableResult
    private static func run(
        _ program: String, _ arguments: String..., in folder: URL
    ) async throws -> String {
        try await run(program, arguments, in: folder)
    }

    private static func run(
        _ program: String, _ arguments: [String], in folder: URL
    ) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        environment["PYTHONPATH"] = folder.appending(path: "python").path
        environment["MYPYPATH"] = environment["PYTHONPATH"]
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["MYPY_CACHE_DIR"] = "/dev/null"
        process.environment = environment
        let outcome = try await Homeroom.finish(process)
        #expect(outcome.status == 0, "\(program): \(outcome.output)\(outcome.complaints)")
        return outcome.output
    }

    /// A folder in which both clients are installed from archives made of the document.
    private static func withClients(
        of document: [UInt8], _ body: (URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "clients-\(UUID())")
        let module = folder.appending(path: "node_modules/homeroom-client")
        try FileManager.default.createDirectory(at: module, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(document).write(to: folder.appending(path: "openapi.json"))
        try Data(#"{"type": "module"}"#.utf8).write(to: folder.appending(path: "package.json"))
        let made = try await run(
            tree.appending(path: "deploy/publish-clients").path, "openapi.json", "archives",
            in: folder
        ).split(separator: "\n").map(String.init)
        #expect(made.map { $0.hasSuffix(".whl") } == [true, false, false])
        try await run("python3", "-m", "zipfile", "-e", made[0], "python", in: folder)
        try await run(
            "tar", "-xzf", made[2], "-C", module.path, "--strip-components", "1", in: folder)
        try await body(folder)
    }

    private static func document(_ school: TestSchool) async throws -> [UInt8] {
        let answer = try await school.get("/openapi.json", as: nil)
        #expect(answer.status == 200)
        return answer.body
    }

    @Test func `the programs of the guide print who is in each class`() async throws {
        try await withSchool { school in
            let server = try await RunningServer(school.homeroom)
            defer { server.kill() }
            let account = try await school.post(
                "/v1/service-accounts", as: .ada,
                json: ["name": "Class lists", "role": "provisioner"])
            let arguments = [
                "http://127.0.0.1:\(server.port)", try #require(account.json["clientId"]?.text),
                try #require(account.json["clientSecret"]?.text),
            ]
            // So that the program goes through more than one page.
            try school.sql(
                """
                insert into school.class (organization_id, class_id, location_id, name)
                select \(school.hillside), school.new_id(), \(school.mainLocation), 'Empty ' || n
                  from generate_series(101, 160) as n
                """)
            try await Self.withClients(of: try await Self.document(school)) { folder in
                let python = Self.examples.appending(path: "class_lists.py").path
                let printed = try await Self.run("python3", [python] + arguments, in: folder)
                let start =
                    "Biology (Example, Example)\n  Sam Example\n  Sue Example\n"
                    + "Chemistry (Example)\n  Ben Example\nEmpty 101 ()\n"
                #expect(printed.hasPrefix(start), "\(printed)")
                #expect(printed.hasSuffix("Empty 160 ()\n"))
                try FileManager.default.copyItem(
                    at: Self.examples.appending(path: "class_lists.ts"),
                    to: folder.appending(path: "class_lists.ts"))
                _ = try await Self.run("tsc", Self.strictly + ["class_lists.ts"], in: folder)
                let same = try await Self.run("node", ["class_lists.js"] + arguments, in: folder)
                #expect(same == printed)
            }
        }
    }

    @Test func `a server in trouble is asked again where that does no harm`() async throws {
        try await withSchool { school in
            try await Self.withClients(of: try await Self.document(school)) { folder in
                let trouble = Self.check.appending(path: "trouble.py").path
                let python = Self.check.appending(path: "calls.py").path
                try await Self.run("python3", trouble, "python3", python, in: folder)
                try FileManager.default.copyItem(
                    at: Self.check.appending(path: "calls.ts"),
                    to: folder.appending(path: "calls.ts"))
                _ = try await Self.run("tsc", Self.strictly + ["calls.ts"], in: folder)
                try await Self.run("python3", trouble, "node", "calls.js", in: folder)
            }
        }
    }

    @Test func `the types are sound, and the same document gives the same bytes`() async throws {
        try await withSchool { school in
            try await Self.withClients(of: try await Self.document(school)) { folder in
                try await Self.run(
                    "mypy", "--strict", "python/homeroom_client",
                    Self.examples.appending(path: "class_lists.py").path,
                    Self.check.appending(path: "calls.py").path, in: folder)
                try await Self.run(
                    Self.tree.appending(path: "deploy/publish-clients").path,
                    folder.appending(path: "openapi.json").path, "again", in: folder)
                try await Self.run("diff", "-r", "archives", "again", in: folder)
            }
        }
    }
}
