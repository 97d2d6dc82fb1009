/// The six files of Apple School Manager's CSV templates, in the order in which they build on each other.
enum Template: String, CaseIterable, Sendable {
    case locations = "locations.csv"
    case students = "students.csv"
    case staff = "staff.csv"
    case courses = "courses.csv"
    case classes = "classes.csv"
    case rosters = "rosters.csv"

    /// What the values of a column must be.
    enum Rule: Sendable {
        /// Letters, digits and hyphens, at most 255 characters.
        case identifier
        /// One line of at most 256 characters; line breaks in it count as spaces.
        case label
        /// The same with at most 64 characters.
        case shortLabel
        case email
        /// 4, 6, 8 or blank.
        case passwordPolicy
    }

    struct Column: Sendable {
        let name: String
        let rule: Rule
        let isRequired: Bool

        static func required(_ name: String, _ rule: Rule) -> Column {
            Column(name: name, rule: rule, isRequired: true)
        }

        static func optional(_ name: String, _ rule: Rule = .label) -> Column {
            Column(name: name, rule: rule, isRequired: false)
        }
    }

    /// The columns that the header must have, in this order.
    var columns: [Column] {
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

    /// A column that may be repeated with a number behind it, such as `location_id_2`.
    struct Series: Sendable {
        let name: String
        let numbers: ClosedRange<Int>
    }

    var series: Series? {
        switch self {
        case .students, .staff: Series(name: "location_id", numbers: 2...999)
        case .classes: Series(name: "instructor_id", numbers: 2...15)
        default: nil
        }
    }

    /// Columns that may stand in the header besides.
    var optionalColumns: [Column] {
        self == .classes ? [.optional("class_display_name")] : []
    }
}
