import Archive
import Foundation
import RandomKit
import Testing
import Values

@Suite struct HostileZip {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test func `a handmade archive without lies is read`() throws {
        let zip = HandmadeZip(files: [.init("a.csv", "one"), .init("b.csv", "two")])
        let reader = try ZipReader(path: try folder.file("a.zip", zip.bytes))
        #expect(
            try reader.entries.map { try reader.read($0) } == [
                Array("one".utf8), Array("two".utf8),
            ])
    }

    @Test(arguments: [
        ("../a.csv", ArchiveError.Code.unsafeName), ("a/../../b", .unsafeName),
        ("/etc/passwd", .unsafeName),
        ("..", .unsafeName), (".", .unsafeName), ("a\\b.csv", .unsafeName), ("..\\a", .unsafeName),
        ("a\nb", .unsafeName), ("a//b", .unsafeName), ("/", .unsafeName),
        (String(repeating: "x", count: 256), .unsafeName), ("a/b.csv", .folder), ("a/", .folder),
    ])
    func `a name that leads outside is refused`(name: String, code: ArchiveError.Code) throws {
        let path = try folder.file("a.zip", HandmadeZip(files: [.init(name)]).bytes)
        #expect(refusal { try ZipReader(path: path) }?.code == code)
        #expect(refusal { try ZipReader(path: path) }?.entry == name)
    }

    @Test func `folders are read where they are allowed, but never escaped`() throws {
        var limits = ArchiveLimits()
        limits.allowsFolders = true
        let zip = HandmadeZip(files: [.init("a/", ""), .init("a/b.csv", "one")])
        let reader = try ZipReader(path: try folder.file("a.zip", zip.bytes), limits: limits)
        #expect(reader.entries.map(\.name) == ["a/b.csv"])
        let climbing = try folder.file("b.zip", HandmadeZip(files: [.init("a/../../b")]).bytes)
        #expect(refusal { try ZipReader(path: climbing, limits: limits) }?.code == .unsafeName)
    }

    @Test func `two files with one name are refused`() throws {
        let zip = HandmadeZip(files: [.init("a"), .init("b"), .init("a")])
        let path = try folder.file("a.zip", zip.bytes)
        #expect(refusal { try ZipReader(path: path) }?.code == .duplicateName)
    }

    @Test func `encrypted and oddly compressed files are refused`() throws {
        var encrypted = HandmadeZip.File("a", String(repeating: "x", count: 40))
        encrypted.flags = 1
        var odd = HandmadeZip.File("b")
        odd.method = 12
        let one = try folder.file("a.zip", HandmadeZip(files: [encrypted]).bytes)
        let two = try folder.file("b.zip", HandmadeZip(files: [odd]).bytes)
        #expect(refusal { try ZipReader(path: one) }?.code == .encrypted)
        #expect(refusal { try ZipReader(path: two) }?.code == .unsupportedCompression)
    }

    @Test func `a wrong checksum is detected, and the file named`() throws {
        var file = HandmadeZip.File("b.csv", "content")
        file.checksum = 12345
        let path = try folder.file("a.zip", HandmadeZip(files: [.init("a.csv"), file]).bytes)
        let reader = try ZipReader(path: path)
        #expect(throws: Never.self) { try reader.read(reader.entries[0]) }
        let error = refusal { try reader.read(reader.entries[1]) }
        #expect(error?.code == .wrongChecksum)
        #expect(error?.entry == "b.csv")
    }

    @Test(arguments: [3, 5_000])
    func `a file longer or shorter than declared is refused`(announced: Int) throws {
        var file = HandmadeZip.File("a", String(repeating: "x", count: 1000))
        file.size = announced
        let path = try folder.file("a.zip", HandmadeZip(files: [file]).bytes)
        #expect(
            refusal {
                let reader = try ZipReader(path: path)
                return try reader.read(reader.entries[0])
            } != nil)
    }

    @Test func `a bomb is refused before it is unpacked`() throws {
        let path = try bomb(megabytes: 10)
        #expect(refusal { try ZipReader(path: path) }?.code == .compressedTooMuch)
        #expect(throws: Never.self) { try ZipReader(path: try bomb(megabytes: 1)) }
    }

    @Test func `a bomb that lies about its size is defused`() throws {
        var bytes = try content(ofFile: try bomb(megabytes: 10))
        let announced = number(10 * 1024 * 1024, 4)
        var lies = 0
        for position in 0..<bytes.count - 4 where Array(bytes[position..<position + 4]) == announced
        {
            bytes.replaceSubrange(position..<position + 4, with: number(1000, 4))
            lies += 1
        }
        #expect(lies == 2, "the local header and the directory both state the size")
        let reader = try ZipReader(path: try folder.file("lie.zip", bytes))
        #expect(reader.entries[0].size == 1000)
        let stream = try reader.stream(reader.entries[0])
        var unpacked = 0
        let error = refusal { while let piece = try stream.next() { unpacked += piece.count } }
        #expect(error?.entry == "zeros")
        #expect(unpacked <= 1000)
    }

    @Test func `all files together have a limit`() throws {
        var limits = ArchiveLimits()
        limits.totalSize = 5
        let zip = HandmadeZip(files: [.init("a", "123"), .init("b", "456")])
        let path = try folder.file("a.zip", zip.bytes)
        let error = refusal { try ZipReader(path: path, limits: limits) }
        #expect(error?.code == .tooLarge)
        #expect(error?.entry == "b")
    }

    @Test func `files that share their content are refused`() throws {
        var files = (0..<5).map { _ in HandmadeZip.File("a", String(repeating: "x", count: 5000)) }
        for index in 1..<5 {
            files[index].name = Array("\(index)".utf8)
            files[index].sharesFirst = true
        }
        let path = try folder.file("a.zip", HandmadeZip(files: files).bytes)
        #expect(refusal { try ZipReader(path: path) }?.code == .damaged)
    }

    @Test func `too many files are refused, declared or real`() throws {
        var limits = ArchiveLimits()
        limits.entries = 3
        var zip = HandmadeZip(files: (0..<3).map { .init("\($0)") })
        #expect(
            try ZipReader(path: try folder.file("a.zip", zip.bytes), limits: limits).entries.count
                == 3)
        zip.files.append(.init("3"))
        let real = try folder.file("b.zip", zip.bytes)
        #expect(refusal { try ZipReader(path: real, limits: limits) }?.code == .tooManyEntries)
        zip.announcedCount = 1
        let hidden = try folder.file("c.zip", zip.bytes)
        #expect(refusal { try ZipReader(path: hidden, limits: limits) } != nil)
        zip.announcedCount = 60_000
        let boast = try folder.file("d.zip", zip.bytes)
        #expect(refusal { try ZipReader(path: boast) }?.code == .tooManyEntries)
    }

    @Test func `a directory hidden far from the end is refused`() throws {
        let zip = HandmadeZip(files: [.init("a", String(repeating: "x", count: 100_000))])
        var bytes = zip.bytes
        let boast =
            number(0x0606_4B50, 4) + number(44, 8) + number(45, 2) + number(45, 2)
            + number(0, 8) + number(1 << 40, 8) + number(1 << 40, 8) + number(46, 8) + number(0, 8)
        bytes.replaceSubrange(100..<100 + boast.count, with: boast)
        let locator = number(0x0706_4B50, 4) + number(0, 4) + number(100, 8) + number(1, 4)
        bytes.insert(contentsOf: locator, at: bytes.count - 22)
        let path = try folder.file("a.zip", bytes)
        #expect(refusal { try ZipReader(path: path) }?.code == .damaged)
    }

    @Test func `an entry that is not a file and bytes that are not an archive are refused`() throws
    {
        #expect(refusal { try ZipReader(path: folder.path + "/absent") }?.code == .notReadable)
        #expect(refusal { try ZipReader(path: folder.path) }?.code == .notReadable)
        let empty = try folder.file("empty", [])
        let text = try folder.file("text", Array("person_id,first_name\n".utf8))
        #expect(refusal { try ZipReader(path: empty) } != nil)
        #expect(refusal { try ZipReader(path: text) }?.code == .notAnArchive)
    }

    @Test func `an archive cut short is refused at every byte`() throws {
        let bytes = HandmadeZip(files: [.init("a.csv", "one"), .init("b.csv", "two")]).bytes
        for end in 0..<bytes.count {
            let path = try folder.file("cut.zip", Array(bytes[..<end]))
            #expect(refusal { try ZipReader(path: path) } != nil, "cut at \(end)")
        }
    }

    @Test(arguments: seeds(0..<50))
    func `a damaged archive is refused or yields what its checksums say`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let contents = ["first content", "second content"]
        var bytes = HandmadeZip(files: [.init("a", contents[0]), .init("b", contents[1])]).bytes
        dice.damage(&bytes, upTo: 4)
        let path = try folder.file("damaged.zip", bytes)
        do throws(ArchiveError) {
            let reader = try ZipReader(path: path)
            for entry in reader.entries {
                let content = String(decoding: try reader.read(entry), as: UTF8.self)
                #expect(contents.contains(content))
            }
        } catch {
            #expect(!error.code.sentence.isEmpty)
        }
    }

    private func bomb(megabytes: Int) throws -> String {
        let path = folder.path + "/bomb-\(megabytes).zip"
        let writer = try ZipWriter(path: path)
        try writer.add("zeros", [UInt8](repeating: 0, count: megabytes * 1024 * 1024))
        try writer.close()
        return path
    }
}
