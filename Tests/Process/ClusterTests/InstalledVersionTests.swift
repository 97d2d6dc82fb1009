import Testing

@testable import Cluster

/// What the installed programs of PostgreSQL say of themselves.
@Suite struct InstalledVersions {
    @Test func `the installed program says its version`() {
        let output = "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n"
        #expect(Cluster.version(in: output) == "15.14 (Debian 15.14-0+deb12u1)")
        #expect(Cluster.version(in: "postgres: error\n") == nil)
        let major = (15...30).first { Cluster.installedVersion(major: $0) != nil }
        #expect(major != nil, "no PostgreSQL is installed")
        #expect(Cluster.installedVersion(major: 7) == nil)
    }
}
