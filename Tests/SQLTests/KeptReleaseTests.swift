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
            let process = Process()
            process.executableURL = URL(filePath: try TestDatabase.program("pg_dump"))
            process.arguments = [
                "--dbname", populated.school.ownerURL, "--format=custom", "--compress=9",
                "--schema=school", "--schema=school_extension", "--extension=pg_trgm",
                "--file", TestDatabase.release(version),
            ]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }
}
