import Foundation
import Testing

/// A house rule: time is handed in as a `Clock`. What asks the machine by itself can only be tested
/// by waiting.
@Suite struct HandedInTime {
    /// Where the machine is asked, by the beginning of the path, and why.
    private static let askers = [
        ("Foundations/Values/Clock.swift", "makes the clock that is handed in"),
        ("Program/Server/Serving/Serving.swift", "hands it to the service"),
        ("Program/Server/Commands/", "are programs that end at once"),
        ("Program/Server/Backups/BackupHealth.swift", "is part of the command doctor"),
        (
            "Foundations/Log/Log.swift",
            "says when a line was written, whatever time the service goes by"
        ),
        ("Foundations/Crypto/Random.swift", "makes identifiers, which differ because time passes"),
        (
            "Foundations/HTTPServer/Shard.swift",
            "writes the Date of answers and the ids of requests"
        ),
        ("Device/ClassKit", "runs in apps"),
        ("Device/CatalogExport/", "runs where apps are made"),
    ]

    private static let folder: String = {
        let path = (#filePath as String).split(separator: "/").dropLast(4)
        return "/" + path.joined(separator: "/") + "/Sources/"
    }()

    private static func asksTheMachine(_ text: String) -> Bool {
        let ways =
            #/
            CLOCK_REALTIME | linux_epoch_milliseconds | (Clock\. | [cC]lock(:|\ =)\ \.)system\b
            | \bDate(\(\) | \.now) | gettimeofday\( | \btime\(nil\)
            /#
        return text.contains(ways.wordBoundaryKind(.simple))
    }

    /// The paths of all sources that ask, and how many there are in all.
    private static func look() throws -> (asking: [String], count: Int) {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") }
        let asking = try paths.filter {
            asksTheMachine(try String(contentsOfFile: folder + $0, encoding: .utf8))
        }
        return (asking, paths.count)
    }

    @Test func `nothing else asks the machine what time it is`() throws {
        let (asking, count) = try Self.look()
        #expect(count > 800)
        #expect(asking.filter { path in !Self.askers.contains { path.hasPrefix($0.0) } } == [])
        for (path, reason) in Self.askers {
            #expect(asking.contains { $0.hasPrefix(path) }, "\(path) no longer \(reason)")
        }
    }

    @Test(arguments: [
        "clock_gettime(CLOCK_REALTIME, &time)", "let now = Clock.system.now", "let now = Date()",
        "Access(database: database, clock: .system)", "clock: Clock = .system", "Date.now",
        "Foundation.Date()",
        "linux_epoch_milliseconds()",
    ])
    func `each way to ask the machine is found`(line: String) {
        #expect(Self.asksTheMachine(line))
    }

    @Test(arguments: [
        "let now = database.clock.now", "client.system == nil", "HTTPDate.text(now)",
        "loop.now", "ContinuousClock.now",
    ])
    func `a clock that was handed in is not`(line: String) {
        #expect(!Self.asksTheMachine(line))
    }
}
