import AloneKit
import Foundation
import Glibc
import NotifyKit
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// What commands do while the database is away: its socket does not exist yet.
@Suite struct DatabaseAbsentAtStart {
    @Test(.alone) func `the service waits for its database and says so`() async throws {
        try await withSchool { school in
            let away = try AbsentSocket()
            let listener = NotifyListener(isAbstract: true)
            let homeroom = away.homeroom(over: school).with("HOMEROOM_LOG", "off")
            let process = homeroom.process(["serve", "--listen", "127.0.0.1:0"])
            process.environment?["NOTIFY_SOCKET"] = listener.path
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer { kill(process.processIdentifier, SIGKILL) }
            let words = try await onThread {
                var words: [String] = []
                while words.count < 20, let word = listener.next() {
                    words.append(word)
                    if word.contains("Waits for the database.") { try away.appear() }
                    if word.hasPrefix("READY=1") { break }
                }
                return words
            }
            #expect(
                words.contains("EXTEND_TIMEOUT_USEC=30000000\nSTATUS=Waits for the database."))
            #expect(words.last?.hasPrefix("READY=1") == true, "\(words)")
            process.terminate()
            #expect(try await onThread { listener.next()?.hasPrefix("STOPPING=1") == true })
        }
    }

    @Test(.alone) func `the service can be stopped while it waits`() async throws {
        try await withSchool { school in
            let listener = NotifyListener(isAbstract: true)
            let process = try AbsentSocket().homeroom(over: school)
                .process(["serve", "--listen", "127.0.0.1:0"])
            process.environment?["NOTIFY_SOCKET"] = listener.path
            async let run = Homeroom.finish(process)
            let waits = try await onThread {
                while let word = listener.next() {
                    if word.contains("Waits for the database.") { return true }
                }
                return false
            }
            #expect(waits)
            process.terminate()
            let ended = try await run
            #expect(ended.status == 0)
            #expect(ended.complaints.hasSuffix("Homeroom stops.\n"))
        }
    }

    @Test(.alone) func `an export waits for its database, and does its work`() async throws {
        try await withSchool { school in
            let away = try AbsentSocket()
            let root = "/tmp/export-\(Foundation.UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: root) }
            async let run = away.homeroom(over: school)("export", "--out", root)
            try await Task.sleep(for: .milliseconds(1500))
            try away.appear()
            let ended = try await run
            #expect(ended.status == 0, "\(ended.complaints)")
            #expect(ended.output.contains(school.hillside.uuid.description))
        }
    }

    @Test func `a refusal that waiting does not change is reported soon`() async throws {
        try await withSchool { school in
            for url in [school.ownerURL + " dbname=nowhere", "host=/tmp banana=1"] {
                let refused = try await Homeroom(databaseURL: url)(
                    "serve", "--listen", "127.0.0.1:0")
                #expect(refused.status == 1)
                #expect(refused.complaints.contains(url.contains("banana") ? "banana" : "nowhere"))
            }
        }
    }
}

/// A location for the socket of a PostgreSQL that is already running, where nothing sees it yet.
final class AbsentSocket: Sendable {
    private let folder: String
    private static let name = ".s.PGSQL.5432"

    init() throws {
        var template = Array((NSTemporaryDirectory() + "away-XXXXXX").utf8CString)
        folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        // The service that root starts looks into it as another account.
        chmod(folder, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The command over that school's database, through the socket that is absent.
    func homeroom(over school: TestSchool) -> Homeroom {
        Homeroom(databaseURL: school.ownerURL + " host='\(folder)' user=school_server")
    }

    /// From now on the database is there.
    func appear() throws {
        let link = "\(folder)/\(Self.name)"
        guard access(link, F_OK) != 0 else { return }
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: "\(try TestDatabase.shared().socketFolder)/\(Self.name)")
    }
}
