import Files
import Glibc
import Log
import Testing
import WaitKit

@testable import Cluster

/// The data of a private PostgreSQL goes to another major version and back. One version is enough to test it: `pg_upgrade`
/// also makes data of the same version.
@Suite struct Upgrade {
    @Test func `data goes up, back while nothing was written, up again, and is finished`()
        async throws
    {
        try await withFolder { folder, account in
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            _ = try cluster.ask("create table kept as select 42 as answer")
            cluster.leave()
            try writeText(
                "work_mem = '7MB'\n", to: "\(folder)/postgresql/local.conf", owner: account)
            let major = try upgrade(folder, account) { #expect($0 == "42") }
            let kept = "\(folder)/postgresql.\(major)"
            #expect(ClusterUpgrade.kept(in: folder) == kept)
            #expect(ClusterUpgrade.interrupted(in: folder) == nil)
            let again = try ClusterUpgrade(of: folder, account: account, log: silent)
            #expect(throws: UpgradeError.unfinished(kept: kept)) {
                try again.run(to: major, before: { _ in }, after: { _, _ in }, say: { _ in })
            }
            #expect(try again.undo(discardsChanges: false) == major)
            #expect(throws: UpgradeError.nothingKept(path: folder)) {
                try again.undo(discardsChanges: false)
            }
            #expect(!exists(kept) && !exists("\(folder)/upgrade"))
            again.close()

            try upgrade(folder, account) { #expect($0 == "42") }
            let new = try Cluster(joining: folder, account: account, log: silent)
            #expect(try new.ask("table kept") == "42")
            #expect(try new.ask("show work_mem") == "7MB")
            _ = try new.ask("update kept set answer = 43")
            #expect(throws: UpgradeError.inUse(path: folder)) {
                try ClusterUpgrade(of: folder, account: account, log: silent)
            }
            let finishing = try ClusterUpgrade(
                of: folder, account: account, isAlone: false, log: silent)
            #expect(try finishing.finish() == major)
            #expect(!exists(kept))
            #expect(try new.ask("table kept") == "43")
            finishing.close()
            new.leave()
        }
    }

    @Test func `what was written since is lost only on demand`() async throws {
        try await withFolder { folder, account in
            try made(in: folder, account)
            let major = try upgrade(folder, account) { #expect($0 == "42") }
            let used = try Cluster(joining: folder, account: account, log: silent)
            _ = try used.ask("update kept set answer = 43")
            used.leave()
            let back = try ClusterUpgrade(of: folder, account: account, log: silent)
            #expect(throws: UpgradeError.changedSince(path: folder)) {
                try back.undo(discardsChanges: false)
            }
            #expect(try back.undo(discardsChanges: true) == major)
            back.close()
            #expect(try answer(folder, account) == "42")
        }
    }

    @Test func `new data that is refused changes nothing, and the upgrade can be repeated`()
        async throws
    {
        struct Refused: Error {}
        try await withFolder { folder, account in
            try made(in: folder, account)
            let first = try ClusterUpgrade(of: folder, account: account, log: silent)
            #expect(throws: Refused.self) {
                try first.run(
                    to: first.major, before: { _ in }, after: { _, _ in throw Refused() },
                    say: { _ in })
            }
            first.close()
            #expect(ClusterUpgrade.kept(in: folder) == nil)
            #expect(ClusterUpgrade.interrupted(in: folder) == "\(folder)/upgrade")
            #expect(try answer(folder, account) == "42")
            try upgrade(folder, account) { #expect($0 == "42") }
            #expect(ClusterUpgrade.interrupted(in: folder) == nil)
        }
    }

    @Test func `a lock is free at once, even if a program that starts has its file`() async throws {
        try await withFolder { folder, account in
            let lock = try FileLock(path: "\(folder)/users.lock", owner: account)
            let copy = dup(lock.file)
            defer { close(copy) }
            #expect(lock.take(exclusive: true))
            lock.close()
            let next = try FileLock(path: "\(folder)/users.lock", owner: account)
            #expect(next.take(exclusive: true))
            next.close()
        }
    }

    @Test func `the lock of programs is waited for, and held until they have ended`() async throws {
        try await withFolder { folder, account in
            let server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
            let lock = try server.lockOfPrograms()
            // As a program has it that was started with it.
            let copy = dup(lock.file)
            lock.leaveToPrograms()
            let next = Later { try server.lockOfPrograms() }
            let other = try FileLock(path: "\(folder)/programs.lock", owner: account)
            #expect(!other.take(exclusive: true))
            other.close()
            close(copy)
            try next.value().close()
        }
    }

    @Test func `an exchange that was interrupted is completed by the next start`() async throws {
        try await withFolder { folder, account in
            try made(in: folder, account)
            let major = try upgrade(folder, account) { #expect($0 == "42") }
            let kept = "\(folder)/postgresql.\(major)"
            // Killed between the two steps of going up.
            try makeFolder("\(folder)/upgrade", mode: 0o700)
            try Folder.rename("\(folder)/postgresql", to: "\(folder)/upgrade/postgresql")
            #expect(ClusterUpgrade.hasData(in: folder))
            #expect(try answer(folder, account) == "42")
            #expect(exists(kept))
            // Killed between the two steps of going back.
            try Folder.rename("\(folder)/postgresql", to: "\(folder)/upgrade/undone")
            #expect(try answer(folder, account) == "42")
            #expect(!exists(kept))
        }
    }

    @Test func `no empty database hides data that was put aside`() async throws {
        try await withFolder { folder, account in
            try Folder.rename("\(folder)/postgresql", to: "\(folder)/postgresql.15")
            let error = #expect(throws: ClusterError.self) {
                try Cluster(joining: folder, account: account, log: silent)
            }
            #expect(error?.description.contains("\(folder)/postgresql.15 is there") == true)
            #expect(!exists("\(folder)/postgresql"))
        }
    }

    @Test func `a server that a killed upgrade left is not joined`() async throws {
        try await withFolder { folder, account in
            try made(in: folder, account)
            let server = try PrivateServer(folder: folder, account: account, isThrowaway: false)
            let data = server.dataFolder
            let left = Child(
                path: try Binaries.find(major: nil).postgres, arguments: ["-D", data, "-b"],
                folder: data, account: account)
            let pid = try left.startWatched(output: 2)
            #expect(becomes { Postmaster.running(dataFolder: data)?.isReady == true })
            let cluster = try Cluster(joining: folder, account: account, log: silent)
            #expect(try cluster.ask("table kept") == "42")
            #expect(cluster.pid != pid && !isAlive(pid))
            cluster.leave()
        }
    }

    @Test func `an upgrade without a newer version or with an older one is refused`() async throws {
        try await withFolder { folder, account in
            let upgrade = try ClusterUpgrade(of: folder, account: account, log: silent)
            defer { upgrade.close() }
            let major = upgrade.major
            func run(to wanted: Int?) throws {
                try upgrade.run(to: wanted, before: { _ in }, after: { _, _ in }, say: { _ in })
            }
            let newest = try Binaries.find(major: nil).major
            #expect(newest == major)
            #expect(throws: UpgradeError.noNewer(major: major)) { try run(to: nil) }
            #expect(throws: UpgradeError.older(major: major, wanted: 14)) { try run(to: 14) }
            #expect(throws: ClusterError.binariesMissing(major: 99)) { try run(to: 99) }
            #expect(throws: UpgradeError.noData(path: "/nowhere")) {
                try ClusterUpgrade(of: "/nowhere", account: account, log: silent)
            }
        }
    }

    @Test func `packages that apt would remove are named if the data needs them`() async throws {
        try await withFolder { folder, _ in
            let apt = "\(folder)/apt"
            let major = try Binaries.find(major: nil).major
            try writeText(
                """
                #!/bin/sh
                [ "$*" = "--simulate autoremove" ] || exit 1
                echo "Reading package lists..."
                echo "Remv postgresql-\(major) [\(major).1]"
                echo "Remv postgresql-client-\(major) [\(major).1]"
                echo "Remv postgresql-\(major)-cron [1]"
                echo "Remv postgresql-\(major + 1) [\(major + 1).1]"

                """, to: apt, owner: nil)
            chmod(apt, 0o755)
            #expect(
                ClusterUpgrade.removablePackages(in: folder, apt: apt) == [
                    "postgresql-\(major)", "postgresql-client-\(major)",
                ])
            #expect(ClusterUpgrade.removablePackages(in: folder, apt: "/nowhere") == [])
        }
    }

    /// Puts a row into the cluster of the folder.
    private func made(in folder: String, _ account: Account?) throws {
        let cluster = try Cluster(joining: folder, account: account, log: silent)
        _ = try cluster.ask("create table kept as select 42 as answer")
        cluster.leave()
    }

    private func answer(_ folder: String, _ account: Account?) throws -> String {
        let cluster = try Cluster(joining: folder, account: account, log: silent)
        defer { cluster.leave() }
        return try cluster.ask("table kept")
    }

    /// Copies the data to the same version; the body gets the row as the new server sees it before it is used.
    @discardableResult
    private func upgrade(
        _ folder: String, _ account: Account?, _ look: (String) throws -> Void
    ) throws -> Int {
        let upgrade = try ClusterUpgrade(of: folder, account: account, log: silent)
        defer { upgrade.close() }
        return try upgrade.run(
            to: upgrade.major, before: { _ in },
            after: { target, _ in try look(asked("table kept", at: target("postgres"))) },
            say: { _ in })
    }
}
