import Foundation
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// What shells complete, as `deploy/debian/reference.py` makes it from the program's help.
@Suite struct Completions {
    private static let maker = URL(filePath: TestDatabase.sqlFolder)
        .deletingLastPathComponent().appending(path: "deploy/debian/reference.py").path

    /// How each shell reads a file without running it.
    private static let readings = [
        ("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-config", "-n"]),
    ]

    @Test func `every installed shell can read its completions`() async throws {
        let installed = Self.readings.filter { shell, _ in
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)")
        }
        #expect(installed.contains { $0.0 == "bash" })
        for (shell, words) in installed {
            try await withCompletions(for: shell) { path in
                let run = try await Self.run("/usr/bin/\(shell)", words + [path])
                #expect(run.status == 0 && run.complaints.isEmpty, "\(run.complaints)")
                let whole = try String(contentsOfFile: path, encoding: .utf8)
                try (whole + "\nif true\n").write(toFile: path, atomically: true, encoding: .utf8)
                let broken = try await Self.run("/usr/bin/\(shell)", words + [path])
                #expect(broken.status != 0, "\(shell) reads anything")
            }
        }
    }

    @Test func `bash completes every command with all of its options`() async throws {
        let commands = Program.commands
        let lines = ["homeroom "] + commands.map { "homeroom \($0.name) --" }
        let completed = try await complete(lines)
        #expect(completed.count == lines.count)
        let firsts = commands.map { $0.name.split(separator: " ")[0] }
        #expect(Set(completed.first ?? []) == Set(firsts.map(String.init)))
        for (command, words) in zip(commands, completed.dropFirst()) {
            let options = command.options + Subcommand.commonOptions
            #expect(words.sorted() == options.map { "--\($0.name)" }.sorted(), "\(command.name)")
        }
    }

    @Test func `bash completes second words, and the words that an option takes`() async throws {
        let completed = try await complete([
            "homeroom token ", "homeroom organization re", "homeroom serve --pages ",
            "homeroom serve --url ", "homeroom serve --pag",
        ])
        #expect(
            completed == [
                ["create", "list", "revoke"], ["restore"], ["on", "off", "demonstration"], [],
                ["--pages"],
            ])
    }

    /// What bash completes at the end of each line.
    private func complete(_ lines: [String]) async throws -> [[String]] {
        try await withCompletions(for: "bash") { path in
            let asking = """
                . "$0"
                for line in "$@"; do
                    read -ra COMP_WORDS <<<"$line"
                    [ "${line% }" = "$line" ] || COMP_WORDS+=("")
                    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                    _homeroom
                    echo "${COMPREPLY[*]}"
                done
                """
            let run = try await Self.run("/usr/bin/bash", ["-c", asking, path] + lines)
            #expect(run.status == 0 && run.complaints.isEmpty, "\(run.complaints)")
            return run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .map { $0.split(separator: " ").map(String.init) }
        }
    }

    /// Gives the body the path of a file with the completions of a shell.
    private func withCompletions<Value>(
        for shell: String, _ body: (String) async throws -> Value
    ) async throws -> Value {
        let made = try await Self.run("/usr/bin/python3", [Self.maker, Homeroom.executable, shell])
        #expect(made.status == 0, "\(made.complaints)")
        let path = FileManager.default.temporaryDirectory.appending(
            path: "completions-\(UUID().uuidString)"
        ).path
        try made.output.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    private static func run(_ path: String, _ words: [String]) async throws -> Homeroom.Run {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = words
        return try await Homeroom.finish(process)
    }
}
