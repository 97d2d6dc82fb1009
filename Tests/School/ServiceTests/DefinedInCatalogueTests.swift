import Foundation
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// Every function, trigger, policy and right that a file names is there after `migrate`, wherever the file comes in the
/// order of names. The files are read by other rules here than the migrator's.
@Suite struct DefinedInCatalogue {
    @Test func `everything that the files name is in the catalogue`() throws {
        try withEmptyDatabase { empty in
            try empty.definitions.write(Self.earlyFunction, to: "functions/aaa_early.sql")
            try empty.definitions.write(Self.earlyPolicy, to: "policies/aaa_early.sql")
            _ = try empty.migrate()
            let named = try Self.named(empty.definitions)
            #expect(named.count { $0.hasPrefix("function ") } > 250)
            #expect(named.count { $0.hasPrefix("policy ") } > 100)
            #expect(named.contains("function early") && named.contains("policy early on location"))
            let found = Set(
                try empty.connect().query(Self.catalogue).map { try $0.text("label") })
            #expect(named.subtracting(found).sorted() == [])
            #expect(found.subtracting(named).sorted() == [], "and nothing else")
        }
    }

    @Test func `every right that the files grant is there`() throws {
        try withEmptyDatabase { empty in
            try empty.definitions.write(Self.earlyFunction, to: "functions/aaa_early.sql")
            try empty.definitions.write(Self.earlyPolicy, to: "policies/aaa_early.sql")
            _ = try empty.migrate()
            let rights = try Self.rights(empty.definitions)
            #expect(rights.count > 400)
            let connection = try empty.connect()
            for right in rights {
                #expect(try right.isGiven(connection), "\(right)")
            }
        }
    }

    private static let earlyFunction = """
        set local role school_owner;
        create or replace function school.early() returns integer language sql stable return 1;
        grant execute on function school.early() to school_staff;
        """

    private static let earlyPolicy = """
        set local role school_owner;
        set local search_path = school, pg_temp;
        grant update (name) on location to school_staff;
        create policy "early" on location for update to school_staff
            using (organization_id = my_organization() and early() = 2);
        """

    private static let catalogue: Statement = """
        select 'function ' || proname as label from pg_proc where pronamespace = 'school'::regnamespace
        union all
        select format('policy %s on %s', policyname, tablename) from pg_policies where schemaname = 'school'
        union all
        select format('trigger %s on %s', t.tgname, c.relname)
          from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
         where c.relnamespace = 'school'::regnamespace and not t.tgisinternal and t.tgparentid = 0
        """

    private static func texts(_ definitions: DefinitionsCopy) throws -> [String] {
        try ["migrations", "functions", "policies"].flatMap(definitions.names).map {
            try definitions.read($0).split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("--") }.joined(separator: "\n")
        }
    }

    private static func named(_ definitions: DefinitionsCopy) throws -> Set<String> {
        var named: Set<String> = []
        for text in try texts(definitions) {
            for match in text.matches(
                of: /(?m)^create (?:or replace )?function (?:school\.)?(\w+)\(/)
            {
                named.insert("function \(match.1)")
            }
            for match in text.matches(of: /(?m)^create policy "([^"]+)"\s+on (\w+)/) {
                named.insert("policy \(match.1) on \(match.2)")
            }
            for match in text.matches(
                of: /(?m)^create (?:or replace|constraint) trigger (\w+)\s(?:[^;]*?)\son (\w+)/)
            {
                named.insert("trigger \(match.1) on \(match.2)")
            }
        }
        return named
    }

    /// One privilege of one role on one object.
    private struct Right: CustomStringConvertible {
        let privilege: String
        let columns: [String]
        let isOnFunction: Bool
        let thing: String
        let role: String

        var description: String { "\(privilege) \(columns) on \(thing) to \(role)" }

        func isGiven(_ connection: BlockingConnection) throws -> Bool {
            let rows =
                if isOnFunction {
                    try connection.query(
                        """
                        select coalesce(bool_or(has_function_privilege(\(role), oid, \(privilege))), false) as given
                          from pg_proc where pronamespace = 'school'::regnamespace and proname = \(thing)
                        """)
                } else if columns.isEmpty {
                    try connection.query(
                        "select has_table_privilege(\(role), 'school.' || \(thing), \(privilege)) as given"
                    )
                } else {
                    try connection.query(
                        """
                        select bool_and(has_column_privilege(\(role), 'school.' || \(thing), name, \(privilege)))
                               as given
                          from unnest(\(columns)) as c (name)
                        """)
                }
            return try rows[0].bool("given")
        }
    }

    private static func rights(_ definitions: DefinitionsCopy) throws -> [Right] {
        var rights: [Right] = []
        for text in try texts(definitions) {
            for match in text.matches(
                of: /(?m)^grant ([^;]+?)\son (function\s+)?([^;]+?)\sto ([^;]+);/)
            {
                let things = names(String(match.3).replacing(/\([^()]*\)/, with: ""))
                for privilege in String(match.1).matches(of: /(\w+)\s*(?:\(([^)]*)\))?/) {
                    for thing in things {
                        rights += names(String(match.4)).map {
                            Right(
                                privilege: String(privilege.1),
                                columns: privilege.2.map { names(String($0)) } ?? [],
                                isOnFunction: match.2 != nil,
                                thing: thing.replacing("school.", with: ""), role: $0)
                        }
                    }
                }
            }
        }
        return rights
    }

    private static func names(_ list: String) -> [String] {
        list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    }
}
