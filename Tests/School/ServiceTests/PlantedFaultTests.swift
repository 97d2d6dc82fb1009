import Foundation
import TestKit
import Testing

@testable import ServerKit

/// The faults that `deploy/drill faults` plants fit the sources as they are.
@Suite struct PlantedFaults {
    private struct Fault {
        let name: String
        let reason: String
        let file: String
        let tests: String
        let old: String
        let new: String

        init?(_ name: String, _ text: String) {
            let pattern = /(?s)(.+?)\nfile: ([^\n]+)\ntests: ([^\n]+)\nold:\n(.+)\nnew:\n(.*)\n/
            guard let parts = text.wholeMatch(of: pattern) else { return nil }
            self.name = name
            reason = String(parts.1)
            file = String(parts.2)
            tests = String(parts.3)
            old = String(parts.4)
            new = String(parts.5)
        }
    }

    private static let root = TestDatabase.sqlFolder + "/.."

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    private static func all() throws -> [Fault] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/deploy/faults")
        return try names.sorted().compactMap { name in
            let fault = Fault(name, try text("deploy/faults/\(name)"))
            if fault == nil { Issue.record("deploy/faults/\(name) is not written as a fault is") }
            return fault
        }
    }

    @Test func `the text of each fault occurs exactly once, and is replaced by another`() throws {
        for fault in try Self.all() {
            let count = try Self.text(fault.file).ranges(of: fault.old).count
            #expect(count == 1, "\(fault.name): \(count) times in \(fault.file)")
            #expect(fault.old != fault.new, "\(fault.name)")
            #expect(fault.reason.hasSuffix("."), "\(fault.name) does not say why it matters")
        }
    }

    @Test func `there are at least fifty faults, in as many files of both languages`() throws {
        let files = Set(try Self.all().map(\.file))
        #expect(files.count >= 50)
        #expect(files.count { $0.hasPrefix("SQL/") } >= 20)
        #expect(files.count { $0.hasPrefix("Sources/") } >= 20)
    }

    /// Where `new` does not say FAULT, both texts become the branches of one expression; otherwise the copy with all
    /// faults would not build.
    @Test func `a fault in Swift that is more than an expression says where its switch goes`()
        throws
    {
        let statement =
            /\s*(guard|if|let|var|case|default|return|for|while|switch|struct|throw|func|try)\b/
        let expressions = try Self.all().filter {
            $0.file.hasSuffix(".swift") && !$0.new.contains("FAULT")
        }
        #expect(expressions.count > 10)
        for fault in expressions {
            for text in [fault.old, fault.new] {
                #expect(text.prefixMatch(of: statement) == nil, "\(fault.name): \(text)")
                for (opening, closing) in ["()", "[]", "{}"].map({ ($0.first, $0.last) }) {
                    let isBalanced = text.count { $0 == opening } == text.count { $0 == closing }
                    #expect(isBalanced, "\(fault.name): \(text)")
                }
            }
        }
    }

    /// `swift test --filter` passes if nothing has the name.
    @Test func `the tests that ought to notice exist`() throws {
        let folder = "\(Self.root)/Tests"
        var suites: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
        where name.hasSuffix(".swift") {
            guard let target = name.split(separator: "/").first(where: { $0.hasSuffix("Tests") })
            else { continue }
            suites.insert(String(target))
            for match in try Self.text("Tests/\(name)").matches(of: /struct ([A-Za-z0-9]+)/) {
                suites.insert("\(target).\(match.1)")
            }
        }
        for fault in try Self.all() {
            for name in Self.names(fault.tests) {
                #expect(suites.contains(name), "\(fault.name): \(name)")
            }
        }
    }

    /// `A.(B|C)|D` as `A.B`, `A.C` and `D`.
    private static func names(_ filter: String) -> [String] {
        filter.matches(of: /([A-Za-z]+)(?:\.(?:\(([^)]+)\)|([A-Za-z0-9]+)))?\|?/).flatMap { match in
            guard let suites = match.2 ?? match.3 else { return [String(match.1)] }
            return suites.split(separator: "|").map { "\(match.1).\($0)" }
        }
    }
}
