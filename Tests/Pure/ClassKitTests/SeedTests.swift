import AloneKit
import Foundation
import Testing

/// The code that ClassKit was presented with, in an app on the main actor.
@Suite struct SeedTests {
    /// A handler or delegate that were taken for code of the main actor would end the app: ClassKit calls both on
    /// threads of its own.
    @Test(arguments: ["classkit-seeds-5", "classkit-seeds", "classkit-seeds-main"])
    func `apps run in either language mode, and where the main actor is the default`(
        program: String
    ) throws {
        let folder = try TestFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(program)
        process.environment = [
            "CLASSKIT_SERVER": "http://127.0.0.1:9", "CLASSKIT_BUNDLE": "org.example.seeds",
            "CLASSKIT_TOKEN": "token", "XDG_DATA_HOME": folder.url.path,
            "SWIFT_BACKTRACE": "enable=no",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        #expect(
            printed.split(separator: "\n") == [
                "quizzes addition-quiz multiplication-quiz", "saved true", "runs true",
                "progress 0.5", "stopped true", "active addition-quiz", "begun true", "score 1.0",
                "provided well", "found Chapter 1, Section 2", "lesson 2_swift", "document false",
            ])
    }
}
