/// The fields of the standard's model that have no value here. A consumer has one list of fields for all providers: to
/// name one of these is no mistake, it is only never there.
enum RosterModel {
    /// Whether the standard, in version 1.1 or 1.2, gives an object a field without a value here.
    ///
    /// - Parameters:
    ///   - name: perhaps with a part after a point.
    ///   - object: as collections name their objects.
    static func has(_ name: String, _ object: String) -> Bool {
        let field = String(name.prefix { $0 != "." })
        return field == "metadata" || fields[object]?.contains(field) == true
    }

    private static let fields: [String: Set<String>] = [
        "Org": ["identifier", "parent", "children"],
        "AcademicSession": ["parent", "children", "schoolYear"],
        "Course": [
            "schoolYear", "courseCode", "grades", "subjects", "subjectCodes", "resources",
        ],
        "Class": [
            "classCode", "location", "grades", "subjects", "subjectCodes", "periods", "resources",
        ],
        "Enrollment": ["primary", "beginDate", "endDate"],
        "User": [
            "userMasterIdentifier", "username", "userIds", "preferredFirstName",
            "preferredMiddleName", "preferredLastName", "pronouns", "roles", "role", "orgs", "org",
            "userProfiles", "identifier", "email", "sms", "phone", "agents", "grades", "password",
            "primaryOrg", "resources",
        ],
        "Demographics": [
            "birthDate", "sex", "americanIndianOrAlaskaNative", "asian", "blackOrAfricanAmerican",
            "nativeHawaiianOrOtherPacificIslander", "white", "demographicRaceTwoOrMoreRaces",
            "hispanicOrLatinoEthnicity", "countryOfBirthCode", "stateOfBirthAbbreviation",
            "cityOfBirth", "publicSchoolResidenceStatus",
        ],
        "Category": ["weight"],
        "LineItem": [
            "description", "gradingPeriod", "academicSession", "scoreScale", "resultValueMin",
            "resultValueMax", "learningObjectiveSet",
        ],
        "Result": [
            "class", "scoreScale", "score", "textScore", "comment", "learningObjectiveSet",
            "inProgress", "incomplete", "late", "missing",
        ],
        "ScoreScale": ["course", "class"],
        "Resource": [
            "roles", "importance", "vendorId", "applicationId", "title", "vendorResourceId",
        ],
    ]
}
