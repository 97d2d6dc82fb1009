extension Cluster {
    /// What the installed program of a major version says of itself, such as `15.14 (Debian 15.14-0+deb12u1)`; `nil` if
    /// it cannot be asked. The server that runs may still be of an earlier minor version.
    package static func installedVersion(major: Int) -> String? {
        guard let binaries = try? Binaries.find(major: major) else { return nil }
        let asking = Child(
            path: binaries.postgres, arguments: ["--version"], folder: "/", account: nil)
        guard let (status, output) = try? asking.run(), status == 0 else { return nil }
        return version(in: output)
    }

    /// The version in `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`.
    static func version(in output: String) -> String? {
        let name = "(PostgreSQL) "
        guard let line = output.split(separator: "\n").last,
            let end = line.firstRange(of: name)?.upperBound
        else { return nil }
        return String(line[end...])
    }
}
