import Foundation
import Postgres
import TestKit
import Testing

/// What servers may call and touch: `SQL/interface` holds it as it was when `SQL/compatibility` was raised last.
///
/// A server of that migration serves beside today's schema, so everything in the file has to be there still. After
/// raising the number, `HOMEROOM_PRINT_STATEMENTS=1 swift test --filter Compatibility` writes the file anew.
@Suite struct Compatibility {
    @Test func `a server that may serve beside this schema finds all that it calls`() async throws {
        try await withSchool { school in
            let today = try Interface(of: school)
            let number = try Self.number()
            if ProcessInfo.processInfo.environment["HOMEROOM_PRINT_STATEMENTS"] == "1",
                try Interface.kept().number < number
            {
                try today.text(number: number).write(
                    to: Interface.file, atomically: true, encoding: .utf8)
            }
            let kept = try Interface.kept()
            #expect(kept.number == number, "print SQL/interface anew")
            #expect(
                kept.interface.missing(in: today).isEmpty,
                "a server of migration \(number) uses these: raise SQL/compatibility, and print SQL/interface anew"
            )
        }
    }

    /// Each is something that a server notices, and what it misses.
    private static let noticed: [(change: Command, missing: String)] = [
        ("alter function school.my_class_ids() rename to my_classes", "function my_class_ids()"),
        ("alter table school.person rename column email to address", "person.email"),
        ("alter table school.viewing alter column times type bigint", "viewing.times"),
        (
            """
            alter table school.person add column pronouns text not null default '';
            alter table school.person alter column pronouns drop default;
            grant insert (pronouns) on school.person to school_provisioner
            """,
            "person.pronouns"
        ),
    ]

    @Test(arguments: noticed)
    func `what an older server would notice is found`(change: Command, missing: String) async throws
    {
        try await withSchool { school in
            let before = try Interface(of: school)
            #expect(before.missing(in: before).isEmpty)
            try BlockingConnection(school.ownerURL).execute(change)
            let found = before.missing(in: try Interface(of: school))
            #expect(found.count == 1)
            #expect(found.first?.hasPrefix(missing) == true, "\(found)")
        }
    }

    @Test func `what an older server does not notice is no reason`() async throws {
        try await withSchool { school in
            let before = try Interface(of: school)
            try BlockingConnection(school.ownerURL).execute(
                """
                alter table school.person add column pronouns text;
                create function school.further(n integer default 1) returns integer language sql return n;
                grant execute on function school.further to school_provisioner;
                """)
            #expect(before.missing(in: try Interface(of: school)).isEmpty)
        }
    }

    private static func number() throws -> Int {
        let text = try String(
            contentsOf: Interface.folder.appending(path: "compatibility"), encoding: .utf8)
        let line = text.split(separator: "\n").first { !$0.hasPrefix("#") }
        return try #require(line.flatMap { Int($0) })
    }
}

/// Functions with their parameters and results, and columns with their types.
private struct Interface {
    private struct Function {
        let name: String
        let parameters: [String]
        let results: [String]
        /// How many parameters a caller has to give.
        let required: Int

        var text: String {
            "function \(name)(\(parameters.joined(separator: ", "))) -> \(results.joined(separator: ", "))"
        }

        /// Whether what calls the other one can call this.
        func serves(_ other: Function) -> Bool {
            name == other.name && parameters.starts(with: other.parameters)
                && required <= other.parameters.count
                && Set(results).isSuperset(of: other.results)
        }
    }

    private let functions: [Function]
    /// Each with its type, by `table.column`.
    private let columns: [String: String]
    /// Those that whoever inserts a row has to give.
    private let required: Set<String>

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "SQL")
    static let file = folder.appending(path: "interface")

    init(of school: TestSchool) throws {
        functions = try school.sql(Self.granted).map {
            let parameters = try $0.textArray("parameters")
            return Function(
                name: try $0.text("name"), parameters: parameters,
                results: try $0.textArray("results"),
                required: parameters.count - (try $0.int("defaults")))
        }
        let rows = try school.sql(Self.touched)
        columns = Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.text("name"), try $0.text("type")) })
        required = Set(
            try rows.filter { try $0.bool("is_required") }.map { try $0.text("name") })
    }

    private init(functions: [Function], columns: [String: String]) {
        self.functions = functions
        self.columns = columns
        required = []
    }

    static func kept() throws -> (number: Int, interface: Interface) {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map(String.init)
        let number = try #require(lines.first?.split(separator: " ").last.flatMap { Int($0) })
        var functions: [Function] = []
        var columns: [String: String] = [:]
        for line in lines where !line.hasPrefix("#") {
            if line.hasPrefix("function ") {
                let parts = line.dropFirst("function ".count).components(separatedBy: ") -> ")
                let call = parts[0].components(separatedBy: "(")
                try #require(parts.count == 2 && call.count == 2, "\(line)")
                let parameters = call[1].isEmpty ? [] : call[1].components(separatedBy: ", ")
                functions.append(
                    Function(
                        name: call[0], parameters: parameters,
                        results: parts[1].components(separatedBy: ", "), required: 0))
            } else {
                let space = try #require(line.firstIndex(of: " "))
                columns[String(line[..<space])] = String(line[line.index(after: space)...])
            }
        }
        return (number, Interface(functions: functions, columns: columns))
    }

    func text(number: Int) -> String {
        let lines = functions.map(\.text) + columns.map { "\($0.key) \($0.value)" }
        return "# What a server uses that serves beside this schema, since migration \(number)\n"
            + "# Printed by a test: never edited by hand.\n"
            + lines.sorted().map { $0 + "\n" }.joined()
    }

    /// What of this is not there in another one, or is there and has to be given.
    func missing(in other: Interface) -> [String] {
        let tables = Set(columns.keys.compactMap { $0.split(separator: ".").first })
        return functions.filter { one in !other.functions.contains { $0.serves(one) } }.map(\.text)
            + columns.filter { other.columns[$0.key] != $0.value }.map { "\($0.key) \($0.value)" }
            + other.required.filter {
                columns[$0] == nil && tables.contains($0.split(separator: ".")[0])
            }
    }

    private static let granted: Statement = """
        select p.proname::text as name, p.pronargdefaults::integer as defaults,
               array(select format_type(t, null) from unnest(p.proargtypes) with ordinality as a (t, n)
                      order by n) as parameters,
               case when p.proargmodes && '{o,t,b}'::"char"[]
                    then array(select coalesce(a.name, '') || ' ' || format_type(a.type, null)
                                 from unnest(p.proallargtypes, p.proargmodes, p.proargnames)
                                      with ordinality as a (type, mode, name, n)
                                where a.mode in ('o', 't', 'b') order by a.n)
                    else array[case when p.proretset then 'setof ' else '' end || format_type(p.prorettype, null)]
                end as results
          from pg_proc as p
         where p.pronamespace = 'school'::regnamespace
           and exists (select from aclexplode(p.proacl) as g where g.grantee <> p.proowner)
         order by 1, 3
        """

    private static let touched: Statement = """
        select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
               a.attnotnull and not a.atthasdef and a.attidentity = '' and exists (
                   select from pg_roles as r
                    where r.rolname like 'school\\_%' and has_column_privilege(r.oid, c.oid, a.attnum, 'insert'))
                   as is_required
          from pg_class as c
          join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
           and exists (select from pg_roles as r
                        where r.rolname like 'school\\_%'
                          and has_column_privilege(r.oid, c.oid, a.attnum, 'select, insert, update'))
         order by 1
        """
}
