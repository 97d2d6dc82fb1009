import Exports
import Foundation
import Postgres
import School
import TestKit
import Testing

@Suite struct DurableExports {
    @Test func `every file and its folder are on disk before the folder appears`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                try school.attempt(.sam, at: given, hour: 8, score: 4)
                let (folder, events) = try WrittenThrough.events(below: root) {
                    try school.export(root, "2026-03-02")
                }
                let parent = "\(root)/\(school.hillside.uuid)"
                let aside = "\(parent)/.2026-03-02.partial"
                #expect(folder == "\(parent)/2026-03-02")
                let appears = try #require(
                    events.firstIndex(of: .rename(aside, to: folder)))
                let listed = events[..<appears].lastIndex(of: .sync(aside, bytes: nil))
                #expect(listed != nil, "the folder was not synced before it appeared")
                let names = try fileNames(folder)
                #expect(names.count == 15)
                for name in names {
                    let bytes = try content(name, in: folder).count
                    let synced = events.firstIndex(of: .sync("\(aside)/\(name)", bytes: bytes))
                    #expect(synced != nil, "\(name) was not synced with everything in it")
                    #expect(
                        synced.map { $0 < listed ?? appears } == true,
                        "\(name) was synced after its folder")
                }
                #expect(
                    events[appears...].contains(.sync(parent, bytes: nil)),
                    "the appearance of the folder was not synced")
            }
        }
    }
}
