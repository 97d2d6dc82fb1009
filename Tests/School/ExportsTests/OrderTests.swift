import AloneKit
import Archive
import Crypto
import Exports
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@Suite("Exports that a call orders")
struct OrderTests {
    /// Orders an export and waits until it is done.
    func order(
        _ school: TestSchool, since: JSONValue? = nil
    ) async throws -> JSONValue {
        let answer = try await school.post(
            "/v1/exports", as: .exporter,
            json: since.map { first -> JSONValue in ["sinceExportId": first["id"] ?? nil] })
        #expect(answer.status == 202)
        let path = try #require(answer.header("Location"))
        return try await done(school, path)
    }

    func done(_ school: TestSchool, _ path: String) async throws -> JSONValue {
        try await awaited(until: { ["succeeded", "failed"].contains($0["status"]?.text) }) {
            try await school.get(path, as: .exporter).json
        }
    }

    func path(_ export: JSONValue, _ file: String) -> String {
        "/v1/exports/\(export["id"]?.text ?? "")/files/\(file)"
    }

    /// The lines of a set as in the file of an export.
    func rows(
        _ school: TestSchool, _ set: String, of export: JSONValue
    ) async throws -> [JSONValue] {
        let file = try await school.get(path(export, "\(set).ndjson.gz"), as: .exporter)
        var packed: [UInt8]? = file.body
        let reader = GzipReader(limit: .max) {
            defer { packed = nil }
            return packed
        }
        var bytes: [UInt8] = []
        while let piece = try reader.next() { bytes += piece }
        return try bytes.split(separator: UInt8(ascii: "\n")).map {
            try JSONValue(parsing: Array($0))
        }
    }

    func withOrders(_ body: (TestSchool) async throws -> Void) async throws {
        try await withSchool { school in
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(school)) } catch { outcome = .failure(error) }
            for row in try school.sql("select organization_id, export_id from school.export") {
                let folder = try "\(row.uuid("organization_id"))/\(row.uuid("export_id"))"
                try? FileManager.default.removeItem(atPath: "/tmp/exports/\(folder)")
            }
            try outcome.get()
        }
    }

    @Test func `an export holds everything, and each file matches its digest`() async throws {
        try await withOrders { school in
            let given = try school.give()
            try school.attempt(.sam, at: given, hour: 8, progress: 0.5)
            try school.attempt(.sam, at: nil, hour: 9)
            let export = try await order(school)
            #expect(export["status"] == "succeeded")
            #expect(export["since"] == .null)
            let files = export["files"]?.array ?? []
            #expect(files.count == 15)
            for file in files {
                let name = try #require(file["name"]?.text)
                let answer = try await school.get(path(export, name), as: .exporter)
                #expect(answer.status == 200)
                #expect(answer.body.count == file["bytes"]?.int64.map { Int($0) })
                #expect(SHA256.digest(answer.body).description == file["sha256"]?.text)
                #expect(answer.header("ETag") == "\"\(file["sha256"]?.text ?? "")\"")
            }
            let events = try school.sql(
                "select token_id from school.audit_event where kind = 'export' and standing = 'exporter'"
            )
            let token = SHA256.digest(Array(Persona.exporter.token.utf8)).description.prefix(16)
            #expect(try events.map { try $0.optionalText("token_id") } == [String(token)])
            let reports = try await rows(school, "activity_reports", of: export)
            #expect(reports.count == 1)
            let manifest = try await school.get(path(export, "manifest.json"), as: .exporter).json
            #expect(manifest["snapshotAt"] == export["snapshotAt"])
            #expect(manifest["isFull"] == true)
        }
    }

    @Test(.alone) func `an export based on another holds what changed since that one`() async throws
    {
        try await withOrders { school in
            let given = try school.give()
            try school.attempt(.sam, at: given, hour: 8)
            try await school.settle()
            let first = try await order(school)
            try await school.settle()
            let attempt = try school.attempt(.sue, at: given, hour: 9)
            let second = try await order(school, since: first)
            #expect(second["since"] == first["snapshotAt"])
            let reports = try await rows(school, "activity_reports", of: second)
            #expect(reports.map { $0["activity_id"]?.text } == [attempt.description])
            let again = try await order(school, since: first)
            #expect(try await rows(school, "activity_reports", of: again).count == 1)
            let nights = try school.sql("select from school.export_snapshot")
            #expect(nights.isEmpty, "the nightly exports continue from their own")
            let nowhere = try await school.post(
                "/v1/exports", as: .exporter,
                json: ["sinceExportId": .text(school.hillside.uuid.description)])
            #expect(nowhere.status == 422)
            #expect(nowhere.pointers == ["/sinceExportId"])
        }
    }

    @Test func `a file can be fetched in parts, and not again when it is known`() async throws {
        try await withOrders { school in
            let export = try await order(school)
            let file = path(export, "schema.json")
            let whole = try await school.get(file, as: .exporter)
            func part(_ range: String, _ more: [(String, String)] = []) async throws -> Answer {
                try await school.get(file, as: .exporter, headers: [("Range", range)] + more)
            }
            let middle = try await part("bytes=10-19")
            #expect(middle.status == 206)
            #expect(middle.body == Array(whole.body[10..<20]))
            #expect(middle.header("Content-Range") == "bytes 10-19/\(whole.body.count)")
            let end = try await part("bytes=-5")
            #expect(end.body == Array(whole.body.suffix(5)))
            #expect(try await part("bytes=99999999-").status == 416)
            #expect(try await part("bytes=0-4", [("If-Range", "\"other\"")]).status == 200)
            let tag = try #require(whole.header("ETag"))
            let known = try await school.get(
                file, as: .exporter, headers: [("If-None-Match", tag)])
            #expect(known.status == 304)
        }
    }

    @Test func `one order runs at a time, and none while the command exports the organization`()
        async throws
    {
        try await withOrders { school in
            let command = try school.nightly()
            let key: Statement = "hashtextextended(\("export/\(school.hillside.uuid)"), 0)"
            try command.query("select pg_advisory_lock(\(fragment: key))")
            let first = try await school.post("/v1/exports", as: .exporter)
            #expect(first.status == 202)
            let second = try await school.post("/v1/exports", as: .exporter)
            #expect(second.status == 409)
            #expect(second.code == "export_under_way")
            #expect(second.header("Location") == first.header("Location"))
            let running = try #require(first.json["id"]?.text)
            #expect(second.json["detail"]?.text?.contains(running) == true)
            let waiting = try await school.get(
                try #require(first.header("Location")), as: .exporter)
            #expect(waiting.json["status"] == "queued")
            try command.query("select pg_advisory_unlock(\(fragment: key))")
            let export = try await done(school, try #require(first.header("Location")))
            #expect(export["status"] == "succeeded")
        }
    }

    @Test func `an export that a dead process left is restarted, at most three times`() async throws
    {
        try await withOrders { school in
            let left = newID()
            let doomed = newID()
            for (id, attempts) in [(left, 1), (doomed, 3)] {
                try school.sql(
                    """
                    insert into school.export (organization_id, export_id, status, attempts)
                    values (\(id == left ? school.hillside : school.elsewhere), \(id), 'running',
                            \(Int32(attempts)))
                    """)
            }
            let export = try await done(school, "/v1/exports/\(left)")
            #expect(export["status"] == "succeeded")
            try await eventually {
                try school.sql(
                    "select status from school.export where export_id = \(doomed)")[0].text(
                        "status")
                    != "running"
            }
            let given = try school.sql(
                "select status, failure from school.export where export_id = \(doomed)")[0]
            #expect(try given.text("status") == "failed")
            #expect(try given.text("failure").contains("stopped 3 times"))
        }
    }

    @Test func `files are deleted when they expire`() async throws {
        try await withOrders { school in
            let export = try await order(school)
            let file = path(export, "load.sql")
            #expect(try await school.get(file, as: .exporter).status == 200)
            try school.sql("update school.export set expires_at = now() - interval '1 second'")
            try school.letClockProveRight()
            let folder = "/tmp/exports/\(school.hillside.uuid)/\(export["id"]?.text ?? "")"
            #expect(FileManager.default.fileExists(atPath: folder))
            _ = try await order(school)
            try await eventually { !FileManager.default.fileExists(atPath: folder) }
            #expect(try await school.get(file, as: .exporter).status == 404)
            let after = try await school.get(
                "/v1/exports/\(export["id"]?.text ?? "")", as: .exporter)
            #expect(after.json["files"] == [])
            #expect(after.json["status"] == "succeeded")
        }
    }

    @Test func `are listed, newest first, and only to the organization's exporters`()
        async throws
    {
        try await withOrders { school in
            #expect(try await school.get("/v1/exports", as: .exporter).json["items"] == [])
            let first = try await order(school)
            let second = try await order(school, since: first)
            let page = try await school.get("/v1/exports?limit=1", as: .exporter)
            #expect(page.json["items"]?.array?.map { $0["id"] } == [second["id"]])
            let token = try #require(page.json["nextPageToken"]?.text)
            let rest = try await school.get("/v1/exports?limit=1&pageToken=\(token)", as: .exporter)
            #expect(rest.json["items"]?.array?.map { $0["id"] } == [first["id"]])
            #expect(rest.json["nextPageToken"] == nil)
            var parts = try #require(try JSONValue(parsing: Base64.decodeURL(token) ?? []).array)
            parts[1] = "no export"
            let made = Base64.encodeURL(JSONValue.array(parts).bytes)
            let wrong = try await school.get("/v1/exports?pageToken=\(made)", as: .exporter)
            #expect(wrong.status == 400, "\(wrong.text)")
            let oldest = try await school.get("/v1/exports?order=oldest", as: .exporter)
            #expect(oldest.items.map { $0["id"] } == [first["id"], second["id"]])
            #expect(try await school.get("/v1/exports", as: .ada).status == 403)
            try school.sql("update school.export set organization_id = \(school.elsewhere)")
            #expect(try await school.get("/v1/exports", as: .exporter).json["items"] == [])
        }
    }

    @Test func `is for exporters of the organization, and for existing files`() async throws {
        try await withOrders { school in
            let export = try await order(school)
            for persona in [Persona.ada, .tom, .sam, .provisioner, .samsApp, .olga] {
                #expect(try await school.post("/v1/exports", as: persona).status == 403)
                let file = try await school.get(path(export, "load.sql"), as: persona)
                #expect(file.status == 403)
            }
            for name in ["nothing.csv", "..%2F..%2Fload.sql", "%2Fetc%2Fpasswd", "."] {
                let answer = try await school.get(path(export, name), as: .exporter)
                #expect(answer.status == 404, "\(name)")
            }
            try school.sql(
                "update school.export set organization_id = \(school.elsewhere)")
            let foreign = try await school.get(path(export, "load.sql"), as: .exporter)
            #expect(foreign.status == 404)
            let unknown = try await school.post(
                "/v1/exports", as: .exporter, json: ["since": "yesterday"])
            #expect(unknown.status == 422)
        }
    }
}
