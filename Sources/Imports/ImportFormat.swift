/// The formats of archives that are read, recognised by their files.
package enum ImportFormat: String, CaseIterable, Sendable {
    case appleCSV
    case oneRoster1 = "oneRoster-1.1"
    case oneRoster2 = "oneRoster-1.2"
}

/// One file of an archive as it is to be read.
struct ImportFile: Sendable {
    let layout: FileLayout
    /// Whether it tells all, so that what it leaves out is gone.
    let isWhole: Bool
    /// What it tells about.
    let kinds: [Kind]

    /// What rows of the directory a file tells about.
    enum Kind: String, Sendable {
        case term, location, student, staff, role, course
        case schoolClass = "class"
        /// Who teaches: in Apple's templates beside the class, in OneRoster beside the students.
        case teaching
        case seat
    }
}

extension Template {
    /// The file as it is read: always whole.
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
