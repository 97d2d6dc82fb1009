import AloneKit
import ClassKitUplink
import Foundation
import Glibc
import Testing

@testable import ClassKit

/// Processes that are killed while they work.
@Suite(.alone) struct CrashTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// The data of the app, as the next process finds it.
    private func store() throws -> CLSDataStore {
        let variables = ["XDG_DATA_HOME": folder.url.path]
        return CLSDataStore(
            settings: StoreSettings(
                bundleID: "org.example.crash", title: "App",
                folder: SignIn.folder(bundleID: "org.example.crash", variables: variables),
                subject: FixedToken(text: "token").subject))
    }

    /// Runs an app that works for a second, and kills it after a while.
    /// - Returns: the last step that the app saw saved.
    private func work(killingAfter milliseconds: UInt32) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("classkit-acceptance")
        process.arguments = ["work", "1"]
        process.environment = [
            "CLASSKIT_SERVER": "http://127.0.0.1:9", "CLASSKIT_BUNDLE": "org.example.crash",
            "CLASSKIT_TOKEN": "token", "XDG_DATA_HOME": folder.url.path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The first line says that it has opened its store.
        var printed = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        usleep(milliseconds * 1000)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        printed += String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let steps = printed.split(separator: "\n").filter { $0.hasPrefix("saved ") }
        return steps.last.flatMap { Int($0.dropFirst(6)) } ?? 0
    }

    @Test func `what was saved is there, wherever the process was killed`() async throws {
        var id: UUID?
        var most = 0
        for milliseconds: UInt32 in [1, 7, 13, 29, 53, 97, 181, 331] {
            most = max(most, try work(killingAfter: milliseconds))
            let store = try store()
            let quiz = try await store.mainAppContext.find("quiz")
            guard let activity = quiz.currentActivity else {
                #expect(most == 0)
                continue
            }
            #expect(id == nil || activity.id == id, "the attempt goes on")
            id = activity.id
            // The last save may be done although the process did not live to say so.
            let steps = Int((activity.progress * 100).rounded())
            #expect(steps >= most && steps <= most + 1, "\(steps) of \(most)")
            most = steps
            #expect(!activity.isStarted)
            let rows = try store.executor.sync {
                try store.opened().sql.rows("pragma integrity_check") { $0.text(0) }
            }
            #expect(rows == ["ok"])
            #expect(try store.queue().count == 2)
        }
        #expect(most > 0)
    }
}
