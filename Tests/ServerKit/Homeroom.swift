import Crypto
import Foundation
import Glibc
import JSONBytes
import TestKit
import Testing

/// The built executable, run like from a terminal.
struct Homeroom {
    /// What a call printed, and how it ended.
    struct Run {
        let status: Int32
        let output: String
        let complaints: String

        var json: JSONValue { (try? JSONValue(parsing: Array(output.utf8))) ?? .null }
    }

    /// Of this run alone: the doctor reads the exports in it.
    private static let dataFolder = FileManager.default.temporaryDirectory
        .appending(path: "homeroom-data-\(getpid())").path

    /// The account that runs it, if the tests are root; PostgreSQL refuses to run as root.
    var account: String?
    var environment: [String: String] = [:]

    /// Over an external database.
    init(databaseURL: String, migrationURL: String? = nil) {
        environment["HOMEROOM_DATABASE_URL"] = databaseURL
        environment["HOMEROOM_MIGRATION_URL"] = migrationURL
        if let account = TestDatabase.account {
            environment["HOMEROOM_ACCOUNT"] = account
            environment["HOMEROOM_DATA"] = Self.dataFolder
        }
    }

    /// Over the private database of a folder.
    init(dataFolder: String) {
        environment["HOMEROOM_DATA"] = dataFolder
        account = geteuid() == 0 ? "nobody" : nil
    }

    /// The same with one more variable.
    func with(_ variable: String, _ value: String) -> Homeroom {
        var homeroom = self
        homeroom.environment[variable] = value
        return homeroom
    }

    func callAsFunction(_ arguments: String...) async throws -> Run {
        try await run(arguments)
    }

    func run(_ arguments: [String]) async throws -> Run {
        try await Homeroom.finish(process(arguments))
    }

    /// The process that runs it, not started yet.
    func process(_ arguments: [String]) -> Process {
        let process = Process()
        let words = [Homeroom.executable] + arguments
        if let account {
            process.executableURL = URL(filePath: "/usr/sbin/runuser")
            process.arguments = ["-u", account, "--"] + words
        } else {
            process.executableURL = URL(filePath: words[0])
            process.arguments = Array(words.dropFirst())
        }
        process.environment = variables
        // What outlives its test must not hold up what reads the output of the tests.
        process.standardOutput = FileHandle.nullDevice
        return process
    }

    /// What the command finds in its environment.
    var variables: [String: String] {
        var variables = environment
        variables["HOMEROOM_SQL"] = environment["HOMEROOM_SQL"] ?? TestDatabase.sqlFolder
        variables["HOMEROOM_PASSWORD_COST"] =
            environment["HOMEROOM_PASSWORD_COST"] ?? PasswordCost.ofTests.description
        variables["PATH"] = ProcessInfo.processInfo.environment["PATH"]
        return variables
    }

    /// Starts a process and reads what it prints until it ends.
    static func finish(_ process: Process) async throws -> Run {
        let output = Pipe()
        let complaints = Pipe()
        process.standardOutput = output
        process.standardError = complaints
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        try process.run()
                        let printed = output.fileHandleForReading.readDataToEndOfFile()
                        let complained = complaints.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        return Run(
                            status: process.terminationStatus,
                            output: String(decoding: printed, as: UTF8.self),
                            complaints: String(decoding: complained, as: UTF8.self))
                    })
            }
        }
    }

    /// `homeroom` beside the executable of the tests.
    static let executable: String = {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appending(path: "homeroom").path
    }()
}

extension TestSchool {
    /// The command over the database of this school, as the server's login.
    var homeroom: Homeroom { Homeroom(databaseURL: ownerURL + " user=school_server") }
}
