import Files
import Foundation
import Glibc
import Log
import Testing

@testable import Cluster

@Suite struct ClusterRefusals {
    @Test func `a version that is not installed is named with its package`() {
        #expect(throws: ClusterError.binariesMissing(major: 7)) { try Binaries.find(major: 7) }
        #expect(
            "\(ClusterError.binariesMissing(major: 16))".contains("apt-get install postgresql-16"))
    }

    @Test func `a folder may be written with more slashes than it needs`() throws {
        let account = Account(named: "postgres")
        let server = try PrivateServer(folder: "/a//b/", account: account, isThrowaway: false)
        #expect(server.folder == "/a/b")
    }

    @Test func `data of another version are left alone`() async throws {
        try await withFolder(isMade: false) { folder, account in
            try FileManager.default.createDirectory(
                atPath: "\(folder)/postgresql", withIntermediateDirectories: true)
            try "9\n".write(
                toFile: "\(folder)/postgresql/PG_VERSION", atomically: true, encoding: .utf8)
            if let account { chown(folder, account.user, account.group) }
            #expect(throws: ClusterError.binariesMissing(major: 9)) {
                try Cluster(joining: folder, account: account, log: silent)
            }
            #expect(Folder.names(in: "\(folder)/postgresql") == ["PG_VERSION"])
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `a folder of another account is refused`() async throws
    {
        try await withFolder(isMade: false) { folder, account in
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let name = try #require(account?.name)
            let error = #expect(throws: ClusterError.self) {
                try Cluster(joining: folder, account: account, log: silent)
            }
            #expect(error == .wrongOwner(path: folder, owner: "root", account: name))
            // PostgreSQL does not run as root, so that there is no use in running the command as root.
            #expect(error?.description.contains("as root.") == true)
            #expect(error?.description.contains("chown -R \(name): \(folder)") == true)
            chown(folder, 1, 1)
            let other = #expect(throws: ClusterError.self) {
                try Cluster(joining: folder, account: account, log: silent)
            }
            #expect(other?.description.contains("Run the command as daemon") == true)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `root needs an account`() async throws {
        try await withFolder(isMade: false) { folder, _ in
            #expect(throws: ClusterError.rootNeedsAccount) {
                try Cluster(joining: folder, log: silent)
            }
            #expect(throws: ClusterError.accountMissing("no-such-account")) {
                try Account.drop(to: "no-such-account", makingFolders: [])
            }
        }
    }

    @Test func `a setting that PostgreSQL refuses is shown`() async throws {
        try await withFolder { folder, account in
            try writeText(
                "shared_buffers = 'a lot'\n", to: "\(folder)/postgresql/local.conf", owner: account)
            let error = #expect(throws: ClusterError.self) {
                try Cluster(joining: folder, account: account, log: silent)
            }
            #expect(error?.description.contains("shared_buffers") == true)
        }
    }

    @Test func `a folder that cannot be created is named`() {
        let account = Account(named: "postgres")
        #expect(throws: ClusterError.self) {
            try Cluster(joining: "/dev/null/data", account: account, log: silent)
        }
        let error = ClusterError.failed(FileError("make the folder", "/x", ENOSPC))
        #expect(error.description == "Cannot make the folder /x: No space left on device")
    }
}

@Suite struct Throwaway {
    @Test func `a throw-away server answers, and leaves nothing behind`() async throws {
        try await onThread {
            let throwaway = try ThrowawayCluster(log: silent)
            let folder = throwaway.cluster.folder
            #expect(try throwaway.cluster.ask("show fsync") == "off")
            #expect(exists(folder))
            throwaway.discard()
            #expect(!exists(folder))
            #expect(!exists("\(folder).lock"))
        }
    }

    @Test func `names and conninfo are quoted`() async throws {
        try await onThread {
            let throwaway = try ThrowawayCluster(log: silent)
            defer { throwaway.discard() }
            let text = throwaway.cluster.connectionString(database: #"it's \ odd"#, user: "u")
            #expect(text.contains(#"dbname='it\'s \\ odd'"#))
        }
    }
}
