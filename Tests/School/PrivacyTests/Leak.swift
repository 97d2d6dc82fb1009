import Foundation
import Postgres
import TestKit
import Testing

/// Something that is removed from the database to see whether the proof finds it: one condition, or more.
struct Leak: CustomTestStringConvertible, Sendable {
    enum Target: Sendable {
        /// A policy by its name, and its table.
        case policy(String, on: String)
        case function(String)
    }

    let target: Target
    /// Occurs at least once in the definition.
    let taken: String
    let put: String
    /// Of a school that shows it, if it has to live with the leak for that.
    let seed: UInt64?

    var testDescription: String {
        switch target {
        case .policy(let name, let table): "\(table), \(name): \(taken) → \(put)"
        case .function(let name): "\(name): \(taken) → \(put)"
        }
    }

    /// A policy without one of its conditions.
    static func policy(
        _ name: String, on table: String, without taken: String, but put: String = "true"
    ) -> Leak {
        Leak(target: .policy(name, on: table), taken: taken, put: put, seed: nil)
    }

    static func function(
        _ name: String, without taken: String, but put: String, seed: UInt64? = nil
    ) -> Leak {
        Leak(target: .function(name), taken: taken, put: put, seed: seed)
    }

    /// Runs the body in a database that has the leak, and repairs it.
    func plant<Value>(in service: TestSchool, _ body: () async throws -> Value) async throws
        -> Value
    {
        let whole = try definition()
        let broken = whole.replacing(taken, with: put)
        try #require(broken != whole, "\(testDescription) changes nothing")
        try define(broken, in: service)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try define(whole, in: service)
        return try outcome.get()
    }

    private func define(_ text: String, in service: TestSchool) throws {
        let connection = try BlockingConnection(service.ownerURL)
        try connection.transaction {
            try connection.query(
                """
                select set_config('search_path', 'school, pg_temp', true),
                       set_config('role', 'school_owner', true)
                """)
            if case .policy(let name, let table) = target {
                try connection.execute("drop policy \(identifier: name) on \(identifier: table)")
            }
            try connection.query("select test.run(\(text))")
        }
    }

    /// The statement that creates the policy or function, from the files that define the database.
    private func definition() throws -> String {
        let (folder, beginning, ends) =
            switch target {
            case .policy(let name, let table):
                ("policies", "create policy \"\(name)\" on \(table)\n", [";\n"])
            case .function(let name):
                ("functions", "create or replace function \(name)(", ["$$;\n", "\nend;\n"])
            }
        let path = "\(TestDatabase.sqlFolder)/\(folder)"
        for file in try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
        where file.hasSuffix(".sql") {
            let text = try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
            guard let start = text.range(of: beginning) else { continue }
            let finish = ends.compactMap {
                text.range(of: $0, range: start.upperBound..<text.endIndex)?.upperBound
            }.min()
            if let finish { return String(text[start.lowerBound..<finish]) }
        }
        throw Unknown(description: "nothing defines \(testDescription)")
    }

    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }
}
