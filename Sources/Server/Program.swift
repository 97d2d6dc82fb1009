import Glibc

/// The executable `homeroom`: chooses the command, runs it, and says what went wrong.
package enum Program {
    /// Every subcommand, in the order of the help text.
    static let commands: [Subcommand] = [
        .serve, .migrate, .organizationCreate, .tokenCreate, .importFile, .exportVerify, .export,
        .erasuresApply,
        .demo, .doctor, .developerTeamCreate, .developerKeyCreate, .developerToken,
    ]

    /// What the program starts itself as, for what strangers sent; no help tells of it.
    static let internals: [Subcommand] = [.readImage]

    /// Runs the program and answers its exit code: 0 done, 1 failed, 64 not understood.
    package static func run(_ arguments: [String], environment: [String: String]) -> Int32 {
        guard let command = find(arguments) else {
            let asksForHelp = arguments.isEmpty || ["help", "--help", "-h"].contains(arguments[0])
            if asksForHelp {
                printLine(help)
                return arguments.isEmpty ? 64 : 0
            }
            complain("\(arguments[0]) is no command.\n\(help)")
            return 64
        }
        let words = arguments.dropFirst(command.name.split(separator: " ").count)
        if words.contains("--help") {
            printLine(help(for: command))
            return 0
        }
        do {
            try command.run(Invocation(words, of: command, environment: environment))
            return 0
        } catch let error as UsageError {
            complain("\(error)\n\(help(for: command))")
            return 64
        } catch let error as Settings.Unreadable {
            complain("\(error)")
            return 64
        } catch {
            complain("\(error)")
            return 1
        }
    }

    private static func find(_ arguments: [String]) -> Subcommand? {
        (commands + internals).first { command in
            let words = command.name.split(separator: " ").map(String.init)
            return Array(arguments.prefix(words.count)) == words
        }
    }

    private static var help: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { command in
            "  \(command.name)\(String(repeating: " ", count: width - command.name.count))  "
                + command.summary
        }
        return "Usage: homeroom COMMAND [OPTIONS]\n\n" + lines.joined(separator: "\n")
            + "\n\nhomeroom COMMAND --help tells more."
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

/// Writes a line to standard error: progress and problems.
func complain(_ text: String) {
    writeAll(Array((text + "\n").utf8), to: STDERR_FILENO)
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written < 0, errno != EINTR { return }
        rest = rest.dropFirst(max(0, written))
    }
}
