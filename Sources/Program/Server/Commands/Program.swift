import Glibc
import Log

/// The executable `homeroom`: chooses the command, runs it and reports errors.
package enum Program {
    /// The version of everything: `homeroom --version`, the API document and `CHANGELOG.md` show it.
    package static let version = "0.2.0"

    /// Every subcommand, in the order of the help text.
    static let commands: [Subcommand] = [
        .serve, .migrate, .upgradeDatabase, .reindex, .clockAccept, .clock, .organizationCreate,
        .organizationList,
        .organizationDelete, .organizationArchive, .organizationRestore, .organizationMove,
        .tokenCreate, .tokenList, .tokenRevoke, .administratorCreate, .administratorList,
        .passwordReset, .passwordExpire, .signingKeyReplace, .importUndo, .importFile,
        .termRollover, .exportVerify, .export,
        .erasuresApply, .backup, .restore, .demo, .doctor, .developerTeamCreate,
        .developerKeyCreate, .developerToken,
    ]

    /// Commands the program runs as child processes, for input from strangers; the help text does not list them.
    static let internals: [Subcommand] = [.readImage]

    /// Runs the program and returns its exit code: 0 done, 1 failed, 64 not understood.
    ///
    /// - Parameter settingsFile: the settings of this machine's service, which a command reads where nothing else says
    ///   what it is about.
    package static func run(
        _ arguments: [String], environment: [String: String], settingsFile: String? = nil
    ) -> Int32 {
        guard let command = find(arguments) else {
            let word = arguments.first ?? "help"
            if word == "--version" {
                printLine("homeroom \(version)")
                return 0
            }
            if ["help", "--help", "-h"].contains(word) {
                printLine(help)
                return arguments.isEmpty ? 64 : 0
            }
            complain(unknown(arguments))
            return 64
        }
        let words = arguments.dropFirst(command.name.split(separator: " ").count)
        if words.contains("--help") {
            printLine(help(for: command))
            return 0
        }
        do {
            // What the program starts gets its settings from its parent.
            let isInternal = internals.contains { $0.name == command.name }
            try command.run(
                Invocation(
                    words, of: command, environment: environment,
                    settingsFile: isInternal ? nil : settingsFile))
            return 0
        } catch let error as UsageError {
            complain("\(error) See: homeroom \(command.name) --help")
            return 64
        } catch let error where error is Settings.Unreadable || error is TooLittleMemory {
            complain("\(error)", .error)
            return 64
        } catch {
            complain("\(error)", .error)
            return 1
        }
    }

    private static func find(_ arguments: [String]) -> Subcommand? {
        (commands + internals).first { command in
            let words = command.name.split(separator: " ").map(String.init)
            return Array(arguments.prefix(words.count)) == words
        }
    }

    /// The message for arguments that match no command: the commands that begin that way, or the one that may be
    /// meant.
    private static func unknown(_ arguments: [String]) -> String {
        let said = arguments.prefix(2).joined(separator: " ")
        let group = commands.map(\.name).filter { $0.hasPrefix("\(arguments[0]) ") }
        guard group.isEmpty else {
            let words = group.map { "homeroom \($0)" }.joined(separator: ", ")
            return "\(said) is not a command. Known: \(words)."
        }
        let names = commands.map(\.name)
        let meant =
            Spelling.nearest(to: said, among: names)
            ?? Spelling.nearest(to: arguments[0], among: names)
        if let meant {
            return "\(arguments[0]) is not a command. Did you mean homeroom \(meant)?"
        }
        return "\(arguments[0]) is not a command. Known: \(names.joined(separator: ", "))."
    }

    private static var help: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { command in
            "  \(command.name)\(String(repeating: " ", count: width - command.name.count))  "
                + command.summary
        }
        return "Usage: homeroom COMMAND [OPTIONS]\n\n" + lines.joined(separator: "\n")
            + "\n\nhomeroom COMMAND --help says more; homeroom --version prints the version."
    }

    private static func help(for command: Subcommand) -> String {
        let options = (command.options + Subcommand.commonOptions).map { option in
            "  --\(option.name)\(option.placeholder.map { " \($0)" } ?? "")\n      \(option.meaning)"
        }
        return "\(command.summary)\n\nUsage: \(command.usage)\n\n"
            + options.joined(separator: "\n")
    }
}

/// Writes a line to standard output: results only.
func printLine(_ text: String) {
    writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO)
}

/// Writes a line to standard error: progress and problems; with its priority if standard error is the journal.
func complain(_ text: String, _ level: Log.Level = .info) {
    let mark = Log.goesToJournal ? level.priority : ""
    let lines = mark.isEmpty ? text : mark + text.replacing("\n", with: "\n\(mark)")
    // The same way as the log's lines, so that they stay in order and nobody waits for who reads them.
    LineWriter.standardError.write(Array((lines + "\n").utf8))
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written < 0, errno != EINTR { return }
        rest = rest.dropFirst(max(0, written))
    }
}
