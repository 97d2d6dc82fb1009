import Contract

/// One file of an archive and how to read it.
struct ImportFile: Sendable {
    let layout: FileLayout
    /// Whether it is complete, so that records it leaves out are gone.
    let isWhole: Bool
    /// The kinds of rows it contains.
    let kinds: [Kind]

    /// The kinds of directory rows in a file.
    enum Kind: String, Sendable {
        case term, location, student, staff, role, course
        case schoolClass = "class"
        /// Who teaches: with the class in Apple's templates, with the students in OneRoster.
        case teaching
        case seat
    }
}

extension Template {
    /// The file as it is read: always complete.
    var file: ImportFile { ImportFile(layout: layout, isWhole: true, kinds: kinds) }

    private var kinds: [ImportFile.Kind] {
        switch self {
        case .locations: [.location]
        case .students: [.student]
        case .staff: [.staff, .role]
        case .courses: [.course]
        case .classes: [.schoolClass, .teaching]
        case .rosters: [.seat]
        }
    }
}

extension OneRosterFile {
    /// The file as it is read.
    func file(_ version: OneRosterVersion, _ mode: Mode, isThere: Bool) -> ImportFile {
        ImportFile(
            layout: layout(version, mode), isWhole: isThere && mode != .delta,
            kinds: kinds(version))
    }

    private func kinds(_ version: OneRosterVersion) -> [ImportFile.Kind] {
        switch self {
        case .academicSessions: [.term]
        case .orgs: [.location]
        case .users: [.student, .staff] + (version == .v1p1 ? [.role] : [])
        case .roles: [.role]
        case .courses: [.course]
        case .classes: [.schoolClass]
        case .enrollments: [.teaching, .seat]
        }
    }
}

extension ImportFormat {
    /// What a column of OneRoster's is called in a file of this format.
    func column(_ name: String, of file: String) -> String {
        guard self == .schoolDataSync else { return name }
        return switch (file, name) {
        case ("classes.csv", "schoolSourcedId"): "orgSourcedId"
        case ("classes.csv", "termSourcedIds"): "sessionSourcedIds"
        case ("roles.csv", "endDate"): "roleEndDate"
        case ("users.csv", "grades"): "grade"
        default: name
        }
    }
}
