import Archive
import Foundation
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import WaitKit

/// The files of an archive, for a test to change before handing it in.
struct TestArchive {
    /// By name; a test may add anything it wants refused.
    var files: [String: String] = [:]
    /// Files that are not text in UTF-8, by name.
    var rawFiles: [String: [UInt8]] = [:]

    /// Two locations, two teachers, eleven students, a course, two classes and thirteen seats.
    static let small: TestArchive = {
        var archive = TestArchive()
        archive.files["locations.csv"] = """
            location_id,location_name
            L1,North School
            L2,South School

            """
        let students = (1...11).map { "S\($0),\($0),Given\($0),,Family\($0),07,,,8,L1" }
        archive.files["students.csv"] =
            (["\(studentHeader)"] + students).joined(separator: "\n") + "\n"
        archive.files["staff.csv"] = """
            person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id
            T1,,Grace,,Hopper,grace@school.example,,L1
            T2,,Alan,M,Turing,,,L1

            """
        archive.files["courses.csv"] = """
            course_id,course_number,course_name,location_id
            C1,MA-1,Mathematics,L1

            """
        archive.files["classes.csv"] = """
            class_id,class_number,course_id,instructor_id,instructor_id_2,instructor_id_3,location_id
            K1,MA-1-A,C1,T1,T2,,L1
            K2,MA-1-B,C1,T2,,,L2

            """
        let seats = (1...11).map { "R\($0),K1,S\($0)" } + ["R12,K2,S1", "R13,K2,S2"]
        archive.files["rosters.csv"] =
            (["roster_id,class_id,student_id"] + seats).joined(separator: "\n") + "\n"
        return archive
    }()

    static let studentHeader =
        "person_id,person_number,first_name,middle_name,last_name,grade_level,email_address,"
        + "sis_username,password_policy,location_id"

    /// The same archive with a text in one file replaced, which must occur.
    func replacing(_ old: String, with new: String, in file: String) -> TestArchive {
        var archive = self
        let text = files[file] ?? ""
        precondition(text.contains(old), "\(old) is not in \(file)")
        archive.files[file] = text.replacingOccurrences(of: old, with: new)
        return archive
    }

    /// The same archive with one more line in one file.
    func adding(_ line: String, to file: String) -> TestArchive {
        var archive = self
        archive.files[file, default: ""] += line + "\n"
        return archive
    }

    func bytes() throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "/archive-\(UUID().uuidString).zip"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try ZipWriter(path: path)
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            try writer.add(name, Array(text.utf8))
        }
        for (name, bytes) in rawFiles.sorted(by: { $0.key < $1.key }) {
            try writer.add(name, bytes)
        }
        try writer.close()
        return try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

extension TestSchool {
    /// Hands in an archive and waits for the end of the import.
    func importArchive(
        _ archive: TestArchive, mode: String = "apply", strict: Bool = false,
        as persona: Persona = .ada
    ) async throws -> JSONValue {
        try await importArchive(
            archive.bytes(), mode: strict ? "\(mode)&strict=true" : mode, as: persona)
    }

    func importArchive(
        _ bytes: [UInt8], mode: String = "apply", as persona: Persona = .ada
    ) async throws -> JSONValue {
        let answer = try await handIn(bytes, mode: mode, as: persona)
        #expect(answer.status == 202)
        return try await ended(try #require(answer.header("location")), as: persona)
    }

    func handIn(
        _ bytes: [UInt8], mode: String = "apply", as persona: Persona?
    ) async throws -> Answer {
        try await send(
            .post, "/v1/imports?mode=\(mode)", as: persona, body: bytes,
            headers: [("Content-Type", "application/zip")])
    }

    /// Waits until an import is neither queued nor running.
    func ended(_ location: String, as persona: Persona = .ada) async throws -> JSONValue {
        try await awaited(until: { !["queued", "running"].contains($0.status) }) {
            let answer = try await get(location, as: persona)
            #expect(answer.status == 200)
            return answer.json
        }
    }
}

extension JSONValue {
    var status: String? { self["status"]?.text }

    /// `[created, changed, unchanged, removed]` of a file.
    func counts(_ file: String) -> [Int] {
        let entry = self["files"]?.array?.first { $0["name"]?.text == file }
        return ["created", "changed", "unchanged", "removed"].map {
            entry?[$0]?.int64.map { Int($0) } ?? -1
        }
    }

    /// The errors as `file:line:column code`.
    var errorLines: [String] { lines(of: "errors") }

    /// What was put right, as `file code`.
    var noteLines: [String] {
        (self["tallies"]?.array ?? []).filter { $0["level"] == "note" }.map { note in
            "\(note["file"]?.text ?? "-") \(note["code"]?.text ?? "")"
        }
    }

    /// How many people a plan makes.
    var newPeople: Int {
        ["users.csv", "students.csv", "staff.csv"].reduce(0) { $0 + max(0, counts($1)[0]) }
    }

    /// Errors or warnings as `file:line:column code`.
    func lines(of name: String) -> [String] {
        (self[name]?.array ?? []).map { error in
            let position = [
                error["file"]?.text, error["line"]?.int64.map { String($0) }, error["column"]?.text,
            ]
            return position.map { $0 ?? "-" }.joined(separator: ":") + " "
                + (error["code"]?.text ?? "")
        }
    }
}

extension TestSchool {
    /// Changes when anything in the directory changes.
    func fingerprint() throws -> String {
        try sql(
            """
            select md5(coalesce(string_agg(line, chr(10) order by line), '')) as digest from (
                select l::text as line from school.location as l
                union all select p::text from school.person as p
                union all select r::text from school.person_role as r
                union all select c::text from school.course as c
                union all select c::text from school.class as c
                union all select s::text from school.seat as s
                union all select m::text from school.managed_id_directory as m) as everything
            """)[0].text("digest")
    }
}
