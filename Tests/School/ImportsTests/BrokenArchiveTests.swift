import JSONBytes
import RandomKit
import School
import TestKit
import Testing
import Values

/// Archives damaged at random, from seeds, so that a failure can be repeated.
@Suite struct BrokenArchives {
    @Test(arguments: [TestArchive.small, .oneRoster1, .oneRoster2])
    func `a damaged archive is planned or refused in words, and never breaks the service`(
        archive: TestArchive
    ) async throws {
        try await withSchool { school in
            let before = try school.fingerprint()
            for seed in seeds(1..<11) {
                var dice = SplitMix64(seed: seed)
                let bytes =
                    try seed % 5 == 0
                    ? dice.damaged(archive.bytes()) : dice.damaged(archive).bytes()
                let outcome = try await school.importArchive(bytes, mode: "preview")
                #expect(["planned", "failed"].contains(outcome.status ?? ""), "seed \(seed)")
                #expect(
                    !outcome.errorLines.contains { $0.hasSuffix("internal_error") }, "seed \(seed)")
                #expect((outcome.status == "failed") == !outcome.errorLines.isEmpty)
            }
            #expect(try school.fingerprint() == before)
        }
    }

    /// Where the directory of an archive says a file begins, and where the end record says the directory does.
    @Test func `an archive whose offsets point elsewhere is not an archive`() async throws {
        let archive = TestArchive.small
        try await withSchool { school in
            let bytes = try archive.bytes()
            let offsets =
                positions(of: [0x50, 0x4B, 1, 2], in: bytes).map { $0 + 42 }
                + positions(of: [0x50, 0x4B, 5, 6], in: bytes).map { $0 + 16 }
            #expect(offsets.count > archive.files.count)
            for offset in offsets {
                for lie in [bytes.count - 8, bytes.count + 1000, 0x7FFF_FFFF, 0xFFFF_FFF0] {
                    var lying = bytes
                    for step in 0..<4 { lying[offset + step] = UInt8(lie >> (8 * step) & 0xFF) }
                    let outcome = try await school.importArchive(lying, mode: "preview")
                    #expect(outcome.status == "failed")
                    #expect(
                        outcome.errorLines.allSatisfy { $0.hasSuffix("not_an_archive") },
                        "\(offset): \(lie): \(outcome.errorLines)")
                }
            }
        }
    }

    private func positions(of mark: [UInt8], in bytes: [UInt8]) -> [Int] {
        (0...bytes.count - mark.count).filter { Array(bytes[$0..<$0 + mark.count]) == mark }
    }
}

extension SplitMix64 {
    /// The archive with some characters of one file replaced by characters that files consist of.
    fileprivate mutating func damaged(_ archive: TestArchive) -> TestArchive {
        let junk: [Unicode.Scalar] = [
            ",", ";", "\"", "\\", "\n", "\r", " ", "9", "-", "é", "\u{FEFF}", "\u{7}", "\u{2028}",
        ]
        var archive = archive
        let name = archive.files.keys.sorted().randomElement(using: &self)!
        var scalars = Array(archive.files[name]!.unicodeScalars)
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            scalars[Int.random(in: scalars.indices, using: &self)] = junk.randomElement(
                using: &self)!
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        archive.files[name] = text
        return archive
    }

    /// The bytes with some of them changed, or cut.
    fileprivate mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        damage(&bytes, upTo: 6)
        return Bool.random(using: &self) ? bytes : Array(bytes.dropLast(bytes.count / 3))
    }
}
