import TestKit
import Testing

/// Each rule of OneRoster violated in an archive of its own.
extension Mistake {
    private static let bulk = TestArchive.oneRoster1
    private static let second = TestArchive.oneRoster2

    static let ofManifests = [
        Mistake(
            "another version of the manifest",
            bulk.replacing(
                "manifest.version,1.0", with: "manifest.version,2.0", in: "manifest.csv"),
            says: "manifest.csv:-:- invalid_manifest"),
        Mistake(
            "an unsupported version of OneRoster",
            bulk.replacing(
                "oneroster.version,1.1", with: "oneroster.version,1.0", in: "manifest.csv"),
            says: "manifest.csv:-:- invalid_manifest"),
        Mistake(
            "a manifest with another header",
            bulk.replacing("propertyName,value", with: "name,value", in: "manifest.csv"),
            says: "manifest.csv:1:- invalid_manifest"),
        Mistake(
            "a file unknown in this version",
            bulk.replacing("file.categories,absent", with: "file.roles,absent", in: "manifest.csv"),
            says: "manifest.csv:5:- invalid_manifest"),
        Mistake(
            "an unknown mode of a file",
            bulk.replacing("file.users,bulk", with: "file.users,full", in: "manifest.csv"),
            says: "manifest.csv:16:- invalid_manifest"),
        Mistake(
            "a file listed twice", bulk.adding("file.users,bulk", to: "manifest.csv"),
            says: "manifest.csv:17:- invalid_manifest"),
        Mistake(
            "a file that is listed and missing",
            bulk.replacing(
                "file.demographics,absent", with: "file.demographics,bulk", in: "manifest.csv"),
            says: "demographics.csv:-:- missing_file"),
        Mistake(
            "a file that exists but is not listed",
            bulk.replacing("file.results,bulk", with: "file.results,absent", in: "manifest.csv"),
            says: "results.csv:-:- unexpected_file"),
        Mistake(
            "a file unknown in every version", bulk.adding("x", to: "notes.txt"),
            says: "notes.txt:-:- unknown_file"),
    ]

    static let ofStandardHeaders = [
        Mistake(
            "a column renamed",
            bulk.replacing("enabledUser", with: "enabled", in: "users.csv"),
            says: "users.csv:1:enabled unknown_column", "users.csv:1:enabledUser missing_column"),
        Mistake(
            "a duplicate column",
            bulk.replacing("subjects,subjectCodes", with: "subjects,Subjects", in: "courses.csv"),
            says: "courses.csv:1:Subjects duplicate_column",
            "courses.csv:1:subjectCodes missing_column"),
        Mistake(
            "columns in another order",
            bulk.replacing("name,type", with: "type,name", in: "orgs.csv"),
            says: "orgs.csv:1:- wrong_column_order"),
        Mistake(
            "the users of version 1.1 in version 1.2",
            second.replacing(
                second.files["users.csv"]!, with: bulk.files["users.csv"]!, in: "users.csv"),
            says: "users.csv:1:orgSourcedIds unknown_column", "users.csv:1:role unknown_column",
            "users.csv:1:userMasterIdentifier missing_column",
            "users.csv:1:preferredGivenName missing_column",
            "users.csv:1:preferredMiddleName missing_column",
            "users.csv:1:preferredFamilyName missing_column",
            "users.csv:1:primaryOrgSourcedId missing_column", "users.csv:1:pronouns missing_column"),
    ]

    static let ofStandardValues = [
        Mistake(
            "a boolean in capitals",
            bulk.replacing("S3,,,true", with: "S3,,,TRUE", in: "users.csv"),
            says: "users.csv:4:enabledUser invalid_boolean"),
        Mistake(
            "a primary teacher in words",
            bulk.replacing("T1,teacher,true", with: "T1,teacher,yes", in: "enrollments.csv"),
            says: "enrollments.csv:15:primary invalid_boolean"),
        Mistake(
            "a role in capitals",
            bulk.replacing("L1,teacher,grace", with: "L1,Teacher,grace", in: "users.csv"),
            says: "users.csv:13:role invalid_word"),
        Mistake(
            "a role of version 1.1 in version 1.2",
            second.replacing(
                "T1,primary,teacher", with: "T1,primary,administrator", in: "roles.csv"),
            says: "roles.csv:13:role invalid_word"),
        Mistake(
            "a role that is neither primary nor secondary",
            second.replacing("T1,primary,", with: "T1,first,", in: "roles.csv"),
            says: "roles.csv:13:roleType invalid_word"),
        Mistake(
            "a role that does not exist in classes",
            bulk.replacing(
                "R12,,,K2,L2,S1,student", with: "R12,,,K2,L2,S1,pupil", in: "enrollments.csv"),
            says: "enrollments.csv:13:role invalid_word"),
        Mistake(
            "an unknown kind of org",
            bulk.replacing(
                "L2,,,South School,school", with: "L2,,,South School,building", in: "orgs.csv"),
            says: "orgs.csv:4:type invalid_word"),
        Mistake(
            "an unknown kind of class",
            bulk.replacing("MA-1-B,scheduled", with: "MA-1-B,planned", in: "classes.csv"),
            says: "classes.csv:3:classType invalid_word"),
        Mistake(
            "an unknown kind of term",
            bulk.replacing("Autumn,term", with: "Autumn,quarter", in: "academicSessions.csv"),
            says: "academicSessions.csv:3:type invalid_word"),
        Mistake(
            "a day in another format",
            bulk.replacing(
                "Y1,,,2025-2026,schoolYear,2025-08-01",
                with: "Y1,,,2025-2026,schoolYear,01.08.2025", in: "academicSessions.csv"),
            says: "academicSessions.csv:2:startDate invalid_date"),
        Mistake(
            "a day missing from every calendar",
            bulk.replacing(
                "S1,student,,2025-08-01", with: "S1,student,,2025-02-30", in: "enrollments.csv"),
            says: "enrollments.csv:2:beginDate invalid_date"),
        Mistake(
            "a school year in words",
            bulk.replacing("Y1,2026", with: "Y1,next", in: "academicSessions.csv"),
            says: "academicSessions.csv:3:schoolYear invalid_date"),
        Mistake(
            "a status in a bulk archive",
            bulk.replacing("L2,,,South", with: "L2,active,,South", in: "orgs.csv"),
            says: "orgs.csv:4:status must_be_empty"),
        Mistake(
            "a moment of change in a bulk archive",
            bulk.replacing(
                "L2,,,South", with: "L2,,2025-08-01T00:00:00.000Z,South", in: "orgs.csv"),
            says: "orgs.csv:4:dateLastModified must_be_empty"),
        Mistake(
            "no family name",
            bulk.replacing("Grace,Hopper", with: "Grace,", in: "users.csv"),
            says: "users.csv:13:familyName missing_value"),
        Mistake(
            "an extra comma in a list of orgs",
            bulk.replacing("T1,,,true,L1,", with: "T1,,,true,\"L1,,L2\",", in: "users.csv"),
            says: "users.csv:13:orgSourcedIds missing_value"),
        Mistake(
            "an ID of 256 characters",
            bulk.adding("\(String(repeating: "X", count: 256)),,,East,school,,", to: "orgs.csv"),
            says: "orgs.csv:5:sourcedId too_long"),
        Mistake(
            "an e-mail address without a domain",
            bulk.replacing("grace@school.example", with: "grace", in: "users.csv"),
            says: "users.csv:13:email invalid_email"),
        Mistake(
            "a missing value", bulk.adding("L3,,,East", to: "orgs.csv"),
            says: "orgs.csv:5:- wrong_number_of_values"),
        Mistake(
            "a backslash before a quotation mark, which only Apple allows",
            bulk.adding("L3,,,\"East \\\"new\\\"\",school,,", to: "orgs.csv"),
            says: "orgs.csv:5:- malformed_csv"),
    ]

    static let ofStandardReferences = [
        Mistake(
            "a duplicate org", bulk.adding("L2,,,East,school,,", to: "orgs.csv"),
            says: "orgs.csv:5:sourcedId duplicate_id"),
        Mistake(
            "a duplicate user",
            bulk.adding("T1,,,true,L1,teacher,eve,,Eve,Lee,,,,,,,,", to: "users.csv"),
            says: "users.csv:16:sourcedId duplicate_id"),
        Mistake(
            "a duplicate role", second.adding("O1,,,T1,secondary,aide,,,L1,", to: "roles.csv"),
            says: "roles.csv:16:sourcedId duplicate_id"),
        Mistake(
            "a duplicate course", bulk.adding("C1,,,,History,,,L1,,", to: "courses.csv"),
            says: "courses.csv:3:sourcedId duplicate_id"),
        Mistake(
            "a duplicate class", bulk.adding("K1,,,X,,C1,,scheduled,,L1,Z1,,,", to: "classes.csv"),
            says: "classes.csv:4:sourcedId duplicate_id"),
        Mistake(
            "a duplicate term",
            bulk.adding("Z1,,,X,term,2025-08-01,2025-09-01,,2026", to: "academicSessions.csv"),
            says: "academicSessions.csv:4:sourcedId duplicate_id"),
        Mistake(
            "a duplicate enrolment", bulk.adding("R1,,,K2,L2,S4,student,,,", to: "enrollments.csv"),
            says: "enrollments.csv:18:sourcedId duplicate_id"),
        Mistake(
            "a student twice in a class",
            bulk.adding("R17,,,K1,L1,S1,student,,,", to: "enrollments.csv"),
            says: "enrollments.csv:18:userSourcedId duplicate_seat"),
        Mistake(
            "a missing parent school",
            bulk.replacing(
                "South School,school,,D1", with: "South School,school,,D9", in: "orgs.csv"),
            says: "orgs.csv:4:parentSourcedId unknown_reference"),
        Mistake(
            "a user with a missing school",
            bulk.replacing("T1,,,true,L1,", with: "T1,,,true,\"L1,L9\",", in: "users.csv"),
            says: "users.csv:13:orgSourcedIds unknown_reference"),
        Mistake(
            "a role with a missing user",
            second.adding("O15,,,T9,primary,teacher,,,L1,", to: "roles.csv"),
            says: "roles.csv:16:userSourcedId unknown_reference"),
        Mistake(
            "a role with a missing school",
            second.adding("O15,,,T1,secondary,aide,,,L9,", to: "roles.csv"),
            says: "roles.csv:16:orgSourcedId unknown_reference"),
        Mistake(
            "a course with a missing school",
            bulk.adding("C2,,,,History,,,L9,,", to: "courses.csv"),
            says: "courses.csv:3:orgSourcedId unknown_reference"),
        Mistake(
            "a course with a missing school year",
            bulk.adding("C2,,,Y9,History,,,L1,,", to: "courses.csv"),
            says: "courses.csv:3:schoolYearSourcedId unknown_reference"),
        Mistake(
            "a class with a missing course",
            bulk.adding("K3,,,X,,C9,,scheduled,,L1,Z1,,,", to: "classes.csv"),
            says: "classes.csv:4:courseSourcedId unknown_reference"),
        Mistake(
            "a class with a missing term",
            bulk.adding("K3,,,X,,C1,,scheduled,,L1,\"Z1,Z9\",,,", to: "classes.csv"),
            says: "classes.csv:4:termSourcedIds unknown_reference"),
        Mistake(
            "an enrolment with a missing class",
            bulk.adding("R17,,,K9,L1,S1,student,,,", to: "enrollments.csv"),
            says: "enrollments.csv:18:classSourcedId unknown_reference"),
        Mistake(
            "an enrolment with a missing user",
            bulk.adding("R17,,,K2,L9,S9x,student,,,", to: "enrollments.csv"),
            says: "enrollments.csv:18:schoolSourcedId unknown_reference",
            "enrollments.csv:18:userSourcedId unknown_reference"),
        Mistake(
            "a term that ends before it begins",
            bulk.adding("Z2,,,X,term,2026-02-01,2025-09-01,Y1,2026", to: "academicSessions.csv"),
            says: "academicSessions.csv:4:endDate wrong_period"),
        Mistake(
            "an enrolment that ends before it begins",
            bulk.adding("R17,,,K2,L2,S4,student,,2025-09-01,2025-08-01", to: "enrollments.csv"),
            says: "enrollments.csv:18:endDate wrong_period"),
        Mistake(
            "a school year that is a part of its term",
            bulk.replacing(
                "2026-07-31,,2026", with: "2026-07-31,Z1,2026", in: "academicSessions.csv"),
            says: "academicSessions.csv:2:parentSourcedId circular_reference",
            "academicSessions.csv:3:parentSourcedId circular_reference"),
    ]

    static let ofChanges = [
        Mistake(
            "a change without a status",
            TestArchive.delta(["orgs": ["L2,,,South School,school,,"]])
                .replacing(",active,", with: ",,", in: "orgs.csv"),
            says: "orgs.csv:2:status missing_value"),
        Mistake(
            "a change with an unknown status",
            TestArchive.delta(["orgs": ["L2,,,South School,school,,"]])
                .replacing(",active,", with: ",inactive,", in: "orgs.csv"),
            says: "orgs.csv:2:status invalid_word"),
        Mistake(
            "a change whose moment is only a day",
            TestArchive.delta(["orgs": ["L2,,,South School,school,,"]])
                .replacing("2026-09-01T07:30:00.000Z", with: "2026-09-01", in: "orgs.csv"),
            says: "orgs.csv:2:dateLastModified invalid_time"),
        Mistake(
            "a new org without a name",
            TestArchive.delta(["orgs": ["L3,,,,school,,"]]),
            says: "orgs.csv:2:name missing_value"),
        Mistake(
            "a deletion without an ID", TestArchive.delta(["orgs": ["-,,,,,,"]]),
            says: "orgs.csv:2:sourcedId missing_value"),
    ]
}
