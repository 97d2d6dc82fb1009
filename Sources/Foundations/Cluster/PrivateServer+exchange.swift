import Files
import Glibc

// After an upgrade two folders hold data: that of the new major version is in use, and that of the old one is kept
// as the way back. Every step is a rename, and each that was interrupted is completed before the next start.
//
//     postgresql        the data in use
//     postgresql.15     the data as it was before the upgrade
//     upgrade/          what an upgrade is making, or what is being deleted

extension PrivateServer {
    var upgradeFolder: String { "\(folder)/upgrade" }
    /// The data of the new major version while an upgrade makes it.
    var nextFolder: String { "\(folder)/\(PrivateServer.nextName)" }
    /// The data of the new major version after the way back was taken.
    private var undoneFolder: String { "\(upgradeFolder)/undone" }
    /// The old data after it was given up.
    private var finishedFolder: String { "\(upgradeFolder)/finished" }

    static let nextName = "upgrade/postgresql"
    /// A file in data that an upgrade made and completed: the state of the database at that moment.
    static let markName = "homeroom.upgraded"

    /// The major version of the data from before the last upgrade; `nil` if none is kept.
    var keptMajor: Int? {
        let prefix = "postgresql."
        return Folder.names(in: folder).compactMap { name in
            name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
        }.max()
    }

    func keptFolder(_ major: Int) -> String { "\(folder)/postgresql.\(major)" }

    /// Completes an exchange of folders that was interrupted; the caller holds `start.lock`.
    func completeExchange() throws(ClusterError) {
        guard !exists(dataFolder) else { return }
        if exists("\(nextFolder)/\(PrivateServer.markName)") {
            try move(nextFolder, to: dataFolder)
        } else if exists(undoneFolder), let kept = keptMajor {
            try move(keptFolder(kept), to: dataFolder)
        }
    }

    /// Puts the complete new data in the place of the old, which is kept.
    func useNext(insteadOf major: Int) throws(ClusterError) {
        try move(dataFolder, to: keptFolder(major))
        try move(nextFolder, to: dataFolder)
        removeTree(upgradeFolder)
    }

    /// Puts the kept data in the place of the new, which is deleted.
    func useKept(_ major: Int) throws(ClusterError) {
        try makeUpgradeFolder()
        try move(dataFolder, to: undoneFolder)
        try move(keptFolder(major), to: dataFolder)
        removeTree(upgradeFolder)
    }

    /// Deletes the kept data.
    func deleteKept(_ major: Int) throws(ClusterError) {
        try makeUpgradeFolder()
        try move(keptFolder(major), to: finishedFolder)
        removeTree(upgradeFolder)
        unlink("\(dataFolder)/\(PrivateServer.markName)")
    }

    /// Creates an empty folder for what an upgrade makes.
    func makeUpgradeFolder() throws(ClusterError) {
        removeTree(upgradeFolder)
        try makeFolder(upgradeFolder, mode: 0o700)
        try give(upgradeFolder)
    }

    private func move(_ path: String, to other: String) throws(ClusterError) {
        try named { () throws(FileError) in
            try Folder.rename(path, to: other)
            try Folder.sync(folder)
        }
    }
}
