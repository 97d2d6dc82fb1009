import Foundation
import Glibc
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import ServerKit

/// A device on which apps written with ClassKit run, against a real server.
final class Device: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "device-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a program of `classkit-acceptance` as a person's app until it ends.
    /// - Parameter port: of the server; `nil` without a network.
    /// - Returns: the lines that it printed.
    @discardableResult
    func run(
        _ program: String..., as app: Persona, port: UInt16?
    ) async throws -> [String] {
        let run = try await Homeroom.finish(process(program, app, port))
        #expect(run.status == 0, "\(program): \(run.output)\(run.complaints)")
        return run.output.split(separator: "\n").map(String.init)
    }

    /// Runs one until it has printed a line, and kills it.
    func run(
        _ program: String..., as app: Persona, port: UInt16?, killingAfter line: String
    ) async throws {
        let process = process(program, app, port)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let reader = output.fileHandleForReading
        try await onThread {
            var printed = ""
            while !printed.contains("\(line)\n") {
                let data = reader.availableData
                try #require(!data.isEmpty, "it ended: \(printed)")
                printed += String(decoding: data, as: UTF8.self)
            }
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func process(_ program: [String], _ app: Persona, _ port: UInt16?) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: Homeroom.executable).deletingLastPathComponent()
            .appending(path: "classkit-acceptance")
        process.arguments = program
        process.environment = [
            // Port 9 discards; nothing listens on it.
            "CLASSKIT_SERVER": "http://127.0.0.1:\(port ?? 9)",
            "CLASSKIT_BUNDLE": TestIDs.quizzler, "CLASSKIT_TOKEN": app.token,
            "XDG_DATA_HOME": folder.path, "PATH": "/usr/bin:/bin",
        ]
        return process
    }
}

/// Gives the test a school whose server runs, and a device.
func withDevice(
    _ body: @escaping @Sendable (TestSchool, Device, UInt16) async throws -> Void
) async throws {
    try await withSchool { school in
        let server = try await RunningServer(school.homeroom)
        defer { server.kill() }
        try await body(school, Device(), server.port)
    }
}

extension TestSchool {
    /// What the teacher sees of a student at the only task of a handout, after all uploads were stored.
    func cell(_ handout: GivenHandout, of persona: Persona) async throws -> JSONValue {
        // The server stores them itself: what it has claimed, nobody else can store.
        try await eventually {
            try sql("select count(*) as count from school.upload")[0].int("count") == 0
        }
        let report = try await get("/v1/handouts/\(handout.id.uuid)/report", as: .tom).json
        return report["tasks"]?[0]?["students"]?.array?
            .first { $0["personId"]?.text == persona.personID.uuid.description } ?? nil
    }

    /// The items that the teacher sees, by title, with whether the student's is positive.
    func items(_ handout: GivenHandout, of persona: Persona) async throws -> [String: JSONValue] {
        let report = try await get(
            "/v1/handouts/\(handout.id.uuid)/tasks/\(handout.task.uuid)/items", as: .tom
        ).json
        var items: [String: JSONValue] = [:]
        for item in report["items"]?.array ?? [] {
            let cell = item["students"]?.array?
                .first { $0["personId"]?.text == persona.personID.uuid.description }
            items[item["title"]?.text ?? ""] = cell?["item"] ?? .null
        }
        return items
    }

    /// What the teacher's chooser lists below a context of the app.
    func chooser(_ path: String = "[]") async throws -> [JSONValue] {
        try await get(
            "/v1/catalog/apps/\(quizzler)/contexts?path=\(path)", as: .tom
        ).json["items"]?.array ?? []
    }
}
