import TestKit
import Testing

/// Each rule of Apple's templates violated in an archive of its own.
extension Mistake {
    private static let small = TestArchive.small

    static let ofHeaders = [
        Mistake(
            "a column renamed",
            small.replacing("location_name", with: "name", in: "locations.csv"),
            says: "locations.csv:1:name unknown_column",
            "locations.csv:1:location_name missing_column"),
        Mistake(
            "a column in capitals",
            small.replacing("course_id,", with: "COURSE_ID,", in: "courses.csv"),
            says: "courses.csv:1:COURSE_ID unknown_column",
            "courses.csv:1:course_id missing_column"),
        Mistake(
            "a duplicate column",
            small.replacing(
                "course_number,course_name,", with: "course_name,course_name,", in: "courses.csv"),
            says: "courses.csv:1:course_name duplicate_column",
            "courses.csv:1:course_number missing_column"),
        Mistake(
            "a column without a name",
            small.replacing("roster_id,class_id", with: "roster_id,,class_id", in: "rosters.csv"),
            says: "rosters.csv:1:- unknown_column"),
        Mistake(
            "columns in another order",
            small.replacing("roster_id,class_id", with: "class_id,roster_id", in: "rosters.csv"),
            says: "rosters.csv:1:- wrong_column_order"),
        Mistake(
            "a sixteenth instructor",
            small.replacing(
                "instructor_id_3,", with: "instructor_id_3,instructor_id_16,", in: "classes.csv"),
            says: "classes.csv:1:instructor_id_16 unknown_column"),
        Mistake(
            "a file without a header",
            small.replacing(small.files["courses.csv"]!, with: "", in: "courses.csv"),
            says: "courses.csv:-:- empty_file"),
    ]

    static let ofValues = [
        Mistake(
            "no ID", small.adding(",,Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:person_id missing_value"),
        Mistake(
            "no first name", small.adding("T3,,,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name missing_value"),
        Mistake(
            "no last name", small.adding("S12,,Ann,,,,,,,L1", to: "students.csv"),
            says: "students.csv:13:last_name missing_value"),
        Mistake(
            "no location", small.adding("S12,,Ann,,Lee,,,,,", to: "students.csv"),
            says: "students.csv:13:location_id missing_value"),
        Mistake(
            "a location without a name", small.adding("L3,", to: "locations.csv"),
            says: "locations.csv:4:location_name missing_value"),
        Mistake(
            "a class without a course", small.adding("K3,,,T1,,,L1", to: "classes.csv"),
            says: "classes.csv:4:course_id missing_value"),
        Mistake(
            "a roster without an ID", small.adding(",K2,S3", to: "rosters.csv"),
            says: "rosters.csv:15:roster_id missing_value"),
        Mistake(
            "a password policy of five", small.adding("S12,,Ann,,Lee,,,,5,L1", to: "students.csv"),
            says: "students.csv:13:password_policy invalid_password_policy"),
        Mistake(
            "an underscore in an ID", small.adding("T_3,,Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:person_id invalid_identifier"),
        Mistake(
            "a space in an ID", small.adding("R 14,K2,S3", to: "rosters.csv"),
            says: "rosters.csv:15:roster_id invalid_identifier"),
        Mistake(
            "an ID of 256 characters",
            small.adding("\(String(repeating: "T", count: 256)),,Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:person_id too_long"),
        Mistake(
            "a name of 257 characters",
            small.adding("T3,,\(String(repeating: "a", count: 257)),,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name too_long"),
        Mistake(
            "a grade of 65 characters",
            small.adding(
                "S12,,Ann,,Lee,\(String(repeating: "9", count: 65)),,,,L1", to: "students.csv"),
            says: "students.csv:13:grade_level too_long"),
        Mistake(
            "a tab after the separator", small.adding("T3,,\tAnn,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name leading_space"),
        Mistake(
            "staff without a location", small.adding("T3,,Ann,,Lee,,,", to: "staff.csv"),
            says: "staff.csv:4:location_id missing_value"),
        Mistake(
            "a course without a location", small.adding("C2,,,", to: "courses.csv"),
            says: "courses.csv:3:location_id missing_value"),
        Mistake(
            "a class without a location", small.adding("K3,,C1,T1,,,", to: "classes.csv"),
            says: "classes.csv:4:location_id missing_value"),
        Mistake(
            "a course without an ID", small.adding(",,,L1", to: "courses.csv"),
            says: "courses.csv:3:course_id missing_value"),
        Mistake(
            "a class without an ID", small.adding(",,C1,T1,,,L1", to: "classes.csv"),
            says: "classes.csv:4:class_id missing_value"),
        Mistake(
            "a roster without a class", small.adding("R14,,S3", to: "rosters.csv"),
            says: "rosters.csv:15:class_id missing_value"),
        Mistake(
            "a roster without a student", small.adding("R14,K2,", to: "rosters.csv"),
            says: "rosters.csv:15:student_id missing_value"),
        Mistake(
            "a quotation mark in an unquoted value",
            small.adding("L3,Ea\"st", to: "locations.csv"),
            says: "locations.csv:4:- malformed_csv"),
        Mistake(
            "text after a closing quotation mark",
            small.adding("L3,\"East\" x", to: "locations.csv"),
            says: "locations.csv:4:- malformed_csv"),
        Mistake(
            "a space after the separator", small.adding("T3,, Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name leading_space"),
        Mistake(
            "curly quotation marks", small.adding("T3,,“Ann”,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name curly_quotes"),
        Mistake(
            "a bell character in a name", small.adding("T3,,An\u{7}n,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name control_character"),
        Mistake(
            "an e-mail address without a domain",
            small.adding("T3,,Ann,,Lee,ann@,,L1", to: "staff.csv"),
            says: "staff.csv:4:email_address invalid_email"),
        Mistake(
            "a missing value", small.adding("R14,K2", to: "rosters.csv"),
            says: "rosters.csv:15:- wrong_number_of_values"),
        Mistake(
            "a quotation mark that is never closed", small.adding("L3,\"East", to: "locations.csv"),
            says: "locations.csv:4:- malformed_csv"),
    ]

    static let ofReferences = [
        Mistake(
            "a person in two files", small.adding("S1,,Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:person_id duplicate_id"),
        Mistake(
            "a duplicate location", small.adding("L2,East", to: "locations.csv"),
            says: "locations.csv:4:location_id duplicate_id"),
        Mistake(
            "a duplicate course", small.adding("C1,,,L1", to: "courses.csv"),
            says: "courses.csv:3:course_id duplicate_id"),
        Mistake(
            "a duplicate class", small.adding("K2,,C1,,,,L1", to: "classes.csv"),
            says: "classes.csv:4:class_id duplicate_id"),
        Mistake(
            "a duplicate roster", small.adding("R1,K2,S3", to: "rosters.csv"),
            says: "rosters.csv:15:roster_id duplicate_id"),
        Mistake(
            "a student twice in a class", small.adding("R14,K2,S2", to: "rosters.csv"),
            says: "rosters.csv:15:student_id duplicate_seat"),
        Mistake(
            "a missing location",
            small.adding("S12,,Ann,,Lee,,,,,L9", to: "students.csv"),
            says: "students.csv:13:location_id unknown_reference"),
        Mistake(
            "a missing second location",
            small.replacing(
                "password_policy,location_id", with: "password_policy,location_id,location_id_2",
                in: "students.csv"
            )
            .replacing(",8,L1", with: ",8,L1,", in: "students.csv")
            .adding("S12,,Ann,,Lee,,,,,L1,L9", to: "students.csv"),
            says: "students.csv:13:location_id_2 unknown_reference"),
        Mistake(
            "staff with a missing location",
            small.adding("T3,,Ann,,Lee,,,L9", to: "staff.csv"),
            says: "staff.csv:4:location_id unknown_reference"),
        Mistake(
            "a course with a missing location",
            small.adding("C2,,,L9", to: "courses.csv"),
            says: "courses.csv:3:location_id unknown_reference"),
        Mistake(
            "a class with a missing location",
            small.adding("K3,,C1,T1,,,L9", to: "classes.csv"),
            says: "classes.csv:4:location_id unknown_reference"),
        Mistake(
            "a missing instructor", small.adding("K3,,C1,T9,,,L1", to: "classes.csv"),
            says: "classes.csv:4:instructor_id unknown_reference"),
        Mistake(
            "a missing student", small.adding("R14,K2,S99", to: "rosters.csv"),
            says: "rosters.csv:15:student_id unknown_reference"),
        Mistake(
            "a file name in capitals", small.adding("x", to: "Notes.CSV"),
            says: "Notes.CSV:-:- unknown_file"),
        Mistake(
            "a missing course", small.adding("K3,,C9,,,,L1", to: "classes.csv"),
            says: "classes.csv:4:course_id unknown_reference"),
        Mistake(
            "an instructor who is a student", small.adding("K3,,C1,T1,S1,,L1", to: "classes.csv"),
            says: "classes.csv:4:instructor_id_2 unknown_reference"),
        Mistake(
            "a missing class", small.adding("R14,K9,S1", to: "rosters.csv"),
            says: "rosters.csv:15:class_id unknown_reference"),
        Mistake(
            "a student who is a teacher", small.adding("R14,K2,T1", to: "rosters.csv"),
            says: "rosters.csv:15:student_id unknown_reference"),
    ]
}
