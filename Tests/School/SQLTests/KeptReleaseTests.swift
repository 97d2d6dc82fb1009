import Foundation
import TestKit
import Testing

/// Keeps the database of a release for `ServerTests.Releases`; `deploy/developer/freeze` calls it.
@Suite struct KeptRelease {
    private static let version = ProcessInfo.processInfo.environment["HOMEROOM_FREEZE"]

    /// At least one row of everything, without the names that these tests give to ids.
    @Test(.enabled(if: version != nil))
    func `the populated school is kept as the database of the release`() async throws {
        let version = try #require(Self.version)
        try await withPopulatedSchool { populated in
            try populated.school.removeClock()
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = [
                "-c", "\"$1\" $3 --dbname \"$2\" | gzip -9n > \"$0\"",
                TestDatabase.release(version), try TestDatabase.program("pg_dump"),
                populated.school.ownerURL,
                "-Fc -Z0 --schema=school --schema=school_extension --extension=pg_trgm",
            ]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }
}
