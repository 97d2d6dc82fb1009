/// The small school of the examples: two teachers and three students in two classes.
enum SampleSchool {
    private static let students = [
        (id: "S1", number: "1001", given: "Mira", family: "Castell", grade: "07"),
        (id: "S2", number: "1002", given: "Jonas", family: "Weiß", grade: "07"),
        (id: "S3", number: "1003", given: "Noor", family: "Haddad", grade: "08"),
    ]
    private static let teachers = [
        (id: "T1", given: "Rosa", family: "Delgado"), (id: "T2", given: "Theo", family: "Oakes"),
    ]
    private static let courses = [
        (id: "C1", number: "MA", name: "Mathematics"), (id: "C2", number: "SC", name: "Science"),
    ]
    private static let classes = [
        (id: "K1", number: "MA-7", name: "Mathematics 7", course: "C1", teacher: "T1"),
        (id: "K2", number: "SC-8", name: "Science 8", course: "C2", teacher: "T2"),
    ]
    private static let seats = [
        (id: "E1", schoolClass: "K1", student: "S1"), (id: "E2", schoolClass: "K1", student: "S2"),
        (id: "E3", schoolClass: "K2", student: "S3"),
    ]

    /// The records of one of Apple's templates.
    static func records(of template: Template) -> ImportSample.Records {
        switch template {
        case .locations: [["location_id": "L1", "location_name": "Harbour School"]]
        case .students:
            students.map {
                [
                    "person_id": $0.id, "person_number": $0.number, "first_name": $0.given,
                    "last_name": $0.family, "grade_level": $0.grade, "location_id": "L1",
                ]
            }
        case .staff:
            teachers.map {
                [
                    "person_id": $0.id, "first_name": $0.given, "last_name": $0.family,
                    "location_id": "L1",
                ]
            }
        case .courses:
            courses.map {
                [
                    "course_id": $0.id, "course_number": $0.number, "course_name": $0.name,
                    "location_id": "L1",
                ]
            }
        case .classes:
            classes.map {
                [
                    "class_id": $0.id, "class_number": $0.number, "course_id": $0.course,
                    "instructor_id": $0.teacher, "location_id": "L1",
                ]
            }
        case .rosters:
            seats.map {
                ["roster_id": $0.id, "class_id": $0.schoolClass, "student_id": $0.student]
            }
        }
    }

    /// The records of one of OneRoster's files.
    static func records(
        of file: OneRosterFile, _ version: OneRosterVersion
    ) -> ImportSample.Records {
        switch file {
        case .academicSessions:
            [
                [
                    "sourcedId": "Y1", "title": "2026–27", "type": "schoolYear",
                    "startDate": "2026-08-01", "endDate": "2027-07-31", "schoolYear": "2027",
                ]
            ]
        case .orgs: [["sourcedId": "L1", "name": "Harbour School", "type": "school"]]
        case .users: users(version)
        case .roles:
            students.map { role(of: $0.id, "student") }
                + teachers.map { role(of: $0.id, "teacher") }
        case .courses:
            courses.map {
                [
                    "sourcedId": $0.id, "title": $0.name, "courseCode": $0.number,
                    "orgSourcedId": "L1",
                ]
            }
        case .classes:
            classes.map {
                [
                    "sourcedId": $0.id, "title": $0.name, "courseSourcedId": $0.course,
                    "classCode": $0.number, "classType": "scheduled", "schoolSourcedId": "L1",
                    "termSourcedIds": "Y1",
                ]
            }
        case .enrollments:
            seats.map { enrollment($0.id, $0.schoolClass, $0.student, "student") }
                + classes.map { enrollment("E-\($0.id)", $0.id, $0.teacher, "teacher") }
        }
    }

    private static func users(_ version: OneRosterVersion) -> ImportSample.Records {
        let all =
            students.map { ($0.id, $0.given, $0.family, $0.number, $0.grade, "student") }
            + teachers.map { ($0.id, $0.given, $0.family, "", "", "teacher") }
        return all.map { id, given, family, number, grade, role in
            var user = [
                "sourcedId": id, "enabledUser": "true",
                "username": "\(given).\(family)".lowercased(), "givenName": given,
                "familyName": family, "identifier": number, "grades": grade,
            ]
            if version == .v1p1 {
                user["orgSourcedIds"] = "L1"
                user["role"] = role
            }
            return user
        }
    }

    private static func role(of id: String, _ role: String) -> [String: String] {
        [
            "sourcedId": "R-\(id)", "userSourcedId": id, "roleType": "primary", "role": role,
            "orgSourcedId": "L1",
        ]
    }

    private static func enrollment(
        _ id: String, _ schoolClass: String, _ user: String, _ role: String
    ) -> [String: String] {
        [
            "sourcedId": id, "classSourcedId": schoolClass, "schoolSourcedId": "L1",
            "userSourcedId": user, "role": role,
        ]
    }
}
