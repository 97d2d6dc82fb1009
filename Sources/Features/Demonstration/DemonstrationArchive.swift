import Archive
import CSV

extension DemonstrationSchool {
    /// Writes the directory as an archive of Apple School Manager's six CSV templates.
    package func writeArchive(to path: String) throws {
        let archive = try ZipWriter(path: path)
        try archive.add("locations.csv", locationsFile)
        try archive.add("students.csv", studentsFile)
        try archive.add("staff.csv", staffFile)
        try archive.add("courses.csv", coursesFile)
        try archive.add("classes.csv", classesFile)
        try archive.add("rosters.csv", rostersFile)
        try archive.close()
    }

    private var locationsFile: [UInt8] {
        file(["location_id", "location_name"], locations.map { [$0.id, $0.name] })
    }

    private var studentsFile: [UInt8] {
        file(
            [
                "person_id", "person_number", "first_name", "middle_name", "last_name",
                "grade_level", "email_address", "sis_username", "password_policy", "location_id",
            ],
            students.map {
                [
                    $0.id, "", $0.givenName, "", $0.familyName, $0.grade.map(String.init) ?? "", "",
                    "", "", $0.locationID,
                ]
            })
    }

    private var staffFile: [UInt8] {
        file(
            [
                "person_id", "person_number", "first_name", "middle_name", "last_name",
                "email_address", "sis_username", "location_id",
            ], staff.map { [$0.id, "", $0.givenName, "", $0.familyName, "", "", $0.locationID] })
    }

    private var coursesFile: [UInt8] {
        file(
            ["course_id", "course_number", "course_name", "location_id"],
            courses.map { [$0.id, $0.number, $0.name, $0.locationID] })
    }

    private var classesFile: [UInt8] {
        file(
            [
                "class_id", "class_number", "course_id", "instructor_id", "instructor_id_2",
                "instructor_id_3", "location_id",
            ],
            classes.map { taught in
                let second = taught.teachers.count > 1 ? taught.teachers[1].id : ""
                return [
                    taught.id, taught.number, taught.course.id, taught.teachers[0].id, second, "",
                    taught.course.locationID,
                ]
            })
    }

    private var rostersFile: [UInt8] {
        file(
            ["roster_id", "class_id", "student_id"],
            classes.flatMap { taught in
                taught.students.map { ["\(taught.id)-\($0.id)", taught.id, $0.id] }
            })
    }

    private func file(_ header: [String], _ records: [[String]]) -> [UInt8] {
        var writer = CSVWriter(style: .apple)
        writer.record(header)
        for record in records { writer.record(record) }
        return writer.bytes
    }
}
