import Records
import Testing

@testable import Server

/// A minor update of PostgreSQL leaves the old program running until the service restarts.
@Suite struct InstalledVersions {
    @Test func `the doctor says that the program that runs is not the one that is installed`() {
        var diagnosis = Diagnosis()
        diagnosis.note(running: "15.14 (Debian 15.14-0)", installed: "15.16 (Debian 15.16-0)")
        let found = diagnosis.findings.first { $0.code == "postgresql_updated" }
        #expect(
            found?.text
                == "PostgreSQL 15.14 (Debian 15.14-0) is running, and 15.16 (Debian 15.16-0) is installed."
        )
        #expect(found?.severity == .warning && found?.advice.contains("restart") == true)
        var same = Diagnosis()
        same.note(running: "15.14", installed: "15.14")
        same.note(running: "15.14", installed: nil)
        #expect(
            same.findings.isEmpty && same.passed == ["postgresql_updated", "postgresql_updated"])
    }
}
