import Archive
import Foundation
import RandomKit
import Testing
import Values

@Suite struct Zip {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test(arguments: seeds(0..<20))
    func `packed files unpack unchanged`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let files = [0, 1, 100, 70_000, 200_000].map { length in
            ("file-\(length).csv", dice.compressible(length))
        }
        let reader = try ZipReader(path: try packed(files))
        #expect(reader.entries.map(\.name) == files.map(\.0))
        #expect(reader.entries.map(\.size) == files.map(\.1.count))
        for (name, content) in files {
            #expect(try reader.read(try #require(reader[name])) == content)
        }
        #expect(reader["absent.csv"] == nil)
    }

    @Test func `the same content gives the same bytes`() throws {
        let files = [("a.csv", Array("one".utf8)), ("ö.csv", Array("two".utf8))]
        let one = try content(ofFile: try packed(files, as: "one.zip"))
        let two = try content(ofFile: try packed(files, as: "two.zip"))
        #expect(one == two)
        #expect(try ZipReader(path: folder.path + "/one.zip").entries.map(\.name) == files.map(\.0))
    }

    @Test(arguments: seeds(1..<2))
    func `a file is unpacked in pieces of the size asked for`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let whole = dice.compressible(100_000)
        let reader = try ZipReader(path: try packed([("a", whole)]))
        let stream = try reader.stream(reader.entries[0], chunkSize: 1000)
        var pieces: [[UInt8]] = []
        while let piece = try stream.next() { pieces.append(piece) }
        #expect(pieces.allSatisfy { $0.count <= 1000 })
        #expect(pieces.flatMap { $0 } == whole)
        #expect(try stream.next() == nil)
    }

    @Test func `an archive that is not closed is not written`() throws {
        let path = folder.path + "/never.zip"
        do {
            let writer = try ZipWriter(path: path)
            try writer.add("a", [1])
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a name can be packed once`() throws {
        let writer = try ZipWriter(path: folder.path + "/twice.zip")
        try writer.add("a", [1])
        let error = #expect(throws: ArchiveError.self) { try writer.add("a", [2]) }
        #expect(error?.code == .duplicateName)
    }

    @Test func `reading a whole file has a limit`() throws {
        let reader = try ZipReader(path: try packed([("a", [1, 2, 3])]))
        #expect(try reader.read(reader.entries[0], limit: 3).count == 3)
        let error = #expect(throws: ArchiveError.self) {
            try reader.read(reader.entries[0], limit: 2)
        }
        #expect(error == refusal { try reader.read(reader.entries[0], limit: 2) })
        #expect(error?.code == .tooLarge)
        #expect(error?.entry == "a")
    }

    @Test func `the archive of a district is read`() throws {
        let path = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent()
            .appendingPathComponent("../../data/grand-bend-apple.zip").path
        let reader = try ZipReader(path: path)
        let names = reader.entries.map(\.name).sorted()
        #expect(
            names == [
                "classes.csv", "courses.csv", "locations.csv", "rosters.csv", "staff.csv",
                "students.csv",
            ])
        for entry in reader.entries { #expect(try reader.read(entry).count == entry.size) }
    }

    private func packed(
        _ files: [(String, [UInt8])], as name: String = "packed.zip"
    ) throws -> String {
        let writer = try ZipWriter(path: folder.path + "/" + name)
        for (name, content) in files { try writer.add(name, content) }
        try writer.close()
        return folder.path + "/" + name
    }
}

/// The error an archive is refused with, or `nil`.
func refusal<T>(_ body: () throws -> T) -> ArchiveError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? ArchiveError
    }
}
