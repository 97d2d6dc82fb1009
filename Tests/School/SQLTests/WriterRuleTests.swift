import Foundation
import TestKit
import Testing

/// One place adds people, classes, roles and seats, and changes what is said of them: `writing.sql` and `seats.sql` in
/// `SQL/functions/directory`. A statement elsewhere would have columns of its own, and forget the next one.
@Suite struct WriterRules {
    /// A statement that writes one of these tables, up to its rows or its condition.
    struct Writer: Hashable {
        let file: String
        let statement: String
    }

    /// The statements that `allowed` names, by file: each with what it is for.
    private static var writers: [Writer: String] {
        var writers: [Writer: String] = [:]
        for (file, statements) in allowed {
            for (statement, reason) in statements {
                writers[Writer(file: file, statement: statement)] = reason
            }
        }
        return writers
    }

    /// A statement that writes one of the tables, or a table that it takes from elsewhere.
    private static var pattern: Regex<Substring> {
        #/(?i)\b(?:insert\s+into|update|merge\s+into|copy)\s+(?:only\s+)?(?:(?:school\.)?(?:person|person_role|class|seat)\b(?!_)|(?:school\.)?%|school\.\\\()/#
    }

    /// The statements in a text, without comments, with single spaces: each up to its rows, and of a long one the
    /// beginning.
    private static func statements(in text: String) -> [String] {
        let code = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line -> Substring in
                guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { return "" }
                return line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line
            }.joined(separator: "\n")
        return code.matches(of: pattern).map { match in
            let rest = code[match.range.lowerBound...].prefix(600)
            let words = rest.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let end = words.firstMatch(of: #/ (where|values|select|from|using) |"""|;/#)
            return String(words[..<(end?.range.lowerBound ?? words.endIndex)].prefix(90))
        }
    }

    private static func found() throws -> Set<Writer> {
        var found: Set<Writer> = []
        for folder in ["SQL/functions", "SQL/policies", "Sources"] {
            let path = "\(TestDatabase.sqlFolder)/../\(folder)"
            for name in try FileManager.default.subpathsOfDirectory(atPath: path)
            where name.hasSuffix(".sql") || name.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
                for statement in statements(in: text) {
                    found.insert(Writer(file: "\(folder)/\(name)", statement: statement))
                }
            }
        }
        return found
    }

    @Test func `nothing else writes people, classes, roles and seats`() throws {
        let found = try Self.found()
        let writers = Self.writers
        for writer in found where writers[writer] == nil {
            Issue.record(
                """
                \(writer.file) writes people, classes, roles or seats by itself: \(writer.statement). Call add_rows, \
                change_rows or what else is in SQL/functions/directory/writing.sql; or say in WriterRules why not.
                """)
        }
        for writer in writers.keys where !found.contains(writer) {
            Issue.record("\(writer.file) no longer has: \(writer.statement)")
        }
    }

    @Test(arguments: [
        "insert into person (organization_id) select 1", "update school.person\n set grade = 1",
        "update class as c set room = null", "INSERT INTO seat values (1)",
        "copy person from stdin",
        "insert into school.person_role (role)", "update only person set grade = null",
        "format('update %I set grade = null')",
        "update school.\\(fragment: table) set grade = null",
    ])
    func `a statement that writes is found`(text: String) {
        #expect(Self.statements(in: "begin\n  \(text);\nend").count == 1)
    }

    @Test(arguments: [
        "after update on person", "select p from person as p for update of p",
        "insert into person_correction (was)", "-- update person", "// update school.person",
        "update classroom set x = 1", "on conflict do update set searches = 1",
        "delete from person where true",
    ])
    func `what writes nothing of them is left alone`(text: String) {
        #expect(Self.statements(in: "begin\n  \(text)\nend").isEmpty)
    }
}
