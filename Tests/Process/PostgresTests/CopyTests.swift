import EventLoop
import Postgres
import Testing
import WaitKit

@Suite struct CopyTests {
    @Test func `a hundred thousand rows go in and out`() async throws {
        try await withPool { pool in
            let total = try await pool.withSession { session in
                try await session.transaction(as: nil) { session in
                    try await session.query(
                        "create temp table many (v int8, t text) on commit drop")
                    let copy = try await session.copyIn("copy many from stdin")
                    for chunk in 0..<100 {
                        let text = (0..<1000).map { "\(chunk * 1000 + $0)\trow\n" }.joined()
                        try await copy.write(Array(text.utf8))
                    }
                    let count = try await copy.finish()
                    #expect(count == 100_000)
                    let out = try await session.copyOut(
                        "copy (select v from many where t = \("row") order by v) to stdout")
                    var lines = 0
                    var sizes: [Int] = []
                    while let chunk = try await out.next() {
                        lines += chunk.count { $0 == UInt8(ascii: "\n") }
                        sizes.append(chunk.count)
                    }
                    #expect(sizes.count > 3)
                    #expect(lines == 100_000)
                    return try await session.query("select sum(v)::int8 as s from many")[0].int("s")
                }
            }
            #expect(total == 4_999_950_000)
        }
    }

    @Test func `a row that does not fit fails the COPY and nothing else`() async throws {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            try await pool.withSession { session in
                let error = await failure {
                    try await session.transaction(as: nil) { session in
                        try await session.query("create temp table few (v int) on commit drop")
                        let copy = try await session.copyIn("copy few from stdin")
                        try await copy.write(Array("1\nx\n".utf8))
                        _ = try await copy.finish()
                    }
                }
                #expect(error?.sqlState == "22P02")
                let rows = try await session.query("select 1 as v")
                #expect(rows.count == 1)
            }
        }
    }

    @Test func `a COPY left open is abandoned, in both directions`() async throws {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            try BlockingConnection(databaseURL).execute(
                "create table if not exists left_open (v int)")
            let first = try await backend(pool)
            try await pool.withSession { session in
                let copy = try await session.copyIn("copy left_open from stdin")
                try await copy.write(Array("1\n".utf8))
            }
            #expect(try values(in: "left_open") == [])
            try await pool.withSession { session in
                let copy = try await session.copyOut(
                    "copy (select repeat('x', 1000) from generate_series(1, 10000000)) to stdout")
                let chunk = try await copy.next()
                #expect((chunk?.count ?? 0) >= 65_536)
            }
            let last = try await backend(pool)
            #expect(first == last)
        }
    }

    @Test func `a statement other than COPY is refused and the connection stays`() async throws {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            try await pool.withSession { session in
                let denied = await failure { _ = try await session.copyOut("select 1") }
                #expect(denied != nil)
                let wrongWay = await failure {
                    _ = try await session.copyOut("copy no_such_table from stdin")
                }
                #expect(wrongWay?.sqlState == "42P01")
                let broken = await failure { _ = try await session.copyIn("copy") }
                #expect(broken?.sqlState == "42601")
                let rows = try await session.query("select 1 as v")
                #expect(rows.count == 1)
            }
        }
    }

    @Test func `cancelling the task stops a COPY`() async throws {
        try await withPool(change: { $0.exclusiveConnections = 1 }) { pool in
            let first = try await backend(pool)
            let task = Task(executorPreference: pool.loop) {
                await failure {
                    try await pool.withSession { session in
                        let copy = try await session.copyOut(
                            "copy (select pg_sleep(0.001) from generate_series(1, 1000000)) to stdout"
                        )
                        while try await copy.next() != nil {}
                    }
                }
            }
            try await eventually { try copiers(first) == 1 }
            task.cancel()
            let error = await task.value
            #expect(error == .cancelled)
            let last = try await backend(pool)
            #expect(first == last)
        }
    }

    @Test func `a blocking connection copies both ways`() throws {
        let connection = try BlockingConnection(databaseURL)
        try connection.execute("create temp table b (v int)")
        let count = try connection.copyIn("copy b from stdin") { write in
            try "1\n2\n".utf8.withContiguousStorageIfAvailable { try write(.init($0)) }
        }
        #expect(count == 2)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try connection.copyIn("copy b from stdin") { write in
                try "3\n".utf8.withContiguousStorageIfAvailable { try write(.init($0)) }
                throw Stop()
            }
        }
        var text: [UInt8] = []
        try connection.copyOut("copy (select v from b where v > \(1)) to stdout") { text += $0 }
        #expect(String(decoding: text, as: UTF8.self) == "2\n")
    }
}

private func backend(_ pool: Pool) async throws -> Int {
    try await pool.withSession { session in
        try await session.query("select pg_backend_pid() as v")[0].int("v")
    }
}

private func copiers(_ pid: Int) throws -> Int {
    try BlockingConnection(databaseURL).query(
        "select count(*) as n from pg_stat_progress_copy where pid = \(pid)")[0].int("n")
}
