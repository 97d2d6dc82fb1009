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
            name: rawValue, headerRule: .template, columns: columns,
            staged: columns.map(\.name).filter { !isOfSeries($0) } + optionalColumns.map(\.name),
            staging: .stage(self))
        layout.series = series
        layout.optionalColumns = optionalColumns
        return layout
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

    private var series: FileLayout.Series? {
        switch self {
        case .students, .staff: FileLayout.Series(name: "location_id", numbers: 2...999)
        case .classes: FileLayout.Series(name: "instructor_id", numbers: 2...15)
        default: nil
        }
    }

    /// Whether the first column of the series stands for this one.
    private func isOfSeries(_ name: String) -> Bool {
        guard let series else { return false }
        return name.hasPrefix(series.name + "_")
    }

    private var optionalColumns: [FileLayout.Column] {
        self == .classes ? [.optional("class_display_name")] : []
    }
}
