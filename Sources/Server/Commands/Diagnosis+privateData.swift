import Cluster
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
