import Foundation
import HTTPWire
import JSONBytes
import TestKit
import Testing

/// The sample district of `Tests/data`.
@Suite struct District {
    private static func file(_ name: String) throws -> [UInt8] {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return Array(try #require(FileManager.default.contents(atPath: "/\(folder)/data/\(name)")))
    }

    private static func archive() throws -> [UInt8] { try file("grand-bend-apple.zip") }
    private static func oneRoster() throws -> [UInt8] { try file("grand-bend-oneroster-1.1.zip") }

    @Test(arguments: [["apple", "oneRoster"], ["oneRoster", "apple"]])
    func `both formats describe the same school, in either order`(
        order: [String]
    ) async throws {
        try await withSchool { school in
            let archives = try ["apple": District.archive(), "oneRoster": District.oneRoster()]
            var rosters: Set<String> = []
            for name in order + order.prefix(1) {
                let outcome = try await school.importArchive(try #require(archives[name]))
                #expect(outcome.errorLines == [])
                #expect(outcome.status == "succeeded")
                rosters.insert(try school.roster())
            }
            #expect(rosters.count == 1)
            let last = try await school.importArchive(try #require(archives["oneRoster"]))
            #expect(last.counts("orgs.csv").prefix(1) == [0])
            let again = try await school.importArchive(try #require(archives["oneRoster"]))
            #expect(again.counts("users.csv") == [0, 0, 1028, 0])
            #expect(again.counts("classes.csv") == [0, 0, 257, 0])
            #expect(again.counts("enrollments.csv") == [0, 0, 6020, 0])
        }
    }

    @Test func `all of it arrives, and the same archive changes nothing the second time`()
        async throws
    {
        try await withSchool { school in
            let archive = try District.archive()
            let first = try await school.importArchive(archive)
            #expect(first.status == "succeeded")
            #expect(first.errorLines == [])
            #expect(first.counts("locations.csv") == [3, 0, 0, 0])
            #expect(first.counts("students.csv") == [960, 0, 0, 0])
            #expect(first.counts("staff.csv") == [68, 0, 0, 0])
            #expect(first.counts("courses.csv") == [80, 0, 0, 0])
            #expect(first.counts("classes.csv") == [257, 0, 0, 0])
            #expect(first.counts("rosters.csv") == [5760, 0, 0, 0])

            let before = try await school.items("/v1/people?role=student")
            #expect(try await school.sourced("/v1/locations") == 3)
            #expect(before.count(where: \.isOfArchive) == 960)
            #expect(try await school.sourced("/v1/people?role=staff") == 68)
            #expect(try await school.sourced("/v1/courses") == 80)
            let classes = try await school.items("/v1/classes").filter(\.isOfArchive)
            #expect(classes.count == 257)
            #expect(classes.reduce(0) { $0 + ($1["studentIds"]?.array?.count ?? 0) } == 5760)

            let second = try await school.importArchive(archive)
            #expect(second.status == "succeeded")
            #expect(second.counts("locations.csv") == [0, 0, 3, 0])
            #expect(second.counts("students.csv") == [0, 0, 960, 0])
            #expect(second.counts("staff.csv") == [0, 0, 68, 0])
            #expect(second.counts("courses.csv") == [0, 0, 80, 0])
            #expect(second.counts("classes.csv") == [0, 0, 257, 0])
            #expect(second.counts("rosters.csv") == [0, 0, 5760, 0])
            #expect(try await school.items("/v1/people?role=student") == before)
        }
    }
}

extension TestSchool {
    /// All items of a list, over all its pages.
    fileprivate func items(_ path: String) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var token: String?
        repeat {
            let query = token.map { "&pageToken=\($0)" } ?? ""
            let separator = path.contains("?") ? "&" : "?"
            let page = try await get("\(path)\(separator)limit=500\(query)", as: .ada)
            #expect(page.status == 200)
            items += page.json["items"]?.array ?? []
            token = page.json["nextPageToken"]?.text
        } while token != nil
        return items
    }

    /// How many items of a list came from the archive.
    fileprivate func sourced(_ path: String) async throws -> Int {
        try await items(path).count(where: \.isOfArchive)
    }
}

extension JSONValue {
    /// The cast's own school has ids that begin with a letter.
    fileprivate var isOfArchive: Bool {
        self["sourceId"]?.text?.first?.isNumber ?? false
    }
}
