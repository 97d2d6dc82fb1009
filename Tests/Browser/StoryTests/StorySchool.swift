import BrowserKit
import Foundation
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// What people do in the browser, one story after the other: each takes a browser and a school of its own, and a server
/// that is busy with others may ask a person to wait.
@Suite(.serialized) struct Stories {}

/// The demonstration school, served by the built program to a browser.
final class StorySchool: @unchecked Sendable {
    let server: RunningServer
    let driver: ChromeDriver
    private let databases: TestDatabase
    private let name: String

    /// A database with the demonstration school, made once for all stories, which each copies.
    private static let template = Task {
        let databases = try TestDatabase.shared()
        try databases.connect(to: "postgres").execute("create database stories")
        let homeroom = Homeroom(
            databaseURL: databases.url("stories", user: "school_server"),
            migrationURL: databases.url("stories", user: nil))
        let migrated = try await homeroom("migrate")
        try #require(migrated.status == 0, "\(migrated.complaints)")
        let made = try await homeroom("demo", "--json")
        try #require(made.status == 0, "\(made.complaints)")
    }

    private init() async throws {
        databases = try TestDatabase.shared()
        try await Self.template.value
        name = "story_\(UUID().uuidString.prefix(8).lowercased())"
        try databases.connect(to: "postgres").execute(
            "create database \(identifier: name) template stories")
        server = try await RunningServer(
            Homeroom(databaseURL: databases.url(name, user: "school_server"))
                .with("HOMEROOM_PAGES", "demonstration"))
        driver = try ChromeDriver()
    }

    private func close() {
        server.kill()
        databases.drop(name)
    }

    /// Lets one story happen, on a thread that may block.
    static func tell(_ story: @escaping @Sendable (StorySchool) throws -> Void) async throws {
        let school = try await StorySchool()
        defer { school.close() }
        try await onThread { try story(school) }
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    /// A browser in which nobody is signed in.
    func window(language: String = "en", runsScripts: Bool = true) throws -> Window {
        let window = try Window(driver, language: language, runsScripts: runsScripts)
        // A machine that runs all tests at once is slow, and no story is about that.
        window.busyTitle = "The server does not answer"
        try window.open(url("/"))
        return window
    }

    /// A browser in which somebody has signed in by the demonstration's button.
    func window(as role: String, runsScripts: Bool = true) throws -> Window {
        let window = try window(runsScripts: runsScripts)
        try window.press(role)
        return window
    }
}
