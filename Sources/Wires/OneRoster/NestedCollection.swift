import Postgres

/// A collection read by way of other objects: `classes/{classSourcedId}/students`.
struct NestedCollection: Sendable {
    /// Below the path of the edition.
    let path: String
    /// The name of the collection that it is a part of.
    let collection: String
    /// What the part is called in the summary of the call.
    let meaning: String
    /// Which objects belong to it, for the sourcedIds of the path.
    let condition: @Sendable ([String]) -> Statement
    /// Whether there are the objects that the path names, where the standard wants 404 if not; `nil` where the page is
    /// empty then.
    let parents: (@Sendable ([String]) -> Statement)?

    init(
        _ path: String, _ collection: String, _ meaning: String,
        parents: (@Sendable ([String]) -> Statement)? = nil,
        _ condition: @escaping @Sendable ([String]) -> Statement
    ) {
        self.path = path
        self.collection = collection
        self.meaning = meaning
        self.parents = parents
        self.condition = condition
    }

    /// The names of the parameters of the path.
    var parameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            String($0.dropFirst().dropLast())
        }
    }

    static let all: [NestedCollection] = [
        NestedCollection("classes/{classSourcedId}/students", "students", "students of a class") {
            members($0, class: 0, "student")
        },
        NestedCollection("classes/{classSourcedId}/teachers", "teachers", "teachers of a class") {
            members($0, class: 0, "teacher")
        },
        NestedCollection("courses/{courseSourcedId}/classes", "classes", "classes of a course") {
            "x.course = \($0[0])"
        },
        NestedCollection("schools/{schoolSourcedId}/classes", "classes", "classes of a school") {
            "x.school = \($0[0])"
        },
        NestedCollection(
            "schools/{schoolSourcedId}/classes/{classSourcedId}/enrollments", "enrollments",
            "enrollments of a class of a school"
        ) { "x.school = \($0[0]) and x.class = \($0[1])" },
        NestedCollection(
            "schools/{schoolSourcedId}/classes/{classSourcedId}/students", "students",
            "students of a class of a school"
        ) { members($0, class: 1, "student", school: 0) },
        NestedCollection(
            "schools/{schoolSourcedId}/classes/{classSourcedId}/teachers", "teachers",
            "teachers of a class of a school"
        ) { members($0, class: 1, "teacher", school: 0) },
        NestedCollection("schools/{schoolSourcedId}/courses", "courses", "courses of a school") {
            "x.org = \($0[0])"
        },
        NestedCollection(
            "schools/{schoolSourcedId}/enrollments", "enrollments", "enrollments of a school"
        ) { "x.school = \($0[0])" },
        NestedCollection("schools/{schoolSourcedId}/students", "students", "students of a school") {
            holders(of: "student", at: $0[0])
        },
        NestedCollection("schools/{schoolSourcedId}/teachers", "teachers", "teachers of a school") {
            holders(of: "teacher", at: $0[0])
        },
        // Terms belong to the whole organization.
        NestedCollection("schools/{schoolSourcedId}/terms", "terms", "terms of a school") {
            """
            exists (select from school.location as l where school.oneroster_id(l.source_id, l.location_id) = \($0[0]))
            """
        },
        NestedCollection(
            "students/{studentSourcedId}/classes", "classes", "classes a student sits in"
        ) { classes($0, as: "student") },
        NestedCollection(
            "teachers/{teacherSourcedId}/classes", "classes", "classes a teacher teaches"
        ) { classes($0, as: "teacher") },
        NestedCollection("users/{userSourcedId}/classes", "classes", "classes of a user") {
            classes($0)
        },
        NestedCollection("terms/{termSourcedId}/classes", "classes", "classes of a term") {
            "\($0[0]) = any (x.terms)"
        },
        NestedCollection(
            "terms/{termSourcedId}/gradingPeriods", "gradingPeriods", "grading periods of a term"
        ) { "\($0[0]) = any (x.ancestors)" },
    ]

    /// People in a class.
    ///
    /// - Parameters:
    ///   - group: the position of the class in the path.
    ///   - school: that of where the class must be.
    private static func members(
        _ path: [String], class group: Int, _ role: String, school: Int? = nil
    ) -> Statement {
        """
        x.id in (select e.person_id
                   from school.oneroster_enrollments() as e
                  where e.is_active and e.class = \(path[group]) and e.role = \(role)
                        \(optional: school.map { "and e.school = \(path[$0])" }))
        """
    }

    private static func holders(of role: String, at school: String) -> Statement {
        """
        x.id in (select r.person_id from school.oneroster_roles() as r
                  where r.role = \(role) and r.org = \(school))
        """
    }

    /// The classes of a person.
    private static func classes(_ path: [String], as role: String? = nil) -> Statement {
        """
        x.id in (select e.class_id
                   from school.oneroster_enrollments() as e
                  where e.is_active and e.person = \(path[0])
                        \(optional: role.map { "and e.role = \($0)" }))
        """
    }
}
