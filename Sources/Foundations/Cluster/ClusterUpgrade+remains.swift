import Glibc

// What can be seen of a folder from outside, without its locks.

extension ClusterUpgrade {
    /// Whether a folder holds the data of a private PostgreSQL, complete or in the middle of an exchange.
    package static func hasData(in folder: String) -> Bool {
        exists("\(folder)/postgresql/PG_VERSION") || kept(in: folder) != nil
    }

    /// The folder of the data as it was before the last upgrade; `nil` if there is none.
    package static func kept(in folder: String) -> String? {
        guard let server = server(of: folder) else { return nil }
        return server.keptMajor.map(server.keptFolder)
    }

    /// The folder of an upgrade that failed or was interrupted; `nil` if there is none.
    package static func interrupted(in folder: String) -> String? {
        guard let server = server(of: folder), exists(server.upgradeFolder) else { return nil }
        return server.upgradeFolder
    }

    /// The installed packages with the programs of the data's version that `apt-get autoremove` would remove.
    ///
    /// - Parameter apt: the program that says so; where there is none, nothing is removed.
    package static func removablePackages(
        in folder: String, apt: String = "/usr/bin/apt-get"
    ) -> [String] {
        guard let major = server(of: folder)?.major, access(apt, X_OK) == 0 else { return [] }
        let child = Child(
            path: "/bin/sh",
            arguments: [
                "-c",
                #""$0" --simulate autoremove 2>/dev/null | sed -nE "s/^Remv (postgresql-(client-)?$1) .*/\1/p""#,
                apt, "\(major)",
            ], folder: "/", account: nil)
        guard let (_, output) = try? child.run() else { return [] }
        return output.split(separator: "\n").map(String.init)
    }

    private static func server(of folder: String) -> PrivateServer? {
        try? PrivateServer(
            folder: folder, account: owner(of: folder).flatMap { Account(user: $0) },
            isThrowaway: false)
    }
}
