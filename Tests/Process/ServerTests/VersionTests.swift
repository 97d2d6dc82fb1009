import Foundation
import Server
import TestKit
import Testing

@testable import ServerKit

/// The program, the changelog and `SQL/released` say the same about versions.
@Suite struct Versions {
    /// The versions of the changelog, newest first, with the day of each or `Unreleased`.
    private static func headings() throws -> [(version: String, day: String)] {
        try Guides.text("CHANGELOG.md").matches(of: /(?m)^## \[([0-9.]+)\] - (.+)$/).map {
            (String($0.1), String($0.2))
        }
    }

    private static func released() throws -> (released: Released, migrations: [String]) {
        let definitions = try DefinitionsCopy()
        defer { definitions.discard() }
        return (try Released(definitions), definitions.names(in: "migrations"))
    }

    @Test func `the changelog begins with the version of the program`() throws {
        #expect(try Self.headings().first?.version == Program.version)
    }

    @Test func `a version is released once all of its migrations are`() throws {
        let (released, migrations) = try Self.released()
        let day = try #require(try Self.headings().first?.day)
        let isReleased = released.versions.contains(Program.version)
        #expect(isReleased == released.hasAll(migrations))
        #expect(isReleased == (day != "Unreleased"), "the changelog says \(day)")
    }

    @Test func `every released version has its day in the changelog, and none has another`() throws
    {
        let dated = try Self.headings().filter { $0.day != "Unreleased" }
        #expect(dated.allSatisfy { $0.day.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil })
        #expect(try dated.map(\.version).reversed() == Self.released().released.versions)
    }
}
