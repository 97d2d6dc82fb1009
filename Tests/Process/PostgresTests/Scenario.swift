import FaultyWire
import Postgres
import Testing

/// Something a service does with its database, each unit of which happens as a whole or not at all.
struct Scenario: Sendable, CustomTestStringConvertible {
    /// A unit of work, which identifies its rows in `trace`, and how it ended.
    typealias Outcome = (unit: String, error: PostgresError?)

    enum Lane { case shared, exclusive }

    let testDescription: String
    let lane: Lane
    /// How many rows of `trace` a completed unit leaves; none where nothing is written.
    let rows: Int
    let work: @Sendable (Pool, _ unit: String) async -> [Outcome]

    /// Whether anything is written.
    var commits: Bool { rows > 0 }

    static let all = [query, pipeline, statements, transaction, copyIn, copyInAlone, copyOut]

    /// The table that all scenarios write to.
    static let table = Result {
        try BlockingConnection(databaseURL).execute(
            """
            create table trace (unit text not null, part int not null);
            create index on trace (unit);
            create role tracer nologin;
            grant select, insert on trace to tracer;
            """)
    }

    private static let tracer = Identity(role: "tracer", settings: [.init("test.person", "ada")])

    static let query = Scenario(
        testDescription: "a query with an identity", lane: .shared, rows: 1
    ) { pool, unit in
        [(unit, await failure { _ = try await pool.query(insert(unit, 1), as: tracer) })]
    }

    static let pipeline = Scenario(
        testDescription: "four queries on one connection", lane: .shared, rows: 1
    ) { pool, unit in
        await withTaskGroup(of: Outcome.self) { group in
            for number in 0..<4 {
                group.addTask(executorPreference: pool.loop) {
                    let unit = "\(unit)-\(number)"
                    return (
                        unit,
                        await failure { _ = try await pool.query(insert(unit, 1), as: tracer) }
                    )
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    static let statements = Scenario(
        testDescription: "three statements in one round trip", lane: .shared, rows: 2
    ) { pool, unit in
        let all = [insert(unit, 1), insert(unit, 2), "select count(*) as n from trace"]
        return [(unit, await failure { _ = try await pool.query(all, as: tracer) })]
    }

    static let transaction = Scenario(
        testDescription: "a transaction", lane: .exclusive, rows: 2
    ) { pool, unit in
        let error = await failure {
            try await pool.withSession { session in
                try await session.transaction(as: tracer) { session in
                    try await session.query(insert(unit, 1))
                    try await session.query(insert(unit, 2))
                }
            }
        }
        return [(unit, error)]
    }

    static let copyIn = Scenario(
        testDescription: "a COPY in a transaction", lane: .exclusive, rows: 100
    ) { pool, unit in
        let error = await failure {
            try await pool.withSession { session in
                try await session.transaction(as: tracer) { try await copy(unit, $0) }
            }
        }
        return [(unit, error)]
    }

    static let copyInAlone = Scenario(
        testDescription: "a COPY that commits itself", lane: .exclusive, rows: 100
    ) { pool, unit in
        [(unit, await failure { try await pool.withSession { try await copy(unit, $0) } })]
    }

    static let copyOut = Scenario(
        testDescription: "a COPY of rows", lane: .exclusive, rows: 0
    ) { pool, unit in
        let error = await failure {
            try await pool.withSession { session in
                let out = try await session.copyOut(
                    "copy (select repeat('x', 1000) from generate_series(1, 20)) to stdout")
                while try await out.next() != nil {}
            }
        }
        return [(unit, error)]
    }

    private static func insert(_ unit: String, _ part: Int) -> Statement {
        "insert into trace (unit, part) values (\(unit), \(part)::int)"
    }

    private static func copy(_ unit: String, _ session: Session) async throws {
        let copy = try await session.copyIn("copy trace (unit, part) from stdin")
        for chunk in 0..<4 {
            let lines = (0..<25).map { "\(unit)\t\(chunk * 25 + $0)\n" }.joined()
            try await copy.write(Array(lines.utf8))
        }
        _ = try await copy.finish()
    }
}
