import Foundation
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// What the guides tell an operator to type is what the programs take.
@Suite struct GuideCommands {
    /// All guides and runbooks, by their paths below `deploy/guides`.
    static let guides: [String] = {
        let folder = Guides.root.appending(path: "deploy/guides").path
        let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder)
        return (paths ?? []).filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
    }()

    @Test(arguments: guides)
    func `homeroom takes each command as it is printed`(guide: String) throws {
        for block in try GuideBlock.all(in: guide) where block.mark != .notCommands {
            for words in GuideBlock.commands(in: block.text) {
                try check(words, "\(guide).md, block at line \(block.line)")
            }
        }
    }

    /// A command may be named in a sentence, without what it needs.
    @Test(arguments: guides)
    func `each command in a sentence exists, with its options`(guide: String) throws {
        let text = try Guides.text("deploy/guides/\(guide).md").replacing("\n  ", with: " ")
            .replacing("\n", with: " ")
        for quoted in text.matches(of: /`(homeroom [^`]+)`/).map({ String($0.1) }) {
            for words in GuideBlock.commands(in: quoted) {
                guard let (command, rest) = called(words) else {
                    let isGroup = Program.commands.contains {
                        $0.name.hasPrefix(words.dropFirst().joined(separator: " "))
                    }
                    #expect(
                        isGroup || words.contains("COMMAND")
                            || words.contains { $0.hasPrefix("--") },
                        "\(guide).md: \(quoted)")
                    continue
                }
                let options = (command.options + Subcommand.commonOptions).map { "--\($0.name)" }
                for word in rest where word.hasPrefix("--") && word != "--help" {
                    let name = word.split(separator: "=")[0]
                    #expect(options.contains(String(name)), "\(guide).md: \(quoted)")
                }
            }
        }
    }

    @Test(arguments: guides)
    func `each unit exists`(guide: String) throws {
        let text = try Guides.text("deploy/guides/\(guide).md")
        let folders = ["deploy/systemd", "deploy/container"].map {
            Guides.root.appending(path: $0).path
        }
        func isThere(_ unit: String) -> Bool {
            folders.contains { FileManager.default.fileExists(atPath: "\($0)/\(unit)") }
        }
        for match in text.matches(of: /\bhomeroom[a-z-]*\.(service|socket|timer|target)\b/) {
            // Its drop-in folder.
            #expect(isThere(String(match.0)), "\(guide).md: \(match.0)")
        }
        for match in text.matches(of: /journalctl[^`|\n]* -u (homeroom[a-z-]*)/) {
            #expect(isThere("\(match.1).service"), "\(guide).md: \(match.0)")
        }
    }

    @Test func `a wrong command, option or setting in a guide would be found`() throws {
        #expect(throws: (any Error).self) { try parse(["homeroom", "backup"]) }
        #expect(throws: (any Error).self) {
            try parse(["homeroom", "backup", "x", "--keyfile", "y"])
        }
        #expect(throws: (any Error).self) { try parse(["HOMEROOM_LISTN=x", "homeroom", "serve"]) }
        #expect(throws: (any Error).self) {
            try parse(["runuser", "-u", "homeroom", "--", "homeroom", "token", "create"])
        }
        try parse(["runuser", "-u", "homeroom", "--", "homeroom", "backup", "x", "--days", "90"])
        let commands = GuideBlock.commands(
            in:
                "a=$(homeroom token list --organization x | cut -d ' ' -f 1) # b\nc \\\n  'd e' >f && g\n"
        )
        #expect(
            commands == [
                ["homeroom", "token", "list", "--organization", "x"],
                ["cut", "-d", " ", "-f", "1"],
                ["a=$(…)"], ["c", "d e"], ["g"],
            ])
    }

    /// The command that the words call and what follows its name; `nil` if there is none.
    private func called(_ words: [String]) -> (Subcommand, ArraySlice<String>)? {
        // Other programs take the name as that of an account or a container, too.
        let isRunByOther = ["runuser", "podman"].contains(words.first ?? "")
        let start =
            isRunByOther ? words.lastIndex(of: "homeroom") : words.firstIndex(of: "homeroom")
        guard let start, isRunByOther || words[..<start].allSatisfy({ $0.contains("=") })
        else { return nil }
        let rest = words[(start + 1)...]
        return Program.commands.lazy.compactMap { command in
            let name = command.name.split(separator: " ").map(String.init)
            return Array(rest.prefix(name.count)) == name
                ? (command, rest.dropFirst(name.count)) : nil
        }.first
    }

    private func parse(_ words: [String]) throws {
        guard words.contains("homeroom"), let (command, rest) = called(words) else { return }
        var environment: [String: String] = [:]
        for word in words.prefix(while: { $0.contains("=") }) {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            environment[parts[0]] = parts[1]
        }
        _ = try Invocation(rest, of: command, environment: environment, settingsFile: nil)
    }

    private func check(_ words: [String], _ place: String) throws {
        #expect(throws: Never.self, "\(place): \(words.joined(separator: " "))") {
            try parse(words)
        }
        if let start = words.firstIndex(of: "homeroom"), start == 0 {
            let isNone = words.count > 1 && ["--version", "--help"].contains(words[1])
            #expect(isNone || called(words) != nil, "\(place): \(words.joined(separator: " "))")
        }
        for word in words where word.hasPrefix("deploy/") {
            let folder = Guides.root.appending(path: word).deletingLastPathComponent().path
            let name = word.split(separator: "/").last?.split(separator: "*").first ?? ""
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.contains { $0.hasPrefix(String(name)) }, "\(place): \(word)")
        }
    }
}
