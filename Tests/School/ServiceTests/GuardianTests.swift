import Testing

@testable import Server
@testable import ServerKit

@Suite struct Guardians {
    private let second: Int64 = 1_000_000_000

    @Test func `pauses grow with each failure, to half a minute`() {
        var pause = GrowingPause()
        var pauses: [Int] = []
        for moment in 1...10 {
            pauses.append(pause.milliseconds)
            pause.note(hasFailed: true, at: Int64(moment) * second)
        }
        #expect(pauses == [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
    }

    @Test func `pauses start over after a minute of stable running`() {
        var pause = GrowingPause()
        pause.note(hasFailed: true, at: 100 * second)
        pause.note(hasFailed: false, at: 101 * second)
        #expect(pause.milliseconds == 400)
        pause.note(hasFailed: false, at: 161 * second)
        #expect(pause.milliseconds == 200)
    }
}

@Suite struct FreeSpaces {
    @Test(arguments: [
        (100, 1_000_000, true, true), (300, 1_000_000, true, false),
        (3000, 1_000_000, false, false), (300, 2000, false, false), (257, 10_000, true, false),
    ])
    func `too little free space is a warning, and next to none an error`(
        freeMiB: Int, totalMiB: Int, isLow: Bool, isFull: Bool
    ) {
        let space = FreeSpace(free: freeMiB << 20, total: totalMiB << 20)
        #expect(space.isLow == isLow)
        #expect(space.isFull == isFull)
    }

    @Test func `a folder that does not exist yet has the free space of its parent`() throws {
        let root = try #require(FreeSpace(at: "/"))
        let missing = try #require(FreeSpace(at: "/no-such-folder/below"))
        #expect(missing.total == root.total)
        #expect(root.total > 0 && root.free <= root.total)
    }
}
