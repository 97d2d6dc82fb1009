import Foundation

extension TestArchive {
    /// What `small` brings, as a OneRoster 1.1 bulk archive, with a district above the schools, a parent, and results
    /// that are of no interest here.
    static let oneRoster1: TestArchive = {
        var archive = TestArchive()
        archive.files["manifest.csv"] = manifest(
            "1.1",
            [
                "academicSessions": "bulk", "orgs": "bulk", "users": "bulk", "courses": "bulk",
                "classes": "bulk", "enrollments": "bulk", "results": "bulk",
            ])
        archive.files["users.csv"] =
            ([userHeader1] + students1
            + [
                "T1,,,true,L1,teacher,grace,,Grace,Hopper,,,grace@school.example,,,,,",
                "T2,,,true,L1,teacher,alan,,Alan,Turing,M,,,,,,,",
                "P1,,,true,L1,parent,pat,,Pat,Family1,,,,,,S1,,",
            ]).joined(separator: "\n") + "\n"
        for (name, text) in otherFiles { archive.files[name] = text }
        return archive
    }()

    /// The same in version 1.2, which has roles in a file of their own.
    static let oneRoster2: TestArchive = {
        var archive = oneRoster1
        archive.files["manifest.csv"] = manifest(
            "1.2",
            [
                "academicSessions": "bulk", "orgs": "bulk", "users": "bulk", "roles": "bulk",
                "courses": "bulk", "classes": "bulk", "enrollments": "bulk", "results": "bulk",
            ])
        let students = (1...11).map {
            "S\($0),,,true,s\($0),,Given\($0),Family\($0),,\($0),,,,,07,,,,,,,"
        }
        archive.files["users.csv"] =
            (["\(userHeader2)"] + students
            + [
                "T1,,,true,grace,,Grace,Hopper,,,grace@school.example,,,,,,,,,,,",
                "T2,,,true,alan,,Alan,Turing,M,,,,,,,,,,,,,",
                "P1,,,true,pat,,Pat,Family1,,,,,,S1,,,,,,,,",
            ]).joined(separator: "\n") + "\n"
        archive.files["roles.csv"] =
            ([roleHeader] + (1...11).map { "O\($0),,,S\($0),primary,student,,,L1," }
            + [
                "O12,,,T1,primary,teacher,,,L1,", "O13,,,T2,primary,teacher,,,L1,",
                "O14,,,P1,primary,parent,,,L1,",
            ]).joined(separator: "\n") + "\n"
        return archive
    }()

    /// An archive of changes in version 1.1: the lines of each named file without status and date, which say that the
    /// row exists, or, with a minus before it, that it was removed.
    static func delta(_ changes: [String: [String]]) -> TestArchive {
        var archive = TestArchive()
        archive.files["manifest.csv"] = manifest("1.1", changes.mapValues { _ in "delta" })
        for (name, lines) in changes {
            let header = oneRoster1.files[name + ".csv"]!.split(separator: "\n")[0]
            let rows = lines.map { line in
                let isGone = line.hasPrefix("-")
                let status = isGone ? "tobedeleted" : "active"
                return line.drop { $0 == "-" }.replacingOccurrences(
                    of: ",,,", with: ",\(status),2026-09-01T07:30:00.000Z,",
                    range: line.drop { $0 == "-" }.range(of: ",,,"))
            }
            archive.files[name + ".csv"] = ([String(header)] + rows).joined(separator: "\n") + "\n"
        }
        return archive
    }

    static func manifest(_ version: String, _ files: [String: String]) -> String {
        var names = [
            "academicSessions", "categories", "classes", "classResources", "courses",
            "courseResources", "demographics", "enrollments", "lineItems", "orgs", "resources",
            "results", "users",
        ]
        if version == "1.2" { names.append("roles") }
        return
            (["propertyName,value", "manifest.version,1.0", "oneroster.version,\(version)"]
            + names.map { "file.\($0),\(files[$0] ?? "absent")" }).joined(separator: "\n") + "\n"
    }

    /// Everything except users and roles.
    private static let otherFiles: [String: String] = [
        "academicSessions.csv": """
        sourcedId,status,dateLastModified,title,type,startDate,endDate,parentSourcedId,schoolYear
        Y1,,,2025-2026,schoolYear,2025-08-01,2026-07-31,,2026
        Z1,,,Autumn,term,2025-08-01,2026-01-31,Y1,2026

        """,
        "orgs.csv": """
        sourcedId,status,dateLastModified,name,type,identifier,parentSourcedId
        D1,,,District,district,,
        L1,,,North School,school,,D1
        L2,,,South School,school,,D1

        """,
        "courses.csv": """
        sourcedId,status,dateLastModified,schoolYearSourcedId,title,courseCode,grades,orgSourcedId,subjects,subjectCodes
        C1,,,Y1,Mathematics,MA-1,,L1,,

        """,
        "classes.csv": """
        sourcedId,status,dateLastModified,title,grades,courseSourcedId,classCode,classType,location,schoolSourcedId,termSourcedIds,subjects,subjectCodes,periods
        K1,,,MA-1-A,,C1,MA-1-A,scheduled,12,L1,Z1,,,
        K2,,,Geometry,,C1,MA-1-B,scheduled,,L2,Z1,,,

        """,
        "enrollments.csv":
            ([
                "sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role,primary,beginDate,endDate"
            ]
            + (1...11).map { "R\($0),,,K1,L1,S\($0),student,,2025-08-01,2026-01-31" }
            + [
                "R12,,,K2,L2,S1,student,,,", "R13,,,K2,L2,S2,student,,,",
                "R14,,,K1,L1,T1,teacher,true,,", "R15,,,K1,L1,T2,teacher,false,,",
                "R16,,,K2,L2,T2,teacher,true,,",
            ]).joined(separator: "\n") + "\n",
        "results.csv":
            "sourcedId,status,dateLastModified,lineItemSourcedId,studentSourcedId,scoreStatus,score,scoreDate,comment\nX1,,,I1,S1,fully graded,1,2025-09-01,a secret\n",
    ]

    private static let userHeader1 =
        "sourcedId,status,dateLastModified,enabledUser,orgSourcedIds,role,username,userIds,givenName,"
        + "familyName,middleName,identifier,email,sms,phone,agentSourcedIds,grades,password"
    private static let userHeader2 =
        "sourcedId,status,dateLastModified,enabledUser,username,userIds,givenName,familyName,middleName,"
        + "identifier,email,sms,phone,agentSourcedIds,grades,password,userMasterIdentifier,"
        + "preferredGivenName,preferredMiddleName,preferredFamilyName,primaryOrgSourcedId,pronouns"
    private static let roleHeader =
        "sourcedId,status,dateLastModified,userSourcedId,roleType,role,beginDate,endDate,orgSourcedId,"
        + "userProfileSourcedId"
    private static let students1 = (1...11).map {
        "S\($0),,,true,L1,student,s\($0),,Given\($0),Family\($0),,\($0),,,,,07,"
    }
}
