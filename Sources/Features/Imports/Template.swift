import Postgres

/// The six files of Apple School Manager's CSV templates, in the order in which they build on each other.
enum Template: String, CaseIterable, Sendable {
    case locations = "locations.csv"
    case students = "students.csv"
    case staff = "staff.csv"
    case courses = "courses.csv"
    case classes = "classes.csv"
    case rosters = "rosters.csv"

    var layout: FileLayout {
        var layout = FileLayout(
            name: rawValue, headerRule: .template, columns: columns, staged: staged,
            stagingTable: stagingTable)
        layout.series = series
        layout.optionalColumns = optionalColumns
        layout.use = use
        return layout
    }

    private var use: FileLayout.Use {
        var use = FileLayout.Use()
        use.needed = Set(columns.filter(\.isRequired).map(\.name))
        switch self {
        case .rosters:
            use.needed.remove("roster_id")
            use.identity = ["class_id", "student_id"]
        case .classes:
            use.wanted = ["course_id"]
            use.needed.remove("course_id")
            use.identity = ["class_id"]
        default: use.identity = columns.prefix(1).map(\.name)
        }
        return use
    }

    /// The columns that the header must have, in this order.
    private var columns: [FileLayout.Column] {
        switch self {
        case .locations:
            [.required("location_id", .identifier), .required("location_name", .label)]
        case .students:
            [
                .required("person_id", .identifier), .optional("person_number"),
                .required("first_name", .label), .optional("middle_name"),
                .required("last_name", .label), .optional("grade_level", .shortLabel),
                .optional("email_address", .email), .optional("sis_username"),
                .optional("password_policy", .passwordPolicy),
                .required("location_id", .identifier),
            ]
        case .staff:
            [
                .required("person_id", .identifier), .optional("person_number"),
                .required("first_name", .label), .optional("middle_name"),
                .required("last_name", .label), .optional("email_address", .email),
                .optional("sis_username"), .required("location_id", .identifier),
            ]
        case .courses:
            [
                .required("course_id", .identifier), .optional("course_number"),
                .optional("course_name"), .required("location_id", .identifier),
            ]
        case .classes:
            [
                .required("class_id", .identifier), .optional("class_number"),
                .required("course_id", .identifier), .optional("instructor_id", .identifier),
                .optional("instructor_id_2", .identifier),
                .optional("instructor_id_3", .identifier), .required("location_id", .identifier),
            ]
        case .rosters:
            [
                .required("roster_id", .identifier), .required("class_id", .identifier),
                .required("student_id", .identifier),
            ]
        }
    }

    private var staged: KeyValuePairs<String, Statement> {
        switch self {
        case .locations: ["location_id": "source_id", "location_name": "name"]
        case .students:
            [
                "person_id": "source_id", "person_number": "person_number",
                "first_name": "given_name", "middle_name": "middle_name",
                "last_name": "family_name", "grade_level": "grade", "email_address": "email",
                "sis_username": "sis_username", "password_policy": "password_policy",
                "location_id": "location_source_ids",
            ]
        case .staff:
            [
                "person_id": "source_id", "person_number": "person_number",
                "first_name": "given_name", "middle_name": "middle_name",
                "last_name": "family_name", "email_address": "email",
                "sis_username": "sis_username", "location_id": "location_source_ids",
            ]
        case .courses:
            [
                "course_id": "source_id", "course_number": "number", "course_name": "name",
                "location_id": "location_source_id",
            ]
        case .classes:
            [
                "class_id": "source_id", "class_number": "number", "course_id": "course_source_id",
                "instructor_id": "instructor_source_ids", "location_id": "location_source_id",
                "class_display_name": "display_name",
            ]
        case .rosters:
            [
                "roster_id": "source_id", "class_id": "class_source_id",
                "student_id": "person_source_id",
            ]
        }
    }

    private var stagingTable: Statement {
        switch self {
        case .locations: "staged_location"
        case .students: "staged_student"
        case .staff: "staged_staff"
        case .courses: "staged_course"
        case .classes: "staged_class"
        case .rosters: "staged_seat"
        }
    }

    private var series: FileLayout.Series? {
        switch self {
        case .students, .staff: FileLayout.Series(name: "location_id", numbers: 2...999)
        case .classes: FileLayout.Series(name: "instructor_id", numbers: 2...15)
        default: nil
        }
    }

    private var optionalColumns: [FileLayout.Column] {
        self == .classes ? [.optional("class_display_name")] : []
    }
}
