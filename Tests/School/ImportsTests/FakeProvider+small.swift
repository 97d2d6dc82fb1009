import JSONBytes

extension FakeProvider {
    /// What `TestArchive.small` brings, as version 1.2 serves it, with a district above the schools and a parent.
    static let small: [String: [JSONValue]] = [
        "academicSessions": sessions, "orgs": places, "users": students + adults,
        "courses": courses, "classes": groups, "enrollments": seats + moreSeats,
    ]

    private static let sessions: [JSONValue] = [
        record(
            "Y1",
            [
                ("title", "2025-2026"), ("type", "schoolYear"), ("startDate", "2025-08-01"),
                ("endDate", "2026-07-31"), ("schoolYear", "2026"),
            ]),
        record(
            "Z1",
            [
                ("title", "Autumn"), ("type", "term"), ("startDate", "2025-08-01T00:00:00.000Z"),
                ("endDate", "2026-01-31"), ("parent", to("Y1", "academicSession")),
                ("schoolYear", 2026),
            ]),
    ]

    private static let places: [JSONValue] = [
        record("D1", [("name", "District"), ("type", "district"), ("identifier", "d")]),
        record("L1", [("name", "North School"), ("type", "school"), ("parent", to("D1", "org"))]),
        record("L2", [("name", "South School"), ("type", "school"), ("parent", to("D1", "org"))]),
    ]

    private static let adults: [JSONValue] = [
        user("T1", "Grace", "Hopper", "teacher", [("email", "grace@school.example")]),
        user("T2", "Alan", "Turing", "teacher", [("middleName", "M")]),
        user("P1", "Pat", "Family1", "parent", [("agents", [to("S1", "user")])]),
    ]

    private static let courses: [JSONValue] = [
        record(
            "C1",
            [
                ("title", "Mathematics"), ("courseCode", "MA-1"),
                ("schoolYear", to("Y1", "academicSession")), ("org", to("L1", "org")),
            ])
    ]

    private static let groups: [JSONValue] = [
        group("K1", "MA-1-A", code: "MA-1-A", at: "L1", [("location", "12")]),
        group("K2", "Geometry", code: "MA-1-B", at: "L2", []),
    ]

    private static let seats: [JSONValue] = (1...11).map { number in
        seat(
            "R\(number)", "K1", "L1", "S\(number)", "student",
            [("beginDate", "2025-08-01"), ("endDate", "2026-01-31")])
    }

    private static let moreSeats: [JSONValue] = [
        seat("R12", "K2", "L2", "S1", "student"), seat("R13", "K2", "L2", "S2", "student"),
        seat("R14", "K1", "L1", "T1", "teacher", [("primary", "true")]),
        seat("R15", "K1", "L1", "T2", "teacher", [("primary", false)]),
        seat("R16", "K2", "L2", "T2", "teacher"),
    ]

    private static let students: [JSONValue] = (1...11).map { number in
        user(
            "S\(number)", "Given\(number)", "Family\(number)", "student",
            [("identifier", .text("\(number)")), ("grades", ["07"]), ("phone", "+49 30 1234")])
    }

    static func record(
        _ id: String, _ members: [(String, JSONValue)],
        changed: String = "2026-09-01T07:30:00.000Z",
        status: String = "active"
    ) -> JSONValue {
        let own: [(String, JSONValue)] = [
            ("sourcedId", .text(id)), ("status", .text(status)),
            ("dateLastModified", .text(changed)),
        ]
        return .object(JSONObject(own + members))
    }

    static func to(_ id: String, _ type: String) -> JSONValue {
        ["href": .text("https://sis.example/\(id)"), "sourcedId": .text(id), "type": .text(type)]
    }

    static func user(
        _ id: String, _ given: String, _ family: String, _ role: String,
        _ more: [(String, JSONValue)] = [], changed: String = "2026-09-01T07:30:00.000Z"
    ) -> JSONValue {
        let roles: JSONValue = [
            ["roleType": "primary", "role": .text(role), "org": to("L1", "org")]
        ]
        return record(
            id,
            [
                ("enabledUser", "true"), ("username", .text(id.lowercased())),
                ("givenName", .text(given)), ("familyName", .text(family)), ("roles", roles),
            ] + more, changed: changed)
    }

    static func group(
        _ id: String, _ title: String, code: String, at location: String,
        _ more: [(String, JSONValue)]
    ) -> JSONValue {
        record(
            id,
            [
                ("title", .text(title)), ("classCode", .text(code)), ("classType", "scheduled"),
                ("course", to("C1", "course")), ("school", to(location, "org")),
                ("terms", [to("Z1", "academicSession")]),
            ] + more)
    }

    static func seat(
        _ id: String, _ group: String, _ location: String, _ person: String, _ role: String,
        _ more: [(String, JSONValue)] = []
    ) -> JSONValue {
        record(
            id,
            [
                ("class", to(group, "class")), ("school", to(location, "org")),
                ("user", to(person, "user")), ("role", .text(role)),
            ] + more)
    }
}
