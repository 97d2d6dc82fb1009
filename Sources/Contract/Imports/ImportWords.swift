/// How far an import is, and how it ended.
package enum ImportStatus: String, Words {
    case queued, running, planned, awaitingApproval, succeeded, failed, undone
}

/// Whether an import only says what it would do.
package enum ImportMode: String, Words {
    case preview, apply
}

/// The supported archive formats, recognised by their files.
package enum ImportFormat: String, Words {
    case appleCSV
    case oneRoster1 = "oneRoster-1.1"
    case oneRoster2 = "oneRoster-1.2"
    /// Microsoft's, version 2.1, and what is left of version 2.
    case schoolDataSync
}

/// The files of all formats; two of OneRoster's have the same names as Apple's.
package enum ImportFileName: String, Words {
    case locations = "locations.csv"
    case students = "students.csv"
    case staff = "staff.csv"
    case courses = "courses.csv"
    case classes = "classes.csv"
    case rosters = "rosters.csv"
    // OneRoster's.
    case academicSessions = "academicSessions.csv"
    case orgs = "orgs.csv"
    case users = "users.csv"
    case roles = "roles.csv"
    case enrollments = "enrollments.csv"
}

/// What happens to a row.
package enum RowChange: String, Words {
    case removed, changed, created
}

/// What an import does to a person.
package enum PersonChange: String, Words {
    case removed, created, changed
    /// Nothing but where he or she sits or teaches.
    case seats
}

/// What happens to a role.
package enum RoleChange: String, Words {
    case removed, created
}

/// What a row of a plan is about.
package enum ImportRowKind: String, Words {
    case person, `class`, seat, course, location, term
}

/// What undoing an import puts back, or what prevents it.
package enum UndoneKind: String, Words {
    case location, term, person, role, course, `class`, seat
}

/// Of what a plan removes much or little.
package enum RemovalKind: String, Words {
    case people, classes, seats
}

/// As what a person stands in a file of people.
package enum ImportedPersonRole: String, Words {
    case student, staff
}

/// As what a person is in a class.
package enum SeatRole: String, Words {
    case student, teacher
}

/// Who sent an import.
package enum SenderKind: String, Words {
    case person, serviceAccount
}

/// Which name of a person comes first.
package enum NameOrder: String, Words {
    case givenFirst, familyFirst
}
