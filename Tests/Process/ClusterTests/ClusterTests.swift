import Glibc
import Log
import Synchronization
import Testing
import WaitKit

@testable import Cluster

@Suite(.serialized) struct PrivateCluster {
    @Test func `the first user creates and starts a cluster, and the last one stops it`()
        async throws
    {
        try await withFolder(isMade: false) { folder, account in
            let first = try Cluster(joining: folder, account: account, log: silent)
            #expect(try first.ask("select 1 + 1") == "2")
            let second = try Cluster(joining: folder, account: account, log: silent)
            #expect(second.pid == first.pid)
            first.leave()
            first.leave()
            #expect(try second.ask("select 1 + 1") == "2")
            second.leave()
            #expect(second.pid == nil)
            #expect(!exists("\(folder)/postgresql/postmaster.pid"), "a clean stop")
        }
    }

    @Test func `data survives a restart`() async throws {
        try await withFolder { folder, account in
            let first = try Cluster(joining: folder, account: account, log: silent)
            _ = try first.ask("create table kept as select 42 as answer")
            first.leave()
            let second = try Cluster(joining: folder, account: account, log: silent)
            defer { second.leave() }
            #expect(try second.ask("table kept") == "42")
        }
    }

    /// As when a command is killed while it stops the server, and the next one comes.
    @Test func `a server that is stopping is followed by another one`() async throws {
        try await withFolder { folder, account in
            let first = try Cluster(joining: folder, account: account, log: silent)
            defer { first.leave() }
            let stopping = try #require(first.pid)
            let client = try IdleClient(of: first)
            // It notes that, and stops when its last client has left.
            kill(stopping, SIGTERM)
            #expect(
                becomes { Postmaster.running(dataFolder: "\(folder)/postgresql")?.isReady == false }
            )
            let joined = Later {
                let second = try Cluster(joining: folder, account: account, log: silent)
                defer { second.leave() }
                return second.pid
            }
            letRun(for: .milliseconds(50))
            client.leave()
            let pid = try joined.value()
            #expect(pid != nil && pid != stopping)
        }
    }

    @Test func `a cluster is set up to be safe and private`() async throws {
        try await withFolder { folder, account in
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            defer { cluster.leave() }
            let settings = [
                "listen_addresses": "", "fsync": "on", "synchronous_commit": "on",
                "full_page_writes": "on", "log_error_verbosity": "terse", "jit": "off",
                "timezone": "UTC", "server_encoding": "UTF8", "data_checksums": "on",
            ]
            for (name, value) in settings {
                #expect(try cluster.ask("show \(name)") == value, "\(name)")
            }
            #expect(
                try cluster.ask("select datcollate from pg_database where datname = 'template1'")
                    == "C.UTF-8")
            var status = stat()
            #expect(stat(cluster.socketFolder, &status) == 0 && status.st_mode & 0o777 == 0o700)
        }
    }

    @Test func `only its file gives superuser access, and logins reach their database alone`()
        async throws
    {
        try await withFolder { folder, account in
            let access = Cluster.Access(database: "own", logins: ["reader"])
            let cluster = try Cluster(
                joining: folder, account: account, access: access, log: silent)
            defer { cluster.leave() }
            _ = try cluster.ask("create role reader login; create role other login")
            _ = try cluster.ask("create database own")
            func ask(_ database: String, _ user: String, _ more: String = "") throws -> String {
                try cluster.ask(
                    "select current_user",
                    at:
                        "host='\(cluster.socketFolder)' port=5432 dbname=\(database) user=\(user) \(more)"
                )
            }
            #expect(try ask("own", "homeroom", "passfile=/dev/null").contains("no password"))
            #expect(try ask("own", "homeroom", "password=wrong").contains("authentication failed"))
            let secret = "\(folder)/superuser.pgpass"
            #expect(try ask("own", "homeroom", "passfile='\(secret)'") == "homeroom")
            #expect(try ask("own", "reader") == "reader")
            #expect(try ask("postgres", "reader").contains("no pg_hba.conf entry"))
            #expect(try ask("own", "other").contains("no pg_hba.conf entry"))
            var status = stat()
            #expect(stat(secret, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(!exists("\(secret).sql"))
        }
    }

    @Test func `data of an older version get a password for the superuser`() async throws {
        try await withFolder { folder, account in
            unlink("\(folder)/superuser.pgpass")
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            defer { cluster.leave() }
            #expect(try cluster.ask("select 1 + 1") == "2")
            #expect(exists("\(folder)/superuser.pgpass"))
        }
    }

    @Test func `a server runs in a session of its own, out of the terminal's reach`() async throws {
        try await withFolder { folder, account in
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            defer { cluster.leave() }
            let pid = try #require(cluster.pid)
            #expect(getsid(pid) == pid)
        }
    }

    @Test func `a killed server is started again and has lost nothing`() async throws {
        try await withFolder { folder, account in
            let first = try Cluster(joining: folder, account: account, log: silent)
            _ = try first.ask("create table kept as select 42 as answer")
            let killed = try #require(first.pid)
            kill(killed, SIGKILL)
            #expect(becomes { first.pid == nil })
            let second = try Cluster(joining: folder, account: account, log: silent)
            #expect(try second.ask("table kept") == "42")
            #expect(second.pid != killed)
            kill(try #require(second.pid), SIGKILL)
            #expect(becomes { second.pid == nil })
            try second.ensureRunning()
            try second.ensureRunning()
            #expect(try second.ask("table kept") == "42")
            second.leave()
            #expect(first.pid != nil, "the first user is still there")
            first.leave()
            #expect(first.pid == nil)
        }
    }

    @Test func `the log says why a server died`() async throws {
        try await withFolder { folder, account in
            let lines = Mutex<[String]>([])
            let log = Log { line in
                lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
            let cluster = try Cluster(joining: folder, account: account, log: log)
            defer { cluster.leave() }
            let file = try #require(fopen(cluster.logFile, "a"))
            fputs("PANIC:  could not write to file: No space left on device\n", file)
            fputs("LOG:  shutting down\n", file)
            fclose(file)
            kill(try #require(cluster.pid), SIGKILL)
            #expect(becomes { cluster.pid == nil })
            #expect(try cluster.ensureRunning())
            #expect(try !cluster.ensureRunning())
            let line = lines.withLock { $0.first { $0.contains("is started again") } }
            #expect(line?.contains("No space left on device") == true)
        }
    }

    @Test func `a server whose users died is adopted and stopped by the next one`() async throws {
        try await withFolder { folder, account in
            let server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
            try server.prepare()
            let orphan = try server.postmaster(log: silent)
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            #expect(cluster.pid == orphan.pid)
            cluster.leave()
            #expect(!isAlive(orphan.pid))
        }
    }

    /// The stranger works where PostgreSQL would, like someone looking at the files.
    @Test(arguments: ["/", "postgresql"])
    func `leftover files that name another living program do not mislead`(
        _ whereabouts: String
    ) async throws {
        try await withFolder { folder, account in
            let first = try Cluster(joining: folder, account: account, log: silent)
            let files = [
                "\(folder)/postgresql/postmaster.pid", "\(first.socketFolder)/.s.PGSQL.5432.lock",
            ]
            let texts = try files.map { try #require(readText($0)) }
            first.leave()
            let stranger = Child(
                path: "/bin/sleep", arguments: ["60"],
                folder: whereabouts == "/" ? "/" : "\(folder)/\(whereabouts)", account: account)
            let pid = try stranger.startWatched(output: 2)
            defer { kill(pid, SIGKILL) }
            for (file, text) in zip(files, texts) {
                try writeText("\(pid)\(text.drop { $0 != "\n" })", to: file, owner: account)
            }
            let second = try Cluster(joining: folder, account: account, log: silent)
            defer { second.leave() }
            #expect(try second.ask("select 1") == "1")
            #expect(second.pid != pid)
            #expect(isAlive(pid))
        }
    }

    @Test func `a leftover file with the number of the process just started is not believed`()
        async throws
    {
        try await withFolder { folder, account in
            let server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
            try server.prepare()
            let first = try Cluster(joining: folder, account: account, log: silent)
            let file = "\(server.dataFolder)/postmaster.pid"
            let text = try #require(readText(file))
            first.leave()
            // A new namespace assigns the same number again, here to a server that ends before it is ready.
            let failing = Child(
                path: "/bin/sleep", arguments: ["0.5"], folder: server.dataFolder, account: account)
            let pid = try failing.startWatched(output: 2)
            try writeText("\(pid)\(text.drop { $0 != "\n" })", to: file, owner: account)
            let leftOver = Postmaster.FileMark(dataFolder: server.dataFolder)
            #expect(leftOver != nil)
            #expect(throws: ClusterError.self) { try server.wait(for: pid, otherThan: leftOver) }
        }
    }

    @Test func `a deeply nested folder gets its socket elsewhere`() async throws {
        let name = Array(repeating: "a folder's name", count: 9).joined(separator: "/")
        try await withFolder(named: name) { folder, account in
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            defer {
                cluster.leave()
                removeTree(cluster.socketFolder)
            }
            #expect(cluster.socketFolder.utf8.count < 80)
            #expect(try cluster.ask("select 1") == "1")
        }
    }
}
