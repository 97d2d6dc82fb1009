import Glibc

extension Cluster {
    /// Which logins may connect besides the superuser: to one database, from processes of the account or of root.
    package struct Access: Sendable {
        let database: String
        let logins: [String]

        package init(database: String, logins: [String]) {
            self.database = database
            self.logins = logins
        }
    }
}

extension PrivateServer {
    /// The superuser's password file for libpq; a process that cannot read the file cannot be the superuser.
    var passFile: String { "\(folder)/superuser.pgpass" }

    /// The connection parameters for libpq, as keywords and values.
    func connectionString(socketFolder: String, database: String, user: String) -> String {
        let secret = user == Cluster.superuser && !isThrowaway ? [("passfile", passFile)] : []
        return
            ([("host", socketFolder), ("port", "5432"), ("dbname", database), ("user", user)]
            + secret)
            .map { keyword, value in
                let escaped = value.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined()
                return "\(keyword)='\(escaped)'"
            }
            .joined(separator: " ")
    }

    /// Sets who may connect, which PostgreSQL reads when it starts, and gives the superuser a password if it
    /// has none, as in data of an older version.
    ///
    /// The account alone only gives access to the logins: a compromised process under that account is not yet
    /// PostgreSQL's superuser.
    func protect(_ binaries: Binaries) throws(ClusterError) {
        if isThrowaway { return }
        if !exists(passFile) { try makeSecret(binaries) }
        var rules = ["local all \(quoted(Cluster.superuser)) scram-sha-256"]
        var names: [String] = []
        if let access {
            let logins = access.logins.map(quoted).joined(separator: ",")
            rules.append("local \(quoted(access.database)) \(logins) peer map=own")
            let runner = account?.name ?? Account(user: geteuid())?.name
            for user in Set([runner, "root"].compactMap { $0 }).sorted() {
                names += access.logins.map { "own \(quoted(user)) \(quoted($0))" }
            }
        }
        let note =
            "# Written anew at each start. Rules of your own go into local_hba.conf beside this file.\n"
        let own = readText("\(dataFolder)/local_hba.conf") ?? ""
        try writeText(
            note + rules.map { $0 + "\n" }.joined() + own, to: "\(dataFolder)/pg_hba.conf",
            owner: account)
        try writeText(
            "# Written anew at each start.\n" + names.map { $0 + "\n" }.joined(),
            to: "\(dataFolder)/pg_ident.conf",
            owner: account)
    }

    /// Sets a random password while no server runs, and stores it in the file. If it is killed in between, the
    /// next call does not find the file and sets another one.
    private func makeSecret(_ binaries: Binaries) throws(ClusterError) {
        var generator = SystemRandomNumberGenerator()
        let secret = (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        let script = "\(passFile).sql"
        try writeText(
            "alter role \(quoted(Cluster.superuser)) password '\(secret)'\n", to: script,
            owner: account)
        defer { unlink(script) }
        let alone = Child(
            path: "/bin/sh",
            arguments: [
                "-c",
                "exec \"$0\" --single -c password_encryption=scram-sha-256 -D \"$1\" postgres <\"$2\"",
                binaries.postgres, dataFolder, script,
            ], folder: dataFolder, account: account)
        let (status, output) = try alone.run()
        guard status == 0, !output.contains("ERROR:"), !output.contains("FATAL:") else {
            throw .notStarted(log: logFile, output: output)
        }
        try writeText(
            "*:*:*:\(Cluster.superuser):\(secret)\n", to: passFile, owner: account)
    }

    private func quoted(_ name: String) -> String {
        "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}
