import Glibc
import Values

/// Writes one line per event to standard error.
///
/// A line is one `write` of one thread (`LineWriter`), so that lines never mix and nobody waits for a reader. Messages are
/// literals that make sense on their own; variable parts go into fields. Errors are logged once, where they are
/// handled. Callers must never log bodies, tokens, passwords, names, email addresses, managed IDs, or SQL parameters.
package struct Log: Sendable {
    /// How much an event matters, least important first.
    package enum Level: Int, Sendable, Comparable, CaseIterable {
        case debug, info, warning, error

        /// The level named in a setting; `nil` for an unknown one.
        package init?(_ text: some StringProtocol) {
            guard let level = Level.allCases.first(where: { $0.name == text }) else { return nil }
            self = level
        }

        package var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }

        /// Its syslog(3) number, which precedes a line for the journal (sd-daemon(3)).
        package var priority: String {
            switch self {
            case .debug: "<7>"
            case .info: "<6>"
            case .warning: "<4>"
            case .error: "<3>"
            }
        }

        package static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The format of a line.
    package enum Format: String, Sendable {
        /// `2026-03-02T08:00:00.000Z info ready port=8080`
        case text
        /// `{"time":"2026-03-02T08:00:00.000Z","level":"info","message":"ready","port":8080}`
        case json
    }

    /// Whether a stream such as standard error goes to the journal, which sets `JOURNAL_STREAM` to the device
    /// and inode numbers of the stream (systemd.exec(5)).
    ///
    /// - Parameter variable: the value of that variable.
    package static func isJournal(_ descriptor: Int32, _ variable: String?) -> Bool {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    /// Whether this process's standard error goes to the journal.
    package static let goesToJournal = isJournal(
        2, getenv("JOURNAL_STREAM").map { String(cString: $0) })

    /// Receives whole lines, each with its newline; any thread may call it.
    package typealias Sink = @Sendable ([UInt8]) -> Void

    /// Less important events are not written.
    package let minimum: Level
    private let format: Format
    private let hasPriorities: Bool
    private let sink: Sink

    /// - Parameter hasPriorities: whether lines begin with their syslog priority, such as `<3>`, which
    ///   systemd's journal strips.
    package init(
        format: Format = .text, minimum: Level = .info, hasPriorities: Bool = false,
        sink: @escaping Sink = Log.standardError
    ) {
        self.hasPriorities = hasPriorities
        self.format = format
        self.minimum = minimum
        self.sink = sink
    }

    package func debug(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.debug, message, fields)
    }

    package func info(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.info, message, fields)
    }

    package func warning(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.warning, message, fields)
    }

    package func error(_ message: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.error, message, fields)
    }

    /// Leaves the line to the thread that writes to standard error: if that is full, closed or not read, lines are lost, and
    /// the program goes on.
    package static let standardError: Sink = { LineWriter.standardError.write($0) }

    /// Writes a line whose level is known only when it is written; the fields are made only if it is.
    package func write(_ level: Level, _ message: StaticString, _ fields: () -> LogFields) {
        guard level >= minimum else { return }
        sink(line(level, message, fields()))
    }

    func line(_ level: Level, _ message: StaticString, _ fields: LogFields) -> [UInt8] {
        let moment = Clock.system.now
        var line: [UInt8] = []
        line.reserveCapacity(256)
        if hasPriorities { line.append(contentsOf: level.priority.utf8) }
        switch format {
        case .text: appendText(level, message, fields, moment, to: &line)
        case .json: appendJSON(level, message, fields, moment, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }
}
