import Foundation
import TestKit
import Testing

@testable import Server

/// What the documents of the repository say of it.
@Suite struct Guides {
    private static let root = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Paths of all Markdown files, from the root.
    private static func documents() throws -> [String] {
        let files = FileManager.default
        let top = try files.contentsOfDirectory(atPath: root.path)
        let below = ["SQL", "Sources", "Tests", "deploy"].flatMap { folder in
            (files.enumerator(atPath: root.appending(path: folder).path)?.allObjects ?? [])
                .compactMap { $0 as? String }.map { "\(folder)/\($0)" }
        }
        return (top + below).filter { $0.hasSuffix(".md") }.sorted()
    }

    @Test func `every link leads to a file of the repository`() throws {
        var count = 0
        for document in try Self.documents() {
            let folder = Self.root.appending(path: document).deletingLastPathComponent()
            for link in try Self.text(document).matches(of: /\]\(([^)#]+)\)/).map({ String($0.1) })
            where !link.hasPrefix("https://") {
                count += 1
                let target = folder.appending(path: link).path
                #expect(
                    FileManager.default.fileExists(atPath: target), "\(document): \(link)")
            }
        }
        #expect(count > 50)
    }

    @Test func `the guide to settings names each of them, and nothing that is none`() throws {
        let guide = try Self.text("deploy/guides/configure.md")
        let named = Set(guide.matches(of: /`HOMEROOM_([A-Z_]+)`/).map { String($0.1) })
        #expect(named == (try Settings(environment: [:]).names))
    }

    @Test func `the first page fits on a screen or two and begins with both commands`() throws {
        let page = try Self.text("README.md")
        #expect(page.split(separator: "\n", omittingEmptySubsequences: false).count < 120)
        let commands = page.matches(of: /```\n(.+)\n```/).map { String($0.1) }
        #expect(commands == ["deploy/quickstart", "deploy/test"])
        for command in commands {
            let path = Self.root.appending(path: command).path
            #expect(FileManager.default.isExecutableFile(atPath: path))
        }
    }
}
