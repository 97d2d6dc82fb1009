import CSV

/// The OneRoster files that are used, in the order in which they build on each other.
///
/// The others are reported as ignored and never stored: no one here needs their content.
enum OneRosterFile: String, CaseIterable, Sendable {
    case academicSessions, orgs, users, roles, courses, classes, enrollments

    /// Whether a file is complete (`bulk`) or holds only changes (`delta`).
    enum Mode: String, Sendable {
        /// Complete: what is left out is gone.
        case bulk
        /// Only what changed, and what is gone.
        case delta
        /// Complete, in an archive without a manifest, as Apple School Manager accepts it.
        case plain
    }

    /// The files of a version, used or not.
    static func names(of version: OneRosterVersion) -> [String] {
        let rostering = [
            "academicSessions", "orgs", "users", "courses", "classes", "enrollments",
            "demographics", "categories", "lineItems", "results", "resources", "classResources",
            "courseResources",
        ]
        switch version {
        case .v1p1: return rostering
        case .v1p2:
            return rostering + [
                "roles", "userProfiles", "userResources", "scoreScales", "lineItemScoreScales",
                "resultScoreScales", "lineItemLearningObjectiveIds", "resultLearningObjectiveIds",
            ]
        }
    }

    /// The used files of a version.
    static func files(of version: OneRosterVersion) -> [OneRosterFile] {
        allCases.filter { names(of: version).contains($0.rawValue) }
    }

    var fileName: String { rawValue + ".csv" }

    func layout(_ version: OneRosterVersion, _ mode: Mode) -> FileLayout {
        let columns = OneRosterFile.firstColumns(mode) + ownColumns(version)
        var layout = FileLayout(
            name: fileName, headerRule: mode == .plain ? .subset : .standard,
            columns: columns.map { mode == .plain ? $0.looser(in: self) : $0 },
            staged: staged, stagingTable: stagingTable)
        layout.options = .rfc4180
        layout.options.separator = .detected
        layout.statusColumn = "status"
        layout.use = use(version, mode)
        return layout
    }

    private static func firstColumns(_ mode: Mode) -> [FileLayout.Column] {
        let statuses = ValueRule.word(["active", "tobedeleted"])
        let id = FileLayout.Column.required("sourcedId", .sourcedID)
        return switch mode {
        case .bulk: [id, .optional("status", .blank), .optional("dateLastModified", .blank)]
        case .delta: [id, .required("status", statuses), .required("dateLastModified", .moment)]
        case .plain: [id, .optional("status", statuses), .optional("dateLastModified", .anything)]
        }
    }
}

/// The supported versions of OneRoster's CSV files.
enum OneRosterVersion: String, Sendable {
    case v1p1 = "1.1"
    case v1p2 = "1.2"
}

extension FileLayout.Column {
    /// The column as Apple lists it: a blank role means student, and less is required.
    fileprivate func looser(in file: OneRosterFile) -> FileLayout.Column {
        let requiredByApple: [OneRosterFile: Set<String>] = [
            .orgs: ["sourcedId", "name"],
            .users: ["sourcedId", "orgSourcedIds", "username", "givenName", "familyName"],
            .courses: ["sourcedId", "orgSourcedId"],
            .classes: ["sourcedId", "courseSourcedId", "schoolSourcedId"],
            .enrollments: ["sourcedId", "classSourcedId", "userSourcedId", "role"],
        ]
        guard let names = requiredByApple[file] else { return self }
        return FileLayout.Column(name: name, rule: rule, isRequired: names.contains(name))
    }
}
