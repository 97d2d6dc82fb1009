import Foundation
import TestKit
import Testing

/// Everything asks `moment()` for the time, so that tests set it (`TestSchool.setMoment`).
@Suite struct ClockRules {
    /// A line that looks at the clock itself, and why it may.
    struct Exempt: CustomTestStringConvertible, Sendable {
        let file: String
        let text: String
        let reason: String

        init(_ file: String, _ text: String, because reason: String) {
            self.file = file
            self.text = text
            self.reason = reason
        }

        var testDescription: String { "\(file): \(reason)" }
    }

    static let exempt = [
        Exempt(
            "SQL/functions/access/callers.sql", "return date_trunc('milliseconds', now());",
            because: "moment() itself"),
        Exempt(
            "SQL/functions/access/callers.sql",
            "return date_trunc('milliseconds', clock_timestamp());",
            because: "latest_moment() itself"),
        Exempt(
            "SQL/functions/access/callers.sql",
            "placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)",
            because: "ids only have to grow, even where the time is put back"),
        Exempt(
            "SQL/functions/catalog/changes.sql",
            "return greatest(last_change + 1, floor(extract(epoch from clock_timestamp()) * 1000000)::bigint);",
            because: "a number that only has to grow"),
        Exempt(
            "SQL/functions/changes/numbering.sql",
            "floor(extract(epoch from clock_timestamp()) * 1000000)::bigint)",
            because: "a position that only has to grow"),
        Exempt(
            "SQL/functions/activities/uploads.sql",
            "(extract(epoch from clock_timestamp()) * 1000000)::bigint, moment()",
            because: "a position that only has to grow"),
        Exempt(
            "SQL/functions/tools/services.sql",
            "(extract(epoch from clock_timestamp()) * 1000000)::bigint, moment()",
            because: "a position that only has to grow"),
        Exempt(
            "SQL/roles.sql",
            "applied_at timestamptz(3) not null default date_trunc('milliseconds', now()),",
            because: "no table uses a function that the migrator drops"),
        Exempt(
            "Sources/Program/Server/Migrating/Migrator.swift",
            "applied_at = date_trunc('milliseconds', now())",
            because: "the migrator does not rely on functions that it makes"),
        Exempt(
            "Sources/Program/Server/Metrics/DatabaseProbe.swift",
            "select coalesce(greatest(0, extract(epoch from max(clock_timestamp() - l.waitstart))), 0)::float8 as seconds",
            because: "real waits, since a time that PostgreSQL noted"),
    ]

    /// PostgreSQL's clocks, in the lower case in which SQL is written here. Before `.now()` there is another one.
    private static let clocks =
        #"(?<![.\w])((now|clock_timestamp|transaction_timestamp|statement_timestamp|timeofday)\(\)"#
        + #"|(current_(timestamp|date|time)|localtime(stamp)?)(?!\w))|'(now|today|tomorrow|yesterday)'"#

    private static func asksClock(_ text: some StringProtocol) -> Bool {
        text.range(of: clocks, options: .regularExpression) != nil
    }

    /// The lines that look at a clock, by number, without comments.
    private static func looks(_ text: String) -> [(number: Int, line: String)] {
        guard asksClock(text) else { return [] }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var found: [(number: Int, line: String)] = []
        for (index, text) in lines.enumerated() {
            let line = text.trimmingCharacters(in: .whitespaces)
            let code = line.range(of: "--").map { line[..<$0.lowerBound] } ?? line[...]
            guard asksClock(code), !line.hasPrefix("//") else { continue }
            found.append((number: index + 1, line: line))
        }
        return found
    }

    private static func looks(
        in folder: String
    ) throws -> [(file: String, number: Int, line: String)] {
        let path = "\(TestDatabase.sqlFolder)/../\(folder)"
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".sql") || $0.hasSuffix(".swift") }
        return try names.sorted().flatMap { name in
            let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
            return looks(text).map {
                (file: "\(folder)/\(name)", number: $0.number, line: $0.line)
            }
        }
    }

    @Test func `functions, policies and statements ask moment() for the time`() throws {
        let looks = try ["SQL", "Sources"].flatMap { try Self.looks(in: $0) }
            .filter { !$0.file.hasPrefix("SQL/migrations/") }
        for look in looks {
            #expect(
                Self.exempt.contains { $0.file == look.file && $0.text == look.line },
                "\(look.file):\(look.number) looks at the clock: \(look.line)")
        }
        for exempt in Self.exempt {
            #expect(
                looks.contains { $0.file == exempt.file && $0.line == exempt.text },
                "\(exempt.file) no longer has: \(exempt.text)")
        }
    }

    @Test(arguments: [
        "select now()", "where due_at < now() - interval '1 day'", "a := clock_timestamp();",
        "ends_on < current_date", "at = current_timestamp and true", "(localtimestamp)",
        "'now'::date",
    ])
    func `a look at the clock is found`(line: String) {
        #expect(Self.looks("begin\n  \(line)\nend").map { $0.number } == [2])
    }

    @Test(arguments: [
        "select moment()", "school.moment() - interval '1 day'", "-- not now()", "// not now()",
        "deadline: .now() + 1", "current_setting('role')", "current_timestamps", "LocalTime(now)",
    ])
    func `what looks at no clock of PostgreSQL is left alone`(line: String) {
        #expect(Self.looks("begin\n  \(line)\nend").isEmpty)
    }
}
