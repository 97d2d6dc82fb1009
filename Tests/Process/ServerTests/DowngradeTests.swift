import Foundation
import Postgres
import TestKit
import Testing
import WireKit

@testable import ServerKit

/// Older definitions never overwrite newer ones, and a server beside newer ones reports whether it can go on.
@Suite struct Downgrade {
    @Test func `a program with fewer migrations than the database is refused with their names`()
        throws
    {
        try withEmptyDatabase { empty in
            try empty.definitions.write(
                "set local role school_owner;\ncreate table school.later (id uuid);\n",
                to: "migrations/9000_later.sql")
            _ = try empty.migrate()
            let before = try empty.shape()
            try empty.definitions.remove("migrations/9000_later.sql")
            try empty.definitions.append("-- as it was once\n", to: "functions/audit/events.sql")
            try empty.definitions.write("set local role school_owner;\n", to: "policies/audit.sql")
            for isWhole in [false, true] {
                let refusal = #expect(throws: (any Error).self) {
                    try empty.migrate(isWhole: isWhole)
                }
                let text = "\(String(describing: refusal))"
                #expect(text.contains("made by a newer version"))
                #expect(text.contains("migrations/9000_later.sql"))
            }
            #expect(try empty.shape() == before)
        }
    }

    private static let words = [
        "organization", "create", "--name", "Oak", "--domain", "oak.example",
        "--administrator", "ada@oak.example",
    ]

    @Test func `nobody is advised to migrate what a newer version created`() async throws {
        try await withSchool { school in
            try school.makeNewer(servesFrom: 9000)
            for words in [Self.words, ["serve", "--listen", "127.0.0.1:0"]] {
                let refused = try await school.homeroom.run(words)
                #expect(refused.status == 1)
                #expect(refused.complaints.contains("made by a newer version"))
                #expect(refused.complaints.contains("migrations/9000_later.sql"))
                #expect(!refused.complaints.contains("homeroom migrate"))
            }
        }
    }

    @Test func `a newer version may permit an older one beside it`() async throws {
        try await withSchool { school in
            try school.makeNewer(servesFrom: 1)
            let run = try await school.homeroom.run(Self.words)
            #expect(run.status == 0, "\(run.complaints)")
        }
    }

    @Test func `a running server is ready as long as it can serve what is there`() async throws {
        try await withServer { school, server in
            func ready() throws -> WireAnswer {
                try ask(port: server.port, "GET", "/readyz", token: nil)
            }
            #expect(try ready().status == 200)
            try school.sql("update school.applied_schema set sha256 = sha256('other')")
            #expect(try ready().status == 200, "functions or policies, of the same migrations")
            try school.makeNewer(servesFrom: 9000)
            let answer = try ready()
            #expect(answer.status == 503)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("newer_schema"))
            try school.sql("update school.applied_schema set serves_from = 1")
            #expect(try ready().status == 200, "the newer version permits it")
            let newest = try school.sql(
                """
                select max(substring(name from '/([0-9]+)_')::integer) as number from school.migration
                 where name not like '%/9000%'
                """)[0].int("number")
            for (number, status) in [(newest, 200), (newest + 1, 503), (1, 200)] {
                try school.sql("update school.applied_schema set serves_from = \(number)")
                #expect(try ready().status == status, "from \(number) of \(newest) on")
            }
            try school.sql("delete from school.migration where name like '%/0006%'")
            let older = try ready()
            #expect(older.status == 503)
            #expect(String(decoding: older.body, as: UTF8.self).contains("not_migrated"))
        }
    }
}

extension TestSchool {
    /// As a newer version of Homeroom would leave the database.
    fileprivate func makeNewer(servesFrom number: Int) throws {
        try sql(
            """
            insert into school.migration (name, sha256)
            values ('migrations/9000_later.sql', sha256('later'))
            """)
        try sql(
            """
            update school.applied_schema set sha256 = sha256('newer'), serves_from = \(number)
            """)
    }
}
