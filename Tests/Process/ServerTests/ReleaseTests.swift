import Crypto
import Foundation
import JSONBytes
import Postgres
import Server
import TestKit
import Testing

@testable import ServerKit

/// A release stays unchanged, and every release can be upgraded (`SQL/README.md`).
@Suite struct Releases {
    @Test func `released migrations are there, unchanged and before all others`() throws {
        let definitions = try DefinitionsCopy()
        defer { definitions.discard() }
        #expect(try Released(definitions).complaints(definitions) == [])
    }

    @Test(arguments: [
        ("migrations/0003_access.sql", "-- a word more\n", "0003_access.sql was changed"),
        ("migrations/0003_access.sql", nil, "0003_access.sql is missing"),
        ("migrations/0002_between.sql", "select 1;\n", "0002_between.sql comes before"),
    ])
    func `a released migration that changes is found`(
        file: String, text: String?, complaint: String
    ) throws {
        let definitions = try DefinitionsCopy()
        defer { definitions.discard() }
        if let text {
            let before = try? definitions.read(file)
            try definitions.write((before ?? "") + text, to: file)
        } else {
            try definitions.remove(file)
        }
        let complaints = try Released(definitions).complaints(definitions)
        #expect(complaints.count == 1)
        #expect(complaints.allSatisfy { $0.contains(complaint) }, "\(complaints)")
    }

    @Test func `the database of every release is kept`() throws {
        let definitions = try DefinitionsCopy()
        defer { definitions.discard() }
        let folder = URL(filePath: TestDatabase.release("0")).deletingLastPathComponent().path
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(
            try kept.sorted() == Released(definitions).versions.map { "\($0).dump.gz" }.sorted())
    }

    /// Tables that have another name today.
    private static let renamed = ["password_reset": "sign_in_change"]

    @Test(arguments: Released.all)
    func `an upgraded database of a release equals a new one`(version: String) async throws {
        let databases = try TestDatabase.shared()
        let upgraded = try await RestoredRelease(version, in: databases)
        defer { databases.drop(upgraded.name) }
        let before = try upgraded.counts()
        let files = try upgraded.files()
        #expect(before["person"] ?? 0 > 5 && before["activity_part"] ?? 0 > 0)
        let homeroom = Homeroom(
            databaseURL: databases.url(upgraded.name, user: "school_server"),
            migrationURL: databases.url(upgraded.name, user: nil))
        for words in [["migrate"], ["migrate", "--whole"]] {
            let run = try await homeroom.run(words)
            #expect(run.status == 0, "\(run.complaints)")
        }
        let after = try upgraded.counts()
        #expect(
            before.allSatisfy { after[Self.renamed[$0.key] ?? $0.key] == $0.value },
            "\(before) \(after)")
        // Nobody can use a table while it is written anew. Contexts got numbers, each its own.
        let moved = try upgraded.files().filter { files[$0.key] ?? $0.value != $0.value }
        #expect(Set(moved.keys).isSubset(of: ["context"]), "\(moved)")
        try withEmptyDatabase { new in
            _ = try new.migrate()
            #expect(try Self.lasting(upgraded.shape()) == Self.lasting(new.shape()))
        }
        let doctor = try await homeroom("doctor", "--json")
        let findings = try #require(doctor.json["deployment"]?["findings"]?.array)
        // The database of the tests is not durable, and what waited in the kept one is late by now: uploads, and
        // audit events without a seal.
        let codes = Set(findings.compactMap { $0["code"]?.text })
        #expect(
            codes.isSubset(of: ["not_durable", "uploads_are_late", "upkeep_is_late"]),
            "\(doctor.output)")
        #expect(doctor.json["organizations"]?.array?.isEmpty == false)
    }

    /// Without the partitions of audit events: a database has those of the months in which it was used.
    private static func lasting(_ shape: String) -> [Substring] {
        shape.split(separator: "\n").filter { !$0.contains("audit_event_2") }
    }
}

/// `SQL/released`: the versions, and the digests of their migrations.
struct Released {
    private(set) var versions: [String] = []
    private var digests: [String: String] = [:]

    static let all: [String] = (try? Released(TestDatabase.sqlFolder + "/released").versions) ?? []

    init(_ definitions: DefinitionsCopy) throws {
        try self.init("\(definitions.folder)/released")
    }

    private init(_ path: String) throws {
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            if let version = line.wholeMatch(of: /# ([0-9.]+)/)?.1 {
                versions.append(String(version))
            } else if let entry = line.wholeMatch(of: /([0-9a-f]{64})  (migrations\/\S+)/) {
                digests[String(entry.2)] = String(entry.1)
            } else if !line.hasPrefix("#") {
                throw CocoaError(.fileReadCorruptFile)
            }
        }
    }

    /// Whether every migration is part of a release.
    func hasAll(_ migrations: [String]) -> Bool { migrations.allSatisfy { digests[$0] != nil } }

    /// Which released migrations have changed.
    func complaints(_ definitions: DefinitionsCopy) throws -> [String] {
        let names = definitions.names(in: "migrations")
        let last = digests.keys.max() ?? ""
        let early = names.filter { digests[$0] == nil && $0 < last }
        let missing = digests.keys.filter { !names.contains($0) }
        let changed = try names.filter { name in
            guard let digest = digests[name] else { return false }
            let bytes = Array(try definitions.read(name).utf8)
            let digits = SHA256.digest(bytes).bytes.map { String(format: "%02x", $0) }
            return digits.joined() != digest
        }
        return early.map { "\($0) comes before what was released" }
            + missing.map { "\($0) is missing" } + changed.map { "\($0) was changed" }
    }
}
