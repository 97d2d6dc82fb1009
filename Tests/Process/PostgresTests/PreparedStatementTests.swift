import Cluster
import Postgres
import Testing

@Suite struct PreparedStatementTests {
    @Test func `a statement is prepared once per role`() async throws {
        try await withPool(change: { $0.sharedConnections = 1 }) { pool in
            let roles = [try await makeRole(pool), try await makeRole(pool)]
            for number in 0..<6 {
                let rows = try await pool.query(
                    "select current_user::text as u /* once per role */",
                    as: Identity(role: roles[number % 2]))
                #expect(try rows[0].text("u") == roles[number % 2])
            }
            let prepared = try await pool.query(
                """
                select count(*) as n from pg_prepared_statements
                 where statement like '%/* once' || ' per role */%'
                """, as: nil)
            #expect(try prepared[0].int("n") == 2)
        }
    }

    @Test func `the least recently used statement is forgotten on the server, too`() async throws {
        try await withPool(change: {
            $0.sharedConnections = 1
            $0.preparedLimit = 4
        }) { pool in
            let statements: [Statement] = [
                "select 0 as v", "select 1 as v", "select 2 as v", "select 3 as v",
                "select 4 as v", "select 5 as v", "select 6 as v", "select 7 as v",
            ]
            for round in 0..<3 {
                for (number, statement) in statements.enumerated() {
                    let rows = try await pool.query(statement, as: nil)
                    #expect(try rows[0].int("v") == number, "round \(round)")
                }
            }
            let count = try await pool.query(
                "select count(*) as n from pg_prepared_statements", as: nil)
            #expect(try count[0].int("n") <= 5)
        }
    }

    @Test func `an altered table is read anew, without an error`() async throws {
        try await withPool(change: { $0.sharedConnections = 1 }) { pool in
            let name = uniqueName("t")
            let connection = try BlockingConnection(databaseURL)
            try connection.execute("create schema \(identifier: name)")
            try connection.execute("create table \(identifier: name).altered (v int)")
            try connection.execute("create role \(identifier: name)")
            try connection.execute("grant usage on schema \(identifier: name) to public")
            try connection.execute("grant select on \(identifier: name).altered to public")
            let identity = Identity(
                role: name, settings: [.init("search_path", name)])
            let before = try await pool.query("select * from altered", as: identity)
            #expect(before.columns == ["v"])
            _ = try await pool.query("select * from altered", as: identity)
            try connection.execute("alter table \(identifier: name).altered add w text")
            let after = try await pool.query("select * from altered", as: identity)
            #expect(after.columns == ["v", "w"])
        }
    }

    @Test func `a statement whose preparation failed can be run again`() async throws {
        try await withPool(change: { $0.sharedConnections = 1 }) { pool in
            let name = uniqueName("t")
            let connection = try BlockingConnection(databaseURL)
            try connection.execute("create schema \(identifier: name)")
            let identity = Identity(
                role: Cluster.superuser, settings: [.init("search_path", name)])
            for _ in 0..<2 {
                let error = await failure {
                    _ = try await pool.query("select v from late", as: identity)
                }
                #expect(error?.sqlState == "42P01")
            }
            try connection.execute("create table \(identifier: name).late as select 1 as v")
            for _ in 0..<3 {
                let rows = try await pool.query("select v from late", as: identity)
                #expect(rows.count == 1)
            }
        }
    }
}
