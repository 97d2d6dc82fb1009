import EventLoop
import Postgres
import Testing

/// Two hundred people, each of whom owns two rows that row-level security shows to nobody else, ask over few
/// connections, and much of it goes wrong.
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

    /// Makes it, in a schema of its own.
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

    /// The caller's own rows, with who he or she is.
    static let rows: Statement =
        """
        select owner, current_user::text as role, current_setting('test.person') as person
          from belonging
        """

    /// Who the connection is between two exchanges.
    static let nobody: Statement =
        """
        select coalesce(current_setting('test.person', true), '') as person,
               current_user::text as role, session_user::text as login,
               current_setting('role') as setting, current_setting('search_path') as path
        """

    /// What is wrong with the rows of a person; `nil` for nothing.
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

    /// What is left of an identity; `nil` for nothing.
    func remnant(in rows: Rows) -> String? {
        guard let row = rows.first, let person = try? row.text("person"),
            let role = try? row.text("role"), let login = try? row.text("login"),
            let setting = try? row.text("setting"), let path = try? row.text("path")
        else { return "no answer" }
        let isNobody = person.isEmpty && role == login && setting == "none" && path != schema
        return isNobody ? nil : "left: \(person), \(role), \(setting), \(path)"
    }
}

/// What was seen and told.
struct Tally: Sendable {
    /// What must never be.
    var leaks: [String] = []
    /// Answers with the right rows.
    var seen = 0
    /// Answers to nobody's question, without an identity.
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

/// One person on the shared lane.
private struct Asker: Sendable {
    let pool: Pool
    let table: Belongings
    let person: Int
    var tally = Tally()

    init(pool: Pool, table: Belongings, person: Int) {
        self.pool = pool
        self.table = table
        self.person = person
    }

    /// Most questions are honest; the others fail in all places where they can.
    mutating func ask(_ number: Int) async {
        let identity = table.identity(person)
        do {
            if number % 250 == 77, person % 20 == 3 {
                _ = try await pool.query("select pg_sleep(10)", as: identity)
            } else if number == 250, person % 50 == 7 {
                _ = try await pool.query("select pg_terminate_backend(pg_backend_pid())", as: nil)
            } else if number % 100 == 50 {
                try await askAndLeave(identity)
            } else {
                try await askOne(of: number % 20, identity)
            }
        } catch {
            tally.count(error)
        }
    }

    private mutating func askOne(of kind: Int, _ identity: Identity) async throws {
        switch kind {
        case 1, 11:
            let rows = try await pool.query(Belongings.nobody, as: nil)
            if let remnant = table.remnant(in: rows) { tally.leaks.append(remnant) }
            tally.empty += 1
        case 3: _ = try await pool.query("select 1 / \(0)", as: identity)
        case 5: _ = try await pool.query("select nonsense", as: identity)
        case 7:
            let statements = [Belongings.rows, "select 1 / \(0)", Belongings.rows]
            _ = try await pool.query(statements, as: identity)
        case 9:
            let hostile = Identity(
                role: identity.role, settings: [.init("test.person", "p1\0p2")])
            _ = try await pool.query(Belongings.rows, as: hostile)
        case 13: _ = try await pool.query(Belongings.rows, as: Identity(role: "nobody\(person)"))
        default: try await look(kind, identity)
        }
    }

    /// Asks for the own rows, in more ways than the connection keeps prepared.
    private mutating func look(_ kind: Int, _ identity: Identity) async throws {
        let statement = Self.variants[kind / 2 % Self.variants.count]
        let rows = try await pool.query(statement, as: identity)
        if let leak = table.leak(in: rows, of: person) { tally.leaks.append(leak) }
        tally.seen += 1
    }

    /// Gives up at once, whether it waits or is under way.
    private mutating func askAndLeave(_ identity: Identity) async throws {
        let (pool, table, person) = (pool, table, person)
        let task = Task(executorPreference: pool.loop) {
            table.leak(in: try await pool.query(Belongings.rows, as: identity), of: person)
        }
        task.cancel()
        if let leak = try await task.value { tally.leaks.append(leak) }
        tally.cancelled += 1
    }

    private static let variants: [Statement] = [
        Belongings.rows,
        "select owner, current_user::text as role, owner as person from belonging where what > ''",
        "select owner, current_user::text as role, owner as person from belonging where what > 'a'",
        "select owner, current_user::text as role, owner as person from belonging where what > 'b'",
        "select owner, current_user::text as role, owner as person from belonging where what > 'c'",
        "select owner, current_user::text as role, owner as person from belonging where what < 'x'",
        "select owner, current_user::text as role, owner as person from belonging where what < 'y'",
        "select owner, current_user::text as role, owner as person from belonging where what < 'z'",
    ]
}

/// One person on the exclusive lane.
private struct SessionUser: Sendable {
    let pool: Pool
    let table: Belongings
    let person: Int
    var tally = Tally()

    init(pool: Pool, table: Belongings, person: Int) {
        self.pool = pool
        self.table = table
        self.person = person
    }

    private struct ChangedMind: Error {}

    mutating func use(_ number: Int) async {
        let identity = table.identity((person * 100 + number) % 200)
        let (pool, table) = (pool, table)
        let owner = (person * 100 + number) % 200
        let task = Task(executorPreference: pool.loop) {
            try await pool.withSession { session in
                try await Self.check(session, table)
                do {
                    try await session.transaction(as: identity) { session in
                        try await Self.work(session, number % 8, table, owner)
                    }
                } catch is ChangedMind {}
                try await Self.check(session, table)
            }
        }
        if number % 8 == 7 {
            await pause(milliseconds: number % 5)
            task.cancel()
        }
        do {
            try await task.value
            tally.seen += 1
            tally.empty += 2
        } catch let leak as Leak {
            tally.leaks.append(leak.what)
        } catch {
            tally.count(error)
        }
    }

    private struct Leak: Error {
        let what: String
    }

    private static func check(_ session: Session, _ table: Belongings) async throws {
        let rows = try await session.query(Belongings.nobody)
        if let remnant = table.remnant(in: rows) { throw Leak(what: remnant) }
    }

    private static func work(
        _ session: Session, _ kind: Int, _ table: Belongings, _ owner: Int
    ) async throws {
        let rows = try await session.query([Belongings.rows, "savepoint here"])[0]
        if let leak = table.leak(in: rows, of: owner) { throw Leak(what: leak) }
        switch kind {
        case 1: try await session.query("select 1 / 0")
        case 2: throw ChangedMind()
        case 3:
            _ = try await session.query(["select 1 / 0", Belongings.rows])
        case 4:
            // The person of a savepoint ends with it, and with the transaction in any case.
            _ = try await session.query([
                "select set_config('test.person', 'p0', true)", "rollback to here",
            ])
            let again = try await session.query(Belongings.rows)
            if let leak = table.leak(in: again, of: owner) { throw Leak(what: leak) }
        case 5:
            let copy = try await session.copyOut("copy (select owner from belonging) to stdout")
            let bytes = try await copy.next() ?? []
            guard String(decoding: bytes, as: UTF8.self) == "p\(owner)\np\(owner)\n" else {
                throw Leak(what: "a COPY for p\(owner): \(String(decoding: bytes, as: UTF8.self))")
            }
        case 6: _ = try? await session.query("select set_config('test.person', 'p1\0', true)")
        case 7: try await session.query("select pg_sleep(0.01)")
        default: break
        }
    }
}
