import Archive
import CSV
import Foundation
import JSONBytes
import OneRoster
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// `homeroom export --format oneroster`, and an import that takes in what it wrote.
@Suite struct RosterExportCommand {
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let root = NSTemporaryDirectory() + "/roster-\(Foundation.UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try await body(root)
    }

    /// Biology has a course and a term; Chemistry has neither.
    private func addCourse(to school: TestSchool) throws {
        try school.sql(
            """
            with course as (
                insert into school.course (organization_id, course_id, source_id, location_id, name, number)
                values (\(school.hillside), gen_random_uuid(), 'science', \(school.mainLocation), 'Science', 'SCI')
                returning course_id),
            year as (
                insert into school.term (organization_id, term_id, source_id, name, kind, starts_on, ends_on)
                values (\(school.hillside), gen_random_uuid(), 'year', 'A year', 'schoolYear', '2020-08-01', '2099-08-01')
                returning term_id)
            update school.class as c set term_id = year.term_id, course_id = course.course_id
              from course, year where c.class_id = \(school.biology)
            """)
    }

    private func export(
        _ school: TestSchool, to path: String, as format: RosterFormat = .oneRoster
    ) async throws {
        let run = try await school.homeroom(
            "export", "--format", format.rawValue, "--out", path, "--organization",
            school.hillside.uuid.description)
        try #require(run.status == 0, "\(run.complaints)")
    }

    private func take(
        _ school: TestSchool, _ path: String, _ option: String
    ) async throws -> JSONValue {
        let run = try await school.homeroom(
            "import", path, option, "--json", "--organization",
            school.hillside.uuid.description)
        try #require(run.status == 0, "\(run.complaints)")
        return run.json
    }

    /// The records of each file, under the names of its columns.
    private func read(_ path: String) throws -> [String: [[String: String]]] {
        let archive = try ZipReader(path: path)
        var files: [String: [[String: String]]] = [:]
        for entry in archive.entries {
            let records = try CSVReader.records(of: try archive.read(entry), options: .rfc4180)
            let header = try #require(records.first?.fields)
            files[entry.name] = records.dropFirst().map { record in
                #expect(record.fields.count == header.count, "\(entry.name)")
                return Dictionary(uniqueKeysWithValues: zip(header, record.fields))
            }
        }
        return files
    }

    @Test(arguments: RosterFormat.allCases)
    func `what was exported changes nothing when it is taken in`(format: RosterFormat) async throws
    {
        try await withSchool { school in
            try addCourse(to: school)
            try await withFolder { root in
                // What Homeroom gives to imported people and classes comes with the first import.
                try await export(school, to: "\(root)/first.zip", as: format)
                _ = try await take(school, "\(root)/first.zip", "--approve")
                try await export(school, to: "\(root)/second.zip", as: format)
                let plan = try await take(school, "\(root)/second.zip", "--preview")
                let files = plan["files"]?.array ?? []
                for file in files {
                    for change in ["created", "changed", "removed"] {
                        #expect(file[change]?.int64 == 0, "\(file)")
                    }
                }
                let unchanged = files.map {
                    "\($0["name"]?.text ?? ""): \($0["unchanged"]?.int64 ?? -1)"
                }
                #expect(
                    unchanged.contains("classes.csv: 2"), "one of them has no course: \(unchanged)")
                #expect(unchanged.contains("enrollments.csv: 6"), "\(unchanged)")
                #expect(unchanged.contains("academicSessions.csv: 1"))
                // The command acts as a provisioner, who may not change people with higher roles.
                let warned = (plan["warnings"]?.array ?? []).map { $0["code"]?.text }
                #expect(warned == ["higher_role", "higher_role", "higher_role"])
            }
        }
    }

    @Test func `what has no id of the information system is found by ours`() async throws {
        try await withSchool { school in
            try addCourse(to: school)
            for table in ["location", "course", "term"] as [StaticString] {
                let name = Statement(stringLiteral: table)
                try school.sql("update school.\(fragment: name) set source_id = null")
            }
            func counts() throws -> String {
                try school.sql(
                    """
                    select (select count(*) from school.location) || ' ' || (select count(*) from school.course) || ' '
                        || (select string_agg(origin, ' ') from school.term) as counts
                    """)[0].text("counts")
            }
            let before = try counts()
            try await withFolder { root in
                for archive in ["\(root)/first.zip", "\(root)/second.zip"] {
                    try await export(school, to: archive)
                    let plan = try await take(school, archive, "--approve")
                    #expect(plan["files"]?.array?.isEmpty == false, "\(plan)")
                    #expect(try counts() == before)
                }
            }
        }
    }

    @Test func `an archive refers to nothing that it does not hold`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try await export(school, to: "\(root)/roster.zip")
                let files = try read("\(root)/roster.zip")
                func ids(_ name: String) -> Set<String> {
                    Set((files[name] ?? []).compactMap { $0["sourcedId"] })
                }
                let references = [
                    ("orgs.csv", "parentSourcedId", "orgs.csv"),
                    ("users.csv", "primaryOrgSourcedId", "orgs.csv"),
                    ("roles.csv", "userSourcedId", "users.csv"),
                    ("roles.csv", "orgSourcedId", "orgs.csv"),
                    ("courses.csv", "orgSourcedId", "orgs.csv"),
                    ("classes.csv", "courseSourcedId", "courses.csv"),
                    ("classes.csv", "schoolSourcedId", "orgs.csv"),
                    ("classes.csv", "termSourcedIds", "academicSessions.csv"),
                    ("enrollments.csv", "classSourcedId", "classes.csv"),
                    ("enrollments.csv", "schoolSourcedId", "orgs.csv"),
                    ("enrollments.csv", "userSourcedId", "users.csv"),
                ]
                for (file, column, target) in references {
                    let named = Set(
                        (files[file] ?? []).compactMap { $0[column] }.filter { !$0.isEmpty })
                    #expect(!named.isEmpty && named.isSubset(of: ids(target)), "\(file) \(column)")
                }
                for (file, records) in files where file != "manifest.csv" {
                    #expect(ids(file).count == records.count, "\(file)")
                    #expect(
                        records.allSatisfy { $0["status"] == "" && $0["dateLastModified"] == "" })
                }
                let manifest = files["manifest.csv"] ?? []
                let modes = Dictionary(
                    uniqueKeysWithValues: manifest.map {
                        ($0["propertyName"] ?? "", $0["value"] ?? "")
                    })
                #expect(modes["oneroster.version"] == "1.2")
                #expect(modes.filter { $0.value == "bulk" }.count == 7)
                #expect(modes["file.results"] == "absent")
                #expect(
                    ids("users.csv").contains("sis-sam") && !ids("users.csv").contains("sis-omar"))
            }
        }
    }

    @Test func `version 1.1 says one role of each person, and where`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try await export(
                    school, to: "\(root)/roster.zip", as: .oneRosterOfFirstVersion)
                let files = try read("\(root)/roster.zip")
                #expect(files["roles.csv"] == nil && files.count == 7)
                let roles = Dictionary(
                    uniqueKeysWithValues: (files["users.csv"] ?? []).map {
                        ($0["sourcedId"] ?? "", $0["role"] ?? "")
                    })
                #expect(roles["sis-sam"] == "student" && roles["sis-tom"] == "teacher")
                #expect(roles.values.contains("administrator"), "every kind of them")
                let places = Set((files["users.csv"] ?? []).map { $0["orgSourcedIds"] ?? "" })
                #expect(places.allSatisfy { !$0.isEmpty } && places.contains("main"))
                let version = files["manifest.csv"]?.first {
                    $0["propertyName"] == "oneroster.version"
                }
                #expect(version?["value"] == "1.1")
            }
        }
    }

    @Test func `School Data Sync has roles with grades, and no manifest`() async throws {
        try await withSchool { school in
            try school.sql(
                "update school.person set grade = '7' where person_id = \(school.id(.sam))")
            try await withFolder { root in
                try await export(school, to: "\(root)/roster.zip", as: .schoolDataSync)
                let files = try read("\(root)/roster.zip")
                #expect(files["manifest.csv"] == nil && files.count == 7)
                let sam = files["roles.csv"]?.filter { $0["userSourcedId"] == "sis-sam" }
                #expect(sam?.count == 1 && sam?.first?["role"] == "student")
                #expect(sam?.first?["grade"] == "7" && sam?.first?["isPrimary"] == "true")
                let seats = files["enrollments.csv"] ?? []
                #expect(seats.count == 6 && seats.allSatisfy { $0["role"]?.isEmpty == false })
                let group = files["classes.csv"]?.first { $0["title"] == "Biology" }
                #expect(group?["orgSourcedId"] == "main")
            }
        }
    }

    @Test func `a folder holds the same files, and nothing is overwritten`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try await export(school, to: "\(root)/roster")
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/roster")
                #expect(
                    names.sorted() == [
                        "academicSessions.csv", "classes.csv", "courses.csv", "enrollments.csv",
                        "manifest.csv", "orgs.csv", "roles.csv", "users.csv",
                    ])
                let again = try await school.homeroom(
                    "export", "--format", "oneroster", "--out", "\(root)/roster",
                    "--organization", school.hillside.uuid.description)
                #expect(again.status == 1 && again.complaints.contains("is there already"))
            }
        }
    }

    @Test(arguments: [
        ["--format", "csv"], ["--format", "oneroster", "--full"],
        ["--format", "oneroster", "--date", "2026-03-02"], ["--format", "oneroster"],
    ])
    func `an inconsistent call is refused`(options: [String]) async throws {
        try await withSchool { school in
            let words = ["export", "--out", "/tmp/nothing-\(Foundation.UUID())"] + options
            let run = try await school.homeroom.run(words)
            #expect(run.status == 64)
        }
    }
}
