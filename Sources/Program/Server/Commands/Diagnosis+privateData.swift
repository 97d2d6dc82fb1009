import Cluster
import Postgres
import Records

extension Diagnosis {
    /// Checks the folder of a private PostgreSQL: whether the programs of its version stay installed, and what upgrades
    /// left in it.
    mutating func note(privateDataIn folder: String) {
        let removable = ClusterUpgrade.removablePackages(in: folder).joined(separator: " ")
        note(
            "programs_may_be_removed",
            removable.isEmpty
                ? nil : "apt-get autoremove would remove what the data needs: \(removable).",
            advice: "Run apt-mark manual \(removable).")
        note(
            "upgrade_unfinished",
            ClusterUpgrade.kept(in: folder).map {
                "\($0) still holds the data as it was before the last upgrade."
            },
            advice: "When all is well, delete it: homeroom upgrade-database --finish.",
            severity: .warning)
        note(
            "upgrade_interrupted",
            ClusterUpgrade.interrupted(in: folder).map {
                "An upgrade of the database was interrupted or failed; \($0) is what it left."
            },
            advice: "The data in use is whole. Repeat it: homeroom upgrade-database.",
            severity: .warning)
    }
}

extension Diagnosis {
    /// Whether the private PostgreSQL runs the program that is installed: a minor update leaves the old one running.
    mutating func notePrograms(of connection: BlockingConnection) throws {
        let running = try connection.query("show server_version")[0].text("server_version")
        let major = Int(running.prefix { $0.isNumber })
        note(running: running, installed: major.flatMap { Cluster.installedVersion(major: $0) })
    }

    /// - Parameters:
    ///   - running: what the server says of itself, such as `15.14 (Debian 15.14-0+deb12u1)`.
    ///   - installed: what the installed program says; `nil` if it cannot be asked.
    mutating func note(running: String, installed: String?) {
        let isOld = installed.map { $0 != running } ?? false
        note(
            "postgresql_updated",
            isOld ? "PostgreSQL \(running) is running, and \(installed ?? "") is installed." : nil,
            advice: "An update waits for a restart: systemctl restart homeroom.service",
            severity: .warning)
    }
}
