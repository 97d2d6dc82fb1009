extension SampleSchool {
    /// The records of one of School Data Sync's files: those of OneRoster under its own names.
    static func schoolDataSync(_ file: OneRosterFile) -> ImportSample.Records {
        let grades = Dictionary(
            records(of: .users, .v1p2).map { ($0["sourcedId"] ?? "", $0["grades"] ?? "") }
        ) { first, _ in first }
        return records(of: file, .v1p2).map { record in
            var renamed = record
            switch file {
            case .roles:
                renamed["isPrimary"] = "true"
                renamed["grade"] = grades[record["userSourcedId"] ?? ""]
            case .courses: renamed["code"] = record["courseCode"]
            case .classes:
                renamed["orgSourcedId"] = record["schoolSourcedId"]
                renamed["sessionSourcedIds"] = record["termSourcedIds"]
            case .academicSessions, .orgs, .users, .enrollments: break
            }
            return renamed
        }
    }
}
