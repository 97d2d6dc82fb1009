import Foundation
import TestKit
import Testing

/// Tests wait for what they need, not for a time that is usually enough; those that cannot run alone.
@Suite struct WaitRules {
    /// Files that wait, and why they may.
    private static let exempt = [
        "School/ClassKitServerTests/SignInOnServerTests.swift": "the clock of a device in a hurry",
        "Process/HTTPServerTests/TestClient.swift": "a kernel that takes nothing is full",
        "Process/PostgresTests/Asker.swift": "a statement that is cancelled while it runs",
        "Process/PostgresTests/CopyTests.swift": "a COPY that lasts until it is cancelled",
        "Process/ServerTests/RestoreCommandTests.swift": "a backup knows whole seconds",
    ]

    /// Where loops have a time that the test moves, so that a pause need not take any.
    private static let foldersOfLoops = [
        "Pure/EventLoopTests/", "Process/HTTPServerTests/", "Process/PostgresTests/",
    ]

    /// Fixed waits and clocks. A `pg_sleep` of ten seconds and more is a statement that a test stops.
    private static let waits =
        #"Task\.sleep\(|(?<![.\w])usleep\(|(?<![.\w])(?<!func )sleep\(|pg_sleep\((?!\d\d)"#
        + #"|(?<!")(Continuous|Suspending)Clock|\.measure \{"#
    private static let pauses = #"|(?<![.\w])pause\(milliseconds"#

    private static func has(_ pattern: String, _ text: some StringProtocol) -> Bool {
        text.range(of: pattern, options: .regularExpression) != nil
    }

    /// The lines, by number, that wait in a test that runs beside others, or in what such tests share.
    private static func waits(in text: String, mayPause: Bool) -> [(number: Int, line: String)] {
        let pattern = mayPause ? waits : waits + pauses
        guard !text.contains("@Suite(.alone"), has(pattern, text) else { return [] }
        let hasSomeAlone = text.contains(".alone")
        var attribute: String?
        var isAlone = hasSomeAlone
        var found: [(number: Int, line: String)] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indentation)
            if code.hasPrefix("@Test") { attribute = "" }
            if let begun = attribute { attribute = begun + code }
            if code.contains("func ") {
                if let whole = attribute {
                    isAlone = whole.contains(".alone")
                    attribute = nil
                } else if indentation <= 4 {
                    isAlone = hasSomeAlone
                }
            } else if line == "}" {
                isAlone = hasSomeAlone
            }
            if !isAlone, !code.hasPrefix("//"), has(pattern, code) {
                found.append((index + 1, String(code)))
            }
        }
        return found
    }

    @Test func `only tests that run alone wait for a time or look at a clock`() throws {
        let folder = "\(TestDatabase.sqlFolder)/../Tests"
        let own = URL(filePath: #filePath).lastPathComponent
        var exempt = Set<String>()
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            // What is not in a folder of tests is a kit or a program.
            guard name.hasSuffix(".swift"), name.contains("Tests/"), !name.hasSuffix("/\(own)")
            else { continue }
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            let found = Self.waits(
                in: text, mayPause: Self.foldersOfLoops.contains { name.hasPrefix($0) })
            if Self.exempt[name] != nil, !found.isEmpty {
                exempt.insert(name)
            } else {
                for (number, line) in found {
                    Issue.record("\(name):\(number) waits, and its test is not alone: \(line)")
                }
            }
        }
        #expect(exempt == Set(Self.exempt.keys), "all that are listed wait")
    }

    @Test(arguments: [
        "try await Task.sleep(for: .seconds(1))", "usleep(1)", "sleep(1)",
        "let since = ContinuousClock.now", "query(\"select pg_sleep(1)\")",
        "await pause(milliseconds: 5)",
    ])
    func `a wait is found`(line: String) {
        let test = "    @Test(arguments: [1])\n    func `it`() {\n        \(line)\n    }\n"
        let suite = "@Suite struct Some {\n\(test)}\n"
        #expect(Self.waits(in: suite, mayPause: false).map { $0.number } == [4])
        let alone = suite.replacingOccurrences(of: "@Test(", with: "@Test(.alone, ")
        #expect(Self.waits(in: alone, mayPause: false).isEmpty)
        #expect(Self.waits(in: alone + suite, mayPause: false).map { $0.number } == [10])
        let whole = suite.replacingOccurrences(of: "@Suite", with: "@Suite(.alone)")
        #expect(Self.waits(in: whole, mayPause: false).isEmpty)
    }

    @Test(arguments: [
        "try await eventually { isOver }", "select pg_sleep(60)", "// usleep(1)",
        "clocks.sleep(1)", "func sleep(_ seconds: Double) {", "hasSaid(\"pg_sleep\")",
        "let clocks = [\"ContinuousClock.now\"]",
    ])
    func `what waits for no time is left alone`(line: String) {
        #expect(Self.waits(in: "    @Test func `it`() {\n\(line)\n    }", mayPause: false).isEmpty)
    }
}
