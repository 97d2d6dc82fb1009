/// A subcommand of `homeroom`: its name, its arguments and its action.
package struct Subcommand: Sendable {
    /// An option such as `--name TEXT`, or a flag such as `--json` if there is no placeholder.
    package struct Option: Sendable {
        package let name: String
        package let placeholder: String?
        package let isRequired: Bool
        package let meaning: String

        package static func required(
            _ name: String, _ placeholder: String, _ meaning: String
        ) -> Option {
            Option(name: name, placeholder: placeholder, isRequired: true, meaning: meaning)
        }

        package static func optional(
            _ name: String, _ placeholder: String, _ meaning: String
        ) -> Option {
            Option(name: name, placeholder: placeholder, isRequired: false, meaning: meaning)
        }

        package static func flag(_ name: String, _ meaning: String) -> Option {
            Option(name: name, placeholder: nil, isRequired: false, meaning: meaning)
        }
    }

    /// The words that select it, such as `organization create`.
    package let name: String
    package let summary: String
    /// Placeholders of the positional arguments, all required.
    package let operands: [String]
    /// Whether it may be called with none of them, as options say the same.
    package let mayLackOperands: Bool
    package let options: [Option]
    package let run: @Sendable (Invocation) throws -> Void

    package init(
        _ name: String, _ summary: String, operands: [String] = [],
        mayLackOperands: Bool = false, options: [Option] = [],
        run: @escaping @Sendable (Invocation) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.mayLackOperands = mayLackOperands
        self.options = options
        self.run = run
    }

    /// The options of every command.
    static let commonOptions: [Option] = [
        .optional(
            "settings", "FILE",
            "Settings of the service; /etc/homeroom/environment if no variable HOMEROOM_… is set."),
        .optional("data", "FOLDER", "Where the private PostgreSQL lives (HOMEROOM_DATA)."),
        .optional("database-url", "URL", "An external PostgreSQL (HOMEROOM_DATABASE_URL)."),
        .optional("migration-url", "URL", "The same as its owner (HOMEROOM_MIGRATION_URL)."),
        .optional("sql", "FOLDER", "The SQL definitions (HOMEROOM_SQL)."),
        .optional("log", "FORM", "text, json or off (HOMEROOM_LOG)."),
        .optional(
            "log-level", "LEVEL",
            "Write nothing less important than debug, info, warning or error (HOMEROOM_LOG_LEVEL)."),
    ]

    /// The arguments after the command's name, in words.
    fileprivate var operandText: String {
        operands.isEmpty ? "no arguments without a name" : operands.joined(separator: " and ")
    }

    /// One line such as `homeroom import FILE [--preview]`.
    var usage: String {
        let words = operands.map { mayLackOperands ? "[\($0)]" : $0 } + options.map(\.usage)
        return (["homeroom", name] + words).joined(separator: " ")
    }
}

extension Subcommand.Option {
    fileprivate var usage: String {
        let text = placeholder.map { "--\(name) \($0)" } ?? "--\(name)"
        return isRequired ? text : "[\(text)]"
    }
}

/// One call of a command: its arguments, parsed as the command declares them.
package struct Invocation: Sendable {
    package let settings: Settings
    package let operands: [String]
    private let values: [String: [String]]

    /// The last value of an option.
    package func value(_ name: String) -> String? { values[name]?.last }
    /// All values of an option that may be repeated.
    package func all(_ name: String) -> [String] { values[name] ?? [] }
    package func has(_ name: String) -> Bool { values[name] != nil }
}

/// The arguments were not understood; exit code 64.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

extension Invocation {
    /// Parses what follows the command's name.
    ///
    /// - Parameter settingsFile: what is read if no variable is a setting and no option names a file.
    init(
        _ words: ArraySlice<String>, of command: Subcommand, environment: [String: String],
        settingsFile: String?
    ) throws {
        var operands: [String] = []
        var values: [String: [String]] = [:]
        let options = command.options + Subcommand.commonOptions
        var rest = words
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                operands.append(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
            guard let option = options.first(where: { $0.name == parts[0] }) else {
                let meant = Spelling.nearest(to: parts[0], among: options.map(\.name))
                    .map { " Did you mean --\($0)?" }
                throw UsageError(
                    description: "--\(parts[0]) is not an option of \(command.name).\(meant ?? "")")
            }
            if option.placeholder == nil {
                values[option.name, default: []].append("true")
            } else if let value = parts.count > 1 ? parts[1] : rest.popFirst() {
                values[option.name, default: []].append(value)
            } else {
                throw UsageError(description: "--\(option.name) needs a value.")
            }
        }
        let isWhole = operands.count == command.operands.count
        guard isWhole || command.mayLackOperands && operands.isEmpty else {
            throw UsageError(description: "\(command.name) takes \(command.operandText).")
        }
        for option in options where option.isRequired && values[option.name] == nil {
            throw UsageError(description: "--\(option.name) is needed.")
        }
        self.operands = operands
        self.values = values
        settings = try SettingsFile.settings(
            environment, flags: values.compactMapValues(\.last),
            named: values["settings"]?.last, otherwise: settingsFile)
    }
}
