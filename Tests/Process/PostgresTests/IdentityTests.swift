import EventLoop
import Postgres
import Testing

/// Two hundred people, each owning two rows that row-level security shows to nobody else, ask over a few connections,
/// and many of their requests fail.
@Suite(.timeLimit(.minutes(15))) struct IdentityNeverLeaks {
    private static let people = 200
    private static let rolesCount = 4
    private static let requests = 100_000

    @Test func `a hundred thousand requests over two pipelined connections see their own rows`()
        async throws
    {
        let table = try Belongings(people: Self.people, roles: Self.rolesCount)
        let total = try await withPool(change: {
            $0.queueLimit = 500
            $0.queueMilliseconds = 30_000
            $0.preparedLimit = 16
            $0.sharedStatementTimeoutMilliseconds = 200
        }) { pool in
            try await pool.waitUntilConnected(milliseconds: 5000)
            return await withTaskGroup(of: Tally.self) { group in
                for person in 0..<Self.people {
                    group.addTask(executorPreference: pool.loop) {
                        var asker = Asker(pool: pool, table: table, person: person)
                        for number in 0..<(Self.requests / Self.people) {
                            await asker.ask(number)
                        }
                        return asker.tally
                    }
                }
                return await group.reduce(into: Tally()) { $0.add($1) }
            }
        }
        #expect(total.leaks == [])
        #expect(total.seen > Self.requests / 2)
        #expect(total.empty > Self.requests / 20)
        #expect(total.refused > Self.requests / 10)
        #expect(total.timedOut > 0)
        #expect(total.lost > 0)
        #expect(total.cancelled > 0)
    }

    @Test func `transactions that are cancelled, fail or are rolled back leave no identity`()
        async throws
    {
        let table = try Belongings(people: Self.people, roles: Self.rolesCount)
        let total = try await withPool(change: {
            $0.exclusiveConnections = 2
            $0.queueMilliseconds = 60_000
            $0.exclusiveStatementTimeoutMilliseconds = 1000
            $0.preparedLimit = 16
        }) { pool in
            await withTaskGroup(of: Tally.self) { group in
                for person in 0..<20 {
                    group.addTask(executorPreference: pool.loop) {
                        var user = SessionUser(pool: pool, table: table, person: person)
                        for number in 0..<100 { await user.use(number) }
                        return user.tally
                    }
                }
                return await group.reduce(into: Tally()) { $0.add($1) }
            }
        }
        #expect(total.leaks == [])
        #expect(total.seen >= 1000)
        #expect(total.empty > 1000)
        #expect(total.refused > 300)
        #expect(total.cancelled > 0)
    }
}

/// A table in which each person sees two rows.
struct Belongings: Sendable {
    let schema: String
    let roles: [String]

    /// Creates it, in a schema of its own.
    init(people: Int, roles count: Int) throws {
        let name = uniqueName("b")
        schema = name
        roles = (0..<count).map { "\(name)_\($0)" }
        let connection = try BlockingConnection(databaseURL)
        try connection.execute(
            """
            create schema \(identifier: name);
            create table \(identifier: name).belonging (owner text not null, what text not null);
            create index on \(identifier: name).belonging (owner);
            alter table \(identifier: name).belonging enable row level security;
            create policy own on \(identifier: name).belonging
                using (owner = nullif(current_setting('test.person', true), ''));
            grant usage on schema \(identifier: name) to public;
            grant select on \(identifier: name).belonging to public;
            """)
        for role in roles { try connection.execute("create role \(identifier: role) nologin") }
        try connection.execute("set search_path = \(identifier: name)")
        try connection.query(
            """
            insert into belonging select 'p' || n, what
              from generate_series(0, \(people)::int - 1) as n, unnest(array['one', 'two']) as what
            """)
    }

    func identity(_ person: Int) -> Identity {
        Identity(
            role: roles[person % roles.count],
            settings: [.init("search_path", schema), .init("test.person", "p\(person)")])
    }

    /// The caller's own rows, with the caller's identity.
    static let rows: Statement =
        """
        select owner, current_user::text as role, current_setting('test.person') as person
          from belonging
        """

    /// The connection's identity between two exchanges.
    static let nobody: Statement =
        """
        select coalesce(current_setting('test.person', true), '') as person,
               current_user::text as role, session_user::text as login,
               current_setting('role') as setting, current_setting('search_path') as path
        """

    /// What is wrong with the rows of a person; `nil` if nothing.
    func leak(in rows: Rows, of person: Int) -> String? {
        guard rows.count == 2 else { return "\(rows.count) rows for p\(person)" }
        for row in rows {
            guard let owner = try? row.text("owner"), owner == "p\(person)",
                let said = try? row.text("person"), said == owner,
                let role = try? row.text("role"), role == roles[person % roles.count]
            else { return "a row of \((try? row.text("owner")) ?? "?") for p\(person)" }
        }
        return nil
    }

    /// What is left of an identity; `nil` if nothing.
    func remnant(in rows: Rows) -> String? {
        guard let row = rows.first, let person = try? row.text("person"),
            let role = try? row.text("role"), let login = try? row.text("login"),
            let setting = try? row.text("setting"), let path = try? row.text("path")
        else { return "no answer" }
        let isNobody = person.isEmpty && role == login && setting == "none" && path != schema
        return isNobody ? nil : "left: \(person), \(role), \(setting), \(path)"
    }
}

/// What was seen and reported.
struct Tally: Sendable {
    /// What must never happen.
    var leaks: [String] = []
    /// Answers with the right rows.
    var seen = 0
    /// Answers without an identity, to nobody's request.
    var empty = 0
    var refused = 0
    var timedOut = 0
    var lost = 0
    var cancelled = 0

    mutating func add(_ other: Tally) {
        leaks += other.leaks.prefix(5)
        seen += other.seen
        empty += other.empty
        refused += other.refused
        timedOut += other.timedOut
        lost += other.lost
        cancelled += other.cancelled
    }

    mutating func count(_ error: any Error) {
        switch error as? PostgresError {
        case .server(let error)? where error.sqlState == "57014": timedOut += 1
        case .server?: refused += 1
        case .connectionLost?, .unavailable?: lost += 1
        case .cancelled?: cancelled += 1
        default: leaks.append("\(error)")
        }
    }
}
