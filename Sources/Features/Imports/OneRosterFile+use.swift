extension OneRosterFile {
    /// What of a row is used, and when, where mistakes do not end the import.
    func use(_ version: OneRosterVersion, _ mode: Mode) -> FileLayout.Use {
        var use = FileLayout.Use()
        use.identity = ["sourcedId"]
        switch self {
        case .academicSessions: use.needed = ["sourcedId", "title", "startDate", "endDate"]
        case .orgs: use.needed = ["sourcedId", "name"]
        case .users:
            use.needed = ["sourcedId", "givenName", "familyName"]
            if version == .v1p1 {
                use.needed.insert("orgSourcedIds")
                // In Apple's list of files, a blank role means student.
                if mode != .plain { use.needed.insert("role") }
            }
            use.unused = ["enabledUser": ["false"], "role": Self.relatives]
        case .roles:
            use.needed = ["userSourcedId", "role", "orgSourcedId"]
            use.unused = ["role": Self.relatives]
            use.end = "endDate"
            use.identity = ["userSourcedId"]
        case .courses: use.needed = ["sourcedId", "orgSourcedId"]
        case .classes:
            use.needed = ["sourcedId", "schoolSourcedId"]
            use.wanted = ["courseSourcedId"]
        case .enrollments:
            use.needed = ["classSourcedId", "userSourcedId", "role"]
            use.unused = ["role": Set(Self.rolesWithoutSeat)]
            use.end = "endDate"
            use.identity = ["classSourcedId", "userSourcedId"]
        }
        if mode == .delta { use.needed.insert("status") }
        return use
    }

    /// Who are not in the directory.
    private static let relatives: Set<String> = ["guardian", "parent", "relative"]

    /// The roles of enrollments that bring nobody into a class.
    static let rolesWithoutSeat = Set(rolesOfFirstVersion + rolesOfSecondVersion)
        .subtracting(["student", "teacher"]).sorted()
}
