import Foundation
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// What the documents of the repository say about it.
@Suite struct Guides {
    static let root = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
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

    /// Paths from the root or from the document, and names of files in a folder that the surrounding text names.
    @Test func `every file that is named exists`() throws {
        let all = try FileManager.default.subpathsOfDirectory(atPath: Self.root.path)
            .filter { !$0.hasPrefix(".") }
        let names = Set(all.map { URL(filePath: $0).lastPathComponent })
        let paths = Set(all)
        var count = 0
        for document in try Self.documents() {
            let folder = document.split(separator: "/").dropLast().joined(separator: "/")
            let quoted = try Self.text(document).matches(of: /`([^`\s]+)[^`\n]*`/)
            for word in quoted.map({ String($0.1) }) where Self.isPath(word) {
                count += 1
                let path = word.hasSuffix("/") ? String(word.dropLast()) : word
                let isThere =
                    path.contains("/")
                    ? paths.contains(path) || paths.contains("\(folder)/\(path)")
                    : names.contains(path)
                #expect(isThere, "\(document): \(word)")
            }
        }
        #expect(count > 90)
    }

    /// Whether a word is the path of a file, and not a pattern such as `policies/FEATURE.sql` or `C…`.
    private static func isPath(_ word: String) -> Bool {
        guard !word.contains(/[*…(]|[A-Z]{4}/) || word.contains(/README|CHANGELOG/) else {
            return false
        }
        return word.contains(/^(SQL|Sources|Tests|deploy)\//)
            || word.contains(/\.(swift|sql|md|sh|py)$/)
    }

    @Test func `the guide to settings names each of them, and nothing else`() throws {
        let guide = try Self.text("deploy/guides/configure.md")
        let named = Set(guide.matches(of: /`HOMEROOM_([A-Z_]+)`/).map { String($0.1) })
        #expect(named == (try Settings(environment: [:]).names))
    }

    @Test func `the package's settings explain each of them, change none, and name nothing else`()
        throws
    {
        let blocks = try Self.text("deploy/debian/environment").split(separator: "\n\n").dropFirst()
        var named: [String] = []
        for block in blocks {
            let lines = block.split(separator: "\n")
            let settings = lines.compactMap { $0.wholeMatch(of: /#HOMEROOM_([A-Z_]+)=.+/)?.1 }
            #expect(!settings.isEmpty, "\(block)")
            #expect(lines.dropLast(settings.count).allSatisfy { $0.hasPrefix("# ") }, "\(block)")
            #expect(lines.count > settings.count, "not explained: \(block)")
            named += settings.map(String.init)
        }
        #expect(named.sorted() == (try Settings(environment: [:]).names.sorted()))
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
