import Archive
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

@Suite struct ImportFileCommand {
    @Test func `an archive is brought in, and the outcome is printed`() async throws {
        try await withSchool { school in
            try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
                let run = try await school.homeroom(
                    "import", path, "--organization", school.hillside.uuid.description, "--json")
                #expect(run.status == 0)
                #expect(run.json["status"] == "succeeded")
                #expect(run.complaints.contains("import: 100 %"))
                let people = try school.sql(
                    "select managed_id from school.person where source_id = 'T1'")
                #expect(try people[0].text("managed_id") == "grace.hopper@hillside.example")
            }
        }
    }

    @Test func `a preview changes nothing`() async throws {
        try await withSchool { school in
            try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
                let run = try await school.homeroom(
                    "import", path, "--organization", school.hillside.uuid.description, "--preview")
                #expect(run.status == 0)
                #expect(
                    run.output.contains("staff.csv: 1 created, 0 changed, 0 unchanged, 0 removed"))
                let people = try school.sql(
                    "select managed_id from school.person where source_id = 'T1'")
                #expect(people.count == 0)
            }
        }
    }

    @Test func `a preview says that it would remove more than a tenth`() async throws {
        try await withSchool { school in
            let whose = ["--organization", school.hillside.uuid.description]
            try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
                let first = try await school.homeroom.run(["import", path] + whose)
                #expect(first.status == 0)
            }
            try await withArchive(staff: "T2,,Mary,,Jackson,,,L1") { path in
                let preview = try await school.homeroom.run(
                    ["import", path, "--preview"] + whose)
                #expect(preview.status == 0)
                #expect(preview.complaints.contains("The archive would remove 1 of 1 people"))
                let refused = try await school.homeroom.run(["import", path] + whose)
                #expect(refused.status == 1)
                #expect(refused.complaints.contains("would remove 1 of 1 people, more than a"))
            }
        }
    }

    @Test func `an archive with mistakes is reported line by line`() async throws {
        try await withSchool { school in
            try await withArchive(staff: "T1,,,,Hopper,,,L9") { path in
                let run = try await school.homeroom(
                    "import", path, "--strict", "--organization",
                    school.hillside.uuid.description)
                #expect(run.status == 1)
                #expect(
                    run.complaints.contains(
                        "staff.csv, line 2, first_name: first_name must not be empty. (missing_value)"
                    ))
                #expect(run.complaints.contains("There is no \"L9\" in locations.csv."))
                #expect(run.complaints.contains("the archive has 2 errors"))
            }
        }
    }

    @Test func `a missing file or organization argument is asked for`() async throws {
        try await withSchool { school in
            #expect(try await school.homeroom("import").status == 64)
            try await withArchive(staff: "T1,,Grace,,Hopper,,,L1") { path in
                let run = try await school.homeroom("import", path)
                #expect(run.status == 64)
                #expect(run.complaints.contains("--organization is needed"))
            }
            let missing = try await school.homeroom(
                "import", "/nowhere.zip", "--organization", school.hillside.uuid.description)
            #expect(missing.status == 1)
            #expect(missing.complaints.contains("/nowhere.zip: No such file or directory"))
        }
    }
}

/// Makes an archive with one location and one line of staff, for as long as the body runs.
func withArchive(staff: String, _ body: (String) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "/import-\(UUID().uuidString).zip"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let writer = try ZipWriter(path: path)
    try writer.add("locations.csv", Array("location_id,location_name\nL1,North School\n".utf8))
    let header =
        "person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id"
    try writer.add("staff.csv", Array("\(header)\n\(staff)\n".utf8))
    // Without these, the archive would do for a new organization alone.
    let columns = [
        "students":
            "person_id,person_number,first_name,middle_name,last_name,grade_level,email_address,sis_username,"
            + "password_policy,location_id",
        "courses": "course_id,course_number,course_name,location_id",
        "classes":
            "class_id,class_number,course_id,instructor_id,instructor_id_2,instructor_id_3,location_id",
        "rosters": "roster_id,class_id,student_id",
    ]
    for (file, names) in columns { try writer.add("\(file).csv", Array("\(names)\n".utf8)) }
    try writer.close()
    try await body(path)
}
