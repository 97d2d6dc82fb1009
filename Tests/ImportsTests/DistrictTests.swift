import Foundation
import HTTPWire
import JSONBytes
import TestKit
import Testing

/// A real district, where the checkout has the archive beside it.
@Suite struct District {
    static let path = "../shared/data/grand-bend-apple.zip"

    static var archive: [UInt8]? {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return FileManager.default.contents(atPath: "/\(folder)/\(path)").map { Array($0) }
    }

    @Test(.enabled(if: District.archive != nil))
    func `all of it arrives, and the same archive changes nothing the second time`() async throws {
        try await withSchool { school in
            let archive = try #require(District.archive)
            let first = try await school.importArchive(archive)
            #expect(first.status == "succeeded")
            #expect(first.errorLines == [])
            #expect(first.counts("locations.csv") == [3, 0, 0, 0])
            #expect(first.counts("students.csv") == [960, 0, 0, 0])
            #expect(first.counts("staff.csv") == [68, 0, 0, 0])
            #expect(first.counts("courses.csv") == [80, 0, 0, 0])
            #expect(first.counts("classes.csv") == [257, 0, 0, 0])
            #expect(first.counts("rosters.csv") == [5760, 0, 0, 0])

            let second = try await school.importArchive(archive)
            #expect(second.status == "succeeded")
            #expect(second.counts("locations.csv") == [0, 0, 3, 0])
            #expect(second.counts("students.csv") == [0, 0, 960, 0])
            #expect(second.counts("staff.csv") == [0, 0, 68, 0])
            #expect(second.counts("courses.csv") == [0, 0, 80, 0])
            #expect(second.counts("classes.csv") == [0, 0, 257, 0])
            #expect(second.counts("rosters.csv") == [0, 0, 5760, 0])
        }
    }
}
