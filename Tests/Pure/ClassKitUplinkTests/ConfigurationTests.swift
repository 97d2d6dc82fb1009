import Foundation
import Testing

@testable import ClassKitUplink

/// Where an app finds its server.
@Suite struct ConfigurationTests {
    private let file = TemporaryFolder()

    private func find(
        _ json: String?, _ variables: [String: String] = [:]
    ) throws -> UplinkConfiguration? {
        let url = file.url.appending(path: "classkit.json")
        if let json { try Data(json.utf8).write(to: url) }
        return try UplinkConfiguration.find(
            bundleID: "org.example.app", variables: variables, file: url.path)
    }

    @Test func `without anything there is no server`() throws {
        #expect(try find(nil) == nil)
    }

    @Test func `the machine says which apps report`() throws {
        let json = """
            {"server":"https://school.example","organization":"Hillside","environment":"development",
            "bundles":["org.example.app"]}
            """
        let found = try #require(try find(json))
        #expect(found.server.absoluteString == "https://school.example")
        #expect(found.environment == "development")
        #expect(try find(json.replacing("org.example.app", with: "org.example.other")) == nil)
    }

    @Test func `variables come first`() throws {
        let found = try find(
            "{\"server\":\"https://school.example\",\"bundles\":[]}",
            ["CLASSKIT_SERVER": "http://127.0.0.1:8080", "CLASSKIT_ENVIRONMENT": "development"])
        #expect(found?.server.absoluteString == "http://127.0.0.1:8080")
        #expect(found?.environment == "development")
    }

    @Test(arguments: [
        ("{", "is not valid JSON"), ("{}", "“server” is missing"),
        ("{\"server\":7}", "“server” has the wrong type"),
        ("{\"server\":\"http://school.example\"}", "server: http://school.example cannot be used"),
        (
            "{\"server\":\"https://school.example\",\"environment\":\"test\"}",
            "must be production or development, not “test”"
        ),
    ])
    func whatIsWrongIsNamed(json: String, text: String) {
        let error = #expect(throws: UplinkError.self) { try find(json) }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("classkit.json") == true)
    }
}

/// A folder that goes with the test.
final class TemporaryFolder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appending(path: "uplink-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
