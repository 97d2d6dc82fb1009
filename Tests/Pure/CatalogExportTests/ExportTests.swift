import ClassKitUplink
import Crypto
import Foundation
import JSONBytes
import Synchronization
import Testing

@testable import CatalogExport

/// From a provider's program to the calls of the Catalog API.
@Suite final class ExportTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "export-\(UUID().uuidString)")
    private let key = ES256PrivateKey()

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A program that writes a tree like `ClassKitLinux.run`.
    private func provider(_ script: String) throws -> String {
        let file = folder.appending(path: "provider")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
        return file.path
    }

    private static let tree = """
        {"bundleID":"org.example.app","title":"App","contexts":[
        {"context":{"identifierPath":["a"],"title":"A","type":"lesson","displayOrder":1,
        "isAssignable":true,"progressReportingCapabilities":[],"suggestedAge":[9,null],
        "navigationPaths":[["b"]]},"thumbnail":"/9j/"},
        {"context":{"identifierPath":["b"],"title":"B","type":"lesson","displayOrder":2,
        "isAssignable":true,"progressReportingCapabilities":[]}},
        {"context":{"identifierPath":["a","q"],"title":"Q","type":"quiz","displayOrder":0,
        "isAssignable":true,"progressReportingCapabilities":[]},"thumbnail":"/9j/"}]}
        """

    private func arguments(_ script: String, _ more: String...) throws -> [String] {
        let file = folder.appending(path: "key.p8")
        try Data(key.pem.utf8).write(to: file)
        return [
            "export", "--provider", try provider(script), "--server", "https://school.example/",
            "--team", "T3A5M8ID01", "--key-id", "K7Q2M9X4ZT", "--key", file.path,
        ] + more
    }

    private static let writing = "cat > \"$CLASSKIT_EXPORT\" <<'END'\n\(tree)\nEND"

    @Test func `the tree is published`() async throws {
        let catalog = ModelCatalog()
        let command = try ExportCommand(arguments(Self.writing))
        let line = try await command.run(transport: catalog)
        #expect(line == "Published 4 contexts and 1 thumbnails of org.example.app.")
        let calls = catalog.calls
        #expect(
            calls.map { $0.url.absoluteString.prefix(68) }
                == [
                    "https://school.example/v1/contexts?environment=development",
                    "https://school.example/v1/thumbnails?environment=development&thumbnai",
                ].map { $0.prefix(68) })
        let body = String(decoding: calls[0].body ?? Data(), as: UTF8.self)
        #expect(body.contains("\"identifierPath\":[\"org.example.app\"]"))
        #expect(body.contains("\"identifierPath\":[\"org.example.app\",\"a\",\"q\"]"))
        #expect(body.contains("\"suggestedAge\":[9,9223372036854775806]"))
        #expect(
            body.contains(
                "\"presentablePaths\":[{\"path\":[\"org.example.app\"]},{\"path\":[\"org.example.app\",\"b\"]}]"
            ))
        #expect(calls[1].headers["Content-Type"] == "image/jpeg")
        let token = try #require(calls[0].headers["Authorization"]?.dropFirst(7))
        let verified = try JWT(verifying: String(token)) { _ in key.publicKey }
        #expect(verified.keyID == "K7Q2M9X4ZT" && verified.claims["iss"]?.text == "T3A5M8ID01")
    }

    @Test func `a dry run publishes nothing`() async throws {
        let catalog = ModelCatalog()
        let command = try ExportCommand([
            "export", "--provider", try provider(Self.writing), "--server",
            "https://school.example", "--dry-run",
        ])
        let text = try await command.run(transport: catalog)
        #expect(text == "org.example.app (app) App\n  a (lesson) A\n    q (quiz) Q\n  b (lesson) B")
        #expect(catalog.calls.isEmpty)
    }

    @Test func `busy servers are asked again and refusals are shown`() async throws {
        let catalog = ModelCatalog()
        catalog.script(
            HTTPAnswer(status: 503), HTTPAnswer(status: 429, headers: ["Retry-After": "7"]),
            HTTPAnswer(
                status: 403,
                body: Data("{\"id\":\"1\",\"code\":\"NOT_AUTHORIZED\",\"message\":\"No.\"}".utf8)))
        let pauses = Mutex<[Double]>([])
        let command = try ExportCommand(arguments(Self.writing))
        let publisher = CatalogPublisher(
            server: command.server, environment: "development",
            key: try #require(command.key), transport: catalog
        ) { seconds in pauses.withLock { $0.append(seconds) } }
        let error = await #expect(throws: ExportError.self) {
            try await publisher.publish(
                [
                    CatalogContext(
                        ContextRecord(identifierPath: [], title: "A", type: "app"), of: "a",
                        locale: "en", thumbnailID: nil)
                ], thumbnails: [:])
        }
        #expect(error?.description == "/v1/contexts: 403 NOT_AUTHORIZED: No.")
        #expect(pauses.withLock { $0 } == [2, 7])
    }

    @Test func `ancestors come first in batches that the server takes`() throws {
        let command = try ExportCommand(arguments(Self.writing))
        let publisher = CatalogPublisher(
            server: command.server, environment: "development", key: try #require(command.key),
            transport: ModelCatalog()
        ) { _ in }
        let contexts = (0..<450).map {
            CatalogContext(
                ContextRecord(identifierPath: ["\($0)"], title: "A", type: "quiz"), of: "a",
                locale: "en", thumbnailID: nil)
        }
        let bodies = try publisher.bodies(contexts)
        let counts = bodies.map {
            String(decoding: $0, as: UTF8.self).split(separator: "locale").count - 1
        }
        #expect(counts == [200, 200, 50])
    }

    @Test(arguments: [
        ("exit 3", "failed (3). Nothing was published."), ("true", "wrote no tree"),
        ("echo '{}' > \"$CLASSKIT_EXPORT\"", "is not a tree of contexts"),
    ])
    func providersThatFailPublishNothing(script: String, text: String) async throws {
        let catalog = ModelCatalog()
        let command = try ExportCommand(arguments(script))
        let error = await #expect(throws: ExportError.self) {
            try await command.run(transport: catalog)
        }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
        #expect(catalog.calls.isEmpty)
    }

    @Test func `the provider runs alone`() throws {
        let path = try provider(
            "env | grep -E '^(CLASSKIT|XDG_DATA)' | cut -d= -f1 | sort | tr '\\n' ' ' > \(folder.path)/env;"
                + Self.writing)
        _ = try ProviderProgram(
            path: path, arguments: [], server: try #require(URL(string: "https://school.example"))
        )
        .tree(variables: ["CLASSKIT_TOKEN": "secret", "PATH": "/usr/bin:/bin"])
        let names = try String(contentsOf: folder.appending(path: "env"), encoding: .utf8)
        #expect(names == "CLASSKIT_EXPORT CLASSKIT_SERVER XDG_DATA_HOME ")
    }

    @Test(arguments: [
        ([], "usage:"), (["publish"], "usage:"), (["export"], "--provider is missing"),
        (["export", "--prvider", "x"], "Unknown option --prvider"),
        (["export", "--provider"], "--provider needs a value"),
        (["export", "--provider", "x", "--server", "school"], "“school” is not an address"),
        (
            ["export", "--provider", "x", "--server", "https://a.example", "--environment", "x"],
            "must be development or production"
        ), (["export", "--provider", "x", "--server", "https://a.example"], "--team is missing"),
        (
            [
                "export", "--provider", "x", "--server", "https://a.example", "--team", "t",
                "--key-id", "k", "--key", "/nowhere",
            ], "/nowhere cannot be read"
        ),
    ])
    func wrongArgumentsAreNamed(arguments: [String], text: String) {
        let error = #expect(throws: ExportError.self) { try ExportCommand(arguments) }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
    }
}

/// A Catalog API that takes everything.
final class ModelCatalog: Transport {
    private let state = Mutex<(calls: [HTTPCall], answers: [HTTPAnswer])>(([], []))

    var calls: [HTTPCall] { state.withLock { $0.calls } }

    func script(_ answers: HTTPAnswer...) { state.withLock { $0.answers = answers } }

    func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        state.withLock { state in
            state.calls.append(call)
            return state.answers.isEmpty ? HTTPAnswer(status: 201) : state.answers.removeFirst()
        }
    }
}
