import Foundation
import Postgres
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// `SQL/catalogue` is what a new database says; `deploy/developer/catalogue` writes it.
@Suite struct KeptCatalogues {
    @Test func `the kept catalogue is that of a new database`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let connection = try empty.connect()
            let version = try connection.query(
                "select current_setting('server_version_num')::integer / 10000 as version")
            let text = KeptCatalogue.text(
                of: try RuleEntry.found(connection), postgresql: try version[0].int("version"))
            let path = TestDatabase.sqlFolder + "/catalogue"
            if ProcessInfo.processInfo.environment["HOMEROOM_CATALOGUE"] != nil {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
            }
            let kept = try String(contentsOfFile: path, encoding: .utf8)
            let (now, before) = (Set(text.split(separator: "\n")), Set(kept.split(separator: "\n")))
            #expect(now.subtracting(before).sorted() == [], "run deploy/developer/catalogue")
            #expect(before.subtracting(now).sorted() == [], "run deploy/developer/catalogue")
            #expect(text.count(where: { $0 == "\n" }) > 2000)
        }
    }

    @Test func `a line that is not understood is refused`() {
        #expect(throws: (any Error).self) { try KeptCatalogue("") }
        #expect(throws: (any Error).self) { try KeptCatalogue("# PostgreSQL 15\ntable\tperson\n") }
        #expect(throws: (any Error).self) {
            try KeptCatalogue("# PostgreSQL 15\nwish\t\tperson\ttable\n")
        }
    }

    /// A server prints expressions as its version does, so those alone are not held against it.
    @Test func `on another version of PostgreSQL expressions are left out, and nothing else`()
        async throws
    {
        try await withSchool { school in
            let definitions = try DefinitionsCopy()
            defer { definitions.discard() }
            let kept = try definitions.read("catalogue")
            try definitions.write(
                kept.replacing("Made with PostgreSQL 15", with: "Made with PostgreSQL 99")
                    .replacing("CHECK ((octet_length(", with: "CHECK ((octets_of("),
                to: "catalogue")
            try school.sql("alter table school.seat drop constraint seat_pkey cascade")
            let comparison = try RuleComparison(
                Definitions(folder: definitions.folder), BlockingConnection(school.ownerURL))
            #expect(
                comparison.differences.map(\.text) == [
                    "The database lacks a constraint: seat_pkey on seat."
                ])
            #expect(comparison.leftOut.count == 1)
            #expect(comparison.leftOut[0].contains("prints"))
        }
    }
}
