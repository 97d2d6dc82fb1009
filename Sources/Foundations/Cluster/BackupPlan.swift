import Files

/// Where the backups of a private PostgreSQL go, and how.
package struct BackupPlan: Sendable, Equatable {
    /// An absolute path.
    package let folder: String
    /// How many days a backup is kept, with the WAL to go on from it.
    package let days: Int
    /// Encrypts everything in the folder; `nil`: it is readable.
    package let key: String?

    package init(folder: String, days: Int, key: String?) {
        self.folder = folder
        self.days = days
        self.key = key
    }

    /// Whether the folder holds a backup.
    package static func isThere(_ folder: String) -> Bool { exists(list(folder)) }

    /// Whether the folder holds an encrypted backup.
    package static func isEncrypted(_ folder: String) -> Bool {
        let beginning = try? File.reading(list(folder)).next(upTo: 8)
        return beginning == Array("Salted__".utf8)
    }

    /// pgBackRest's list of backups, which it makes first.
    private static func list(_ folder: String) -> String {
        "\(folder)/backup/\(PrivateServer.stanza)/backup.info"
    }
}

extension BackupPlan {
    /// Reads the plan from pgBackRest's configuration; `nil` if that is for the data of another folder, as in a copy.
    init?(configuration: String, dataFolder: String) {
        var values: [Substring: String] = [:]
        for line in configuration.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = String(parts[1]) }
        }
        guard values["pg1-path"] == dataFolder, let folder = values["repo1-path"],
            let days = values["repo1-retention-full"].flatMap({ Int($0) })
        else { return nil }
        self.init(folder: folder, days: days, key: values["repo1-cipher-pass"])
    }

    /// pgBackRest's configuration.
    ///
    /// - Parameters:
    ///   - workFolder: for its locks.
    ///   - queueMebibytes: how much WAL may wait if the folder is away.
    func configuration(
        dataFolder: String, socketFolder: String, workFolder: String, queueMebibytes: Int
    ) -> String {
        let cipher =
            key.map { "repo1-cipher-type=aes-256-cbc\nrepo1-cipher-pass=\($0)\n" } ?? ""
        return """
            # Written anew by each backup.
            [global]
            repo1-path=\(folder)
            repo1-retention-full-type=time
            repo1-retention-full=\(days)
            repo1-bundle=y
            \(cipher)compress-type=zst
            process-max=2
            start-fast=y
            archive-push-queue-max=\(queueMebibytes)MiB
            neutral-umask=n
            lock-path=\(workFolder)/lock
            spool-path=\(workFolder)/spool
            log-level-console=off
            log-level-file=off
            log-level-stderr=error

            # Goes to PostgreSQL's log: WAL that was given up is worth a line.
            [global:archive-push]
            log-level-stderr=warn

            [\(PrivateServer.stanza)]
            pg1-path=\(dataFolder)
            pg1-socket-path=\(socketFolder)
            pg1-user=\(Cluster.superuser)
            pg1-database=postgres

            """
    }
}
