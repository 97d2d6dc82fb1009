import Testing

extension UsualArchive {
    private static let bulk = TestArchive.oneRoster1
    private static let small = TestArchive.small

    static let words = [
        UsualArchive("as the standard has it", bulk),
        UsualArchive("Apple's templates", small),
        UsualArchive(
            "a boolean in capitals",
            bulk.replacing("S3,,,true", with: "S3,,,TRUE", in: "users.csv"),
            notes: ["users.csv respelled"]),
        UsualArchive(
            "booleans as a number and in German",
            bulk.replacing("S3,,,true", with: "S3,,,1", in: "users.csv")
                .replacing("S4,,,true", with: "S4,,,WAHR", in: "users.csv"),
            notes: ["users.csv respelled"]),
        UsualArchive(
            "a role in capitals",
            bulk.replacing("L1,teacher,grace", with: "L1,Teacher,grace", in: "users.csv"),
            notes: ["users.csv respelled"]),
        UsualArchive(
            "a role of another vocabulary",
            bulk.replacing(
                "L1,teacher,grace", with: "L1,ext:substitute-teacher,grace", in: "users.csv"),
            notes: ["users.csv nearest_word"]),
        UsualArchive(
            "a role that means nothing here",
            bulk.replacing("L1,teacher,grace", with: "L1,ext:lunch,grace", in: "users.csv"),
            warnings: [
                "users.csv:13:role invalid_word",
                "enrollments.csv:15:userSourcedId unknown_reference",
            ], people: 12),
        UsualArchive(
            "a kind of term that is not known",
            bulk.replacing("Autumn,term", with: "Autumn,quarter", in: "academicSessions.csv"),
            notes: ["academicSessions.csv nearest_word"]),
        UsualArchive(
            "values that nobody stores",
            bulk.replacing("S3,,,true", with: "S3,active,11/20/2026 2:15 AM,true", in: "users.csv")
                .replacing(
                    "2026-07-31,,2026", with: "2026-07-31,,2025-2026", in: "academicSessions.csv"
                )
                .replacing("South School,school", with: "South School,campus", in: "orgs.csv")
                .replacing("scheduled", with: "Seminar", in: "classes.csv")
                .replacing("T1,teacher,true", with: "T1,teacher,yes", in: "enrollments.csv")),
    ]

    static let dates = [
        UsualArchive(
            "a German date", started("01.08.2025"), notes: ["academicSessions.csv date_rewritten"]),
        UsualArchive(
            "an American date, where a part is above 12", started("8/31/2025"),
            notes: ["academicSessions.csv date_rewritten"]),
        UsualArchive(
            "a short date", started("2025-8-1"), notes: ["academicSessions.csv date_rewritten"]),
        UsualArchive(
            "a date with a time", started("2025-08-01T00:00:00.000Z"),
            notes: ["academicSessions.csv date_rewritten"]),
        UsualArchive(
            "a date that may be two", started("8/1/2025"),
            warnings: [
                "academicSessions.csv:2:startDate invalid_date",
                "academicSessions.csv:3:parentSourcedId unknown_reference",
                "courses.csv:2:schoolYearSourcedId unknown_reference",
            ]),
    ]

    private static func started(_ date: String) -> TestArchive {
        bulk.replacing(
            "schoolYear,2025-08-01", with: "schoolYear,\(date)", in: "academicSessions.csv")
    }

    static let forms = [
        UsualArchive(
            "columns in another order",
            bulk.mapping("orgs.csv") { [$0[4], $0[0], $0[3], $0[1], $0[2], $0[6], $0[5]] },
            notes: ["orgs.csv column_order"]),
        UsualArchive(
            "an own column", bulk.mapping("users.csv") { $0 + ["ext_homeroom"] },
            notes: ["users.csv own_column"]),
        UsualArchive(
            "columns of metadata", bulk.mapping("users.csv") { $0 + ["metadata.x"] }),
        UsualArchive(
            "an optional column less", bulk.mapping("users.csv") { $0.dropLast() },
            notes: ["users.csv absent_column"]),
        UsualArchive(
            "a header with spaces and capitals",
            bulk.rewriting("users.csv") {
                $0.replacing("sourcedId,", with: "SOURCEDID ,").replacing("email,", with: " email,")
            }),
        UsualArchive(
            "lines in front of the header",
            bulk.rewriting("users.csv") { "#TYPE System.Object\n" + $0 }
                .rewriting("orgs.csv") { "sep=,\r\n" + $0 },
            notes: ["orgs.csv technical_line", "users.csv technical_line"]),
        UsualArchive(
            "rows and columns without content",
            bulk.mapping("users.csv") { $0 + ["", ""] }
                .rewriting("users.csv") { $0 + ",,,,,,,,,,,,,,,,,,,\n \n\u{1A}" },
            notes: ["users.csv empty_row"]),
        UsualArchive(
            "tabs", bulk.rewriting("users.csv") { $0.replacing(",", with: "\t") },
            notes: ["users.csv other_separator"]),
        UsualArchive(
            "spaces after commas",
            bulk.rewriting("enrollments.csv") { $0.replacing(",", with: ", ") }),
        UsualArchive(
            "spaces behind values",
            bulk.replacing("Given3,", with: "Given3\u{A0} ,", in: "users.csv")
                .replacing("R3,,", with: "R3\t,,", in: "enrollments.csv"),
            notes: ["users.csv trimmed", "enrollments.csv trimmed"]),
        UsualArchive(
            "quotation marks within a value and around it",
            bulk.replacing("Given3,", with: "Benjamin \"Ben\",", in: "users.csv")
                .replacing("Given4,", with: "“Given4”,", in: "users.csv")
                .replacing("Given5,", with: "Robert “Bob”,", in: "users.csv"),
            notes: ["users.csv unquoted"]),
        UsualArchive(
            "the word NULL",
            bulk.replacing(
                "Hopper,,,grace@school.example", with: "Hopper,NULL,,NULL", in: "users.csv"),
            notes: ["users.csv empty_word"]),
        UsualArchive(
            "a short row", bulk.adding("R17,,,K2,L2,S4,student", to: "enrollments.csv"),
            warnings: ["enrollments.csv:18:- wrong_number_of_values"]),
        UsualArchive(
            "a comma too many at the end of a row, which moves its values or not",
            bulk.replacing(
                "S3,student,,2025-08-01,2026-01-31", with: "S3,student,,2025-08-01,2026-01-31,",
                in: "enrollments.csv"),
            warnings: ["enrollments.csv:4:- wrong_number_of_values"]),
        UsualArchive(
            "a comma too many at the end of every row",
            bulk.mapping("enrollments.csv") { $0[0] == "sourcedId" ? $0 : $0 + [""] },
            notes: ["enrollments.csv empty_row"]),
        UsualArchive(
            "Apple's templates in capitals, with an own column and a type",
            small.mapping("students.csv") {
                $0.first == "person_id" ? $0.map { $0.uppercased() } : $0
            }
            .mapping("staff.csv") { $0 + ["homeroom"] }
            .rewriting("classes.csv") { "#TYPE Selected\n" + $0 },
            notes: ["staff.csv own_column", "classes.csv technical_line"]),
    ]

    static let encodings = [
        UsualArchive(
            "UTF-16", bulk.encoding("users.csv", littleEndian).encoding("orgs.csv", bigEndian),
            notes: ["orgs.csv utf16", "users.csv utf16"]),
        UsualArchive(
            "two marks, and one in the middle",
            bulk.rewriting("users.csv") {
                "\u{FEFF}\u{FEFF}" + $0.replacing("T1,,,true", with: "\u{FEFF}T1,,,true")
            }, notes: ["users.csv trimmed"]),
        UsualArchive(
            "lines that end with a carriage return",
            bulk.rewriting("users.csv") { $0.replacing("\n", with: "\r") }
                .rewriting("manifest.csv") { $0.replacing("\n", with: "\r") }),
    ]

    static let containers = [
        UsualArchive(
            "a folder, packed by a Mac",
            {
                var archive = bulk.renaming { "export of 28 November/" + $0 }
                archive.files["__MACOSX/export of 28 November/._users.csv"] = "x"
                archive.files["export of 28 November/.DS_Store"] = "x"
                return archive
            }(), notes: ["- folder_removed", "- other_file"]),
        UsualArchive(
            "a read-me and names in another case",
            bulk.renaming { $0 == "academicSessions.csv" ? "academicsessions.CSV" : $0 }
                .adding("x", to: "README.txt"),
            notes: ["- other_file", "- file_renamed"]),
        UsualArchive(
            "a table that is not known", bulk.adding("x", to: "buses.csv"),
            warnings: ["buses.csv:-:- unknown_file"]),
        UsualArchive(
            "Apple's templates in a folder", small.renaming { "asm upload/" + $0 },
            notes: ["- folder_removed"]),
        UsualArchive(
            "a manifest as Excel writes it",
            bulk.rewriting("manifest.csv") { text in
                text.replacing("manifest.version,1.0", with: "manifest.version,1")
                    .replacing("propertyName,value", with: "propertyName,propertyValue")
                    .replacing("oneroster.version,1.1", with: "oneroster.version,1.1.1")
                    .replacing("file.users,bulk", with: "file.Users,BULK ")
                    .replacing("file.categories,absent", with: "file.categories,")
                    + "file.userProfiles,absent\nx.vendor,1\n"
            }, notes: ["- manifest_mended"]),
    ]

    static let relations = [
        UsualArchive(
            "a seat of a stranger",
            bulk.adding("R17,,,K2,L2,S99,student,,,", to: "enrollments.csv"),
            warnings: ["enrollments.csv:18:userSourcedId unknown_reference"]),
        UsualArchive(
            "seats of an aide and a parent",
            bulk.adding("R17,,,K2,L2,S4,aide,,,", to: "enrollments.csv")
                .adding("R18,,,K2,L2,P1,guardian,,,", to: "enrollments.csv")),
        UsualArchive(
            "a row and a seat twice",
            bulk.adding("R13,,,K2,L2,S2,student,,,", to: "enrollments.csv")
                .adding("R99,,,K2,L2,S1,student,,,", to: "enrollments.csv"),
            notes: ["enrollments.csv repeated_row", "enrollments.csv repeated_seat"]),
        UsualArchive(
            "a user in a row for each school",
            bulk.adding("T2,,,true,L2,teacher,alan,,Alan,Turing,M,,,,,,,", to: "users.csv"),
            warnings: ["users.csv:16:sourcedId duplicate_id"]),
        UsualArchive(
            "parents elsewhere, and a term in itself",
            bulk.replacing(
                "South School,school,,D1", with: "South School,school,,D9", in: "orgs.csv"
            )
            .replacing("2026-01-31,Y1", with: "2026-01-31,Z1", in: "academicSessions.csv"),
            warnings: [
                "academicSessions.csv:3:parentSourcedId circular_reference",
                "orgs.csv:4:parentSourcedId unknown_reference",
            ]),
        UsualArchive(
            "a class without a term, one with a comma too many, one of an unknown course",
            bulk.replacing(",12,L1,Z1,", with: ",12,L1,,", in: "classes.csv")
                .replacing("scheduled,,L2,Z1,", with: "scheduled,,L2,\"Z1,\",", in: "classes.csv")
                .adding("K3,,,X,,C9,,scheduled,,L1,\"Z1,Z9\",,,", to: "classes.csv"),
            notes: ["classes.csv list_mended"],
            warnings: [
                "classes.csv:4:courseSourcedId unknown_reference",
                "classes.csv:4:termSourcedIds unknown_reference",
            ]),
        UsualArchive(
            "a long title",
            bulk.replacing("Geometry", with: String(repeating: "g", count: 300), in: "classes.csv"),
            notes: ["classes.csv shortened"]),
        UsualArchive(
            "mistakes in rows that bring nobody",
            bulk.adding("P2,,,true,L9,guardian,,,,,,,n/a,,,,,", to: "users.csv")
                .adding("S12,,,false,L9,student,s12,,Given12,,,,n/a,,,,,", to: "users.csv")
                .adding("S13,tobedeleted,,maybe,L9,student,,,,,,,n/a,,,,,", to: "users.csv")
                .adding("R17,,,,L9,S1,student,,1.8.25,2025-01-31", to: "enrollments.csv")),
    ]
}
