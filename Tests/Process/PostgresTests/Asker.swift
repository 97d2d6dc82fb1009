import EventLoop
import Postgres

/// One person on the shared lane.
struct Asker: Sendable {
    let pool: Pool
    let table: Belongings
    let person: Int
    var tally = Tally()

    init(pool: Pool, table: Belongings, person: Int) {
        self.pool = pool
        self.table = table
        self.person = person
    }

    /// Most requests are honest; the others fail wherever they can.
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

    /// Asks for its own rows, in more ways than the connection keeps prepared.
    private mutating func look(_ kind: Int, _ identity: Identity) async throws {
        let statement = Self.variants[kind / 2 % Self.variants.count]
        let rows = try await pool.query(statement, as: identity)
        if let leak = table.leak(in: rows, of: person) { tally.leaks.append(leak) }
        tally.seen += 1
    }

    /// Cancels at once, whether it is waiting or running.
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
struct SessionUser: Sendable {
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
            // The identity of a savepoint ends with it, and in any case with the transaction.
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
