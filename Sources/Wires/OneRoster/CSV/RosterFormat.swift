import CSV

/// A form in which other systems take a roster.
package enum RosterFormat: String, CaseIterable, Sendable {
    /// OneRoster 1.2 CSV.
    case oneRoster = "oneroster"
    /// OneRoster 1.1 CSV, which Apple School Manager takes: a person has one role.
    case oneRosterOfFirstVersion = "oneroster-1.1"
    /// Microsoft's School Data Sync, version 2.1.
    case schoolDataSync = "school-data-sync"

    var files: [RosterFile] {
        switch self {
        case .oneRoster: RosterFile.ofOneRoster + [.users, .roles]
        case .oneRosterOfFirstVersion: RosterFile.ofOneRoster + [.usersWithOneRole]
        case .schoolDataSync: RosterFile.ofSchoolDataSync
        }
    }

    /// The manifest that OneRoster demands; the columns of School Data Sync say what it is.
    var manifest: [UInt8]? {
        guard let version, let names = namesOfStandard else { return nil }
        let written = Set(files.map(\.name))
        var writer = CSVWriter()
        writer.record(["propertyName", "value"])
        writer.record(["manifest.version", "1.0"])
        writer.record(["oneroster.version", version])
        for name in names {
            writer.record(["file.\(name)", written.contains(name) ? "bulk" : "absent"])
        }
        writer.record(["source.systemName", "Homeroom"])
        return writer.take()
    }

    private var version: String? {
        switch self {
        case .oneRoster: "1.2"
        case .oneRosterOfFirstVersion: "1.1"
        case .schoolDataSync: nil
        }
    }

    /// Every file of the version.
    private var namesOfStandard: [String]? {
        let first = [
            "academicSessions", "categories", "classes", "classResources", "courses",
            "courseResources", "demographics", "enrollments", "lineItems", "orgs", "resources",
            "results", "users",
        ]
        let second = [
            "lineItemLearningObjectiveIds", "lineItemScoreScales", "resultLearningObjectiveIds",
            "resultScoreScales", "roles", "scoreScales", "userProfiles", "userResources",
        ]
        return switch self {
        case .oneRoster: (first + second).sorted()
        case .oneRosterOfFirstVersion: first
        case .schoolDataSync: nil
        }
    }
}
