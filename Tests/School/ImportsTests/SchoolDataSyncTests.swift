import JSONBytes
import Postgres
import TestKit
import Testing

extension TestArchive {
    /// A small school in the form of Microsoft's School Data Sync 2.1.
    static let schoolDataSync: TestArchive = {
        var archive = TestArchive()
        archive.files = [
            "orgs.csv": """
            sourcedId,name,type,parentSourcedId
            D1,Harbour District,ministryOfEducation,
            L1,Harbour School,school,D1

            """,
            "users.csv": """
            sourcedId,username,givenName,familyName,password,activeDirectoryMatchId,email,phone,sms
            S1,mira@harbour.example,Mira,Castell,P@ssword123,mira@harbour.example,,,
            S2,jonas@harbour.example,Jonas,Weiß,P@ssword123,,jonas@harbour.example,,
            T1,rosa@harbour.example,Rosa,Delgado,P@ssword123,,,,
            A1,ann@harbour.example,Ann,Archer,P@ssword123,,,,
            P1,pat@home.example,Pat,Castell,P@ssword123,,pat@home.example,5550100,
            F1,fay@harbour.example,Fay,Former,P@ssword123,,,,

            """,
            "roles.csv": """
            userSourcedId,orgSourcedId,role,sessionSourcedId,grade,isPrimary,roleStartDate,roleEndDate
            S1,L1,student,Y1,07,TRUE,9/1/2025,12/6/2099
            S2,L1,Student,Y1,08,TRUE,8/24/2025,
            T1,L1,Professor,Y1,,TRUE,,
            T1,D1,teacher,Y1,,FALSE,,
            A1,L1,officeStaff,Y1,,TRUE,,
            F1,L1,alumni,Y1,,TRUE,,

            """,
            "classes.csv": """
            sourcedId,orgSourcedId,title,sessionSourcedIds,courseSourcedId
            K1,L1,Biology 7,Y1,C1

            """,
            "enrollments.csv": """
            classSourcedId,userSourcedId,role
            K1,S1,student
            K1,S2,Student
            K1,T1,Lecturer
            K1,A1,paraprofessional

            """,
            "academicSessions.csv": """
            sourcedId,title,type,schoolYear,startDate,endDate
            Y1,2025 School Year,schoolYear,2025,9/1/2025,6/11/2099

            """,
            "courses.csv": """
            sourcedId,orgSourcedId,title,code,schoolYearSourcedId,subject,grade
            C1,L1,Biology,BI,Y1,14,10

            """,
            "demographics.csv": "userSourcedId,sex\nS1,female\n",
        ]
        return archive
    }()

    /// The same school in version 2, whose users have one role each.
    static let schoolDataSync2: TestArchive = {
        var archive = TestArchive()
        archive.files = [
            "orgs.csv": schoolDataSync.files["orgs.csv"] ?? "",
            "users.csv": """
            sourcedId,orgSourcedIds,givenName,familyName,username,password,role,grade
            S1,L1,Mira,Castell,mira@harbour.example,P@ssword123,Student,7
            S2,L1,Jonas,Weiß,jonas@harbour.example,P@ssword123,Student,PS1
            T1,L1,Rosa,Delgado,rosa@harbour.example,P@ssword123,Faculty,

            """,
            "classes.csv": "sourcedId,orgSourcedId,title\nK1,L1,Math - Algebra 1\n",
            "enrollments.csv":
                "classSourcedId,userSourcedId,role\nK1,S1,Student\nK1,S2,Student\nK1,T1,Faculty\n",
        ]
        return archive
    }()
}

/// Archives in the form of Microsoft's School Data Sync.
@Suite struct SchoolDataSyncArchives {
    @Test func `version 2_1 brings people with their roles, grades and seats`() async throws {
        try await withSchool { school in
            let done = try await school.importArchive(.schoolDataSync)
            #expect(done.status == "succeeded" && done["format"] == "schoolDataSync")
            #expect(done.lines(of: "warnings") == [] && done.errorLines == [])
            #expect(done["ignoredFiles"]?.array == ["demographics.csv"])
            #expect(try school.person("S1").text("grade") == "07")
            #expect(try school.person("S2").text("email") == "jonas@harbour.example")
            #expect(try school.seats(of: "S1") == "student in K1")
            #expect(try school.seats(of: "T1") == "teacher in K1")
            // She works at the school and does not teach, so that she sees no class.
            #expect(try school.seats(of: "A1") == "")
            #expect(try school.roles(of: "S2") == "student at L1")
            #expect(
                try school.roles(of: "T1")
                    == "staff at D1, staff at L1, teacher at D1, teacher at L1")
            #expect(try school.roles(of: "A1") == "staff at L1")
            for nobody in ["P1", "F1"] { #expect(try school.roles(of: nobody) == "") }
            let day = try school.sql(
                "select starts_on::text as day from school.term where source_id = 'Y1'")
            #expect(try day[0].text("day") == "2025-09-01", "the month comes first")
        }
    }

    @Test func `version 2 brings the same from its list of users`() async throws {
        try await withSchool { school in
            let done = try await school.importArchive(.schoolDataSync2)
            #expect(done.status == "succeeded" && done["format"] == "schoolDataSync")
            #expect(done.lines(of: "warnings") == [], "\(done)")
            #expect(try school.person("S2").text("grade") == "PS1")
            #expect(try school.seats(of: "T1") == "teacher in K1")
        }
    }

    @Test func `who is gone from the next archive leaves, with the seats`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.schoolDataSync)
            let next = TestArchive.schoolDataSync
                .replacing("S2,L1,Student,Y1,08,TRUE,8/24/2025,\n", with: "", in: "roles.csv")
                .replacing("K1,T1,Lecturer\n", with: "", in: "enrollments.csv")
            // One person of four is much.
            let answer = try await school.handIn(next.bytes(), mode: "apply", as: .ada)
            let location = try #require(answer.header("location"))
            #expect(try await school.ended(location, as: .ada).status == "awaitingApproval")
            #expect(try await school.post("\(location)/approval", as: .ada).status == 202)
            #expect(try await school.ended(location, as: .ada).status == "succeeded")
            #expect(try school.seats(of: "T1") == "")
            #expect(try school.seats(of: "S1") == "student in K1")
            #expect(try school.person("S2").text("status") != "active")
        }
    }

    @Test func `an archive without classes leaves classes and seats as they are`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.schoolDataSync)
            var people = TestArchive.schoolDataSync
            for name in ["classes.csv", "enrollments.csv", "courses.csv", "academicSessions.csv"] {
                people.files[name] = nil
            }
            let done = try await school.importArchive(people)
            #expect(done.status == "succeeded" && done["format"] == "schoolDataSync", "\(done)")
            #expect(try school.seats(of: "S1") == "student in K1")
        }
    }

    @Test func `the roles of last year count, and a warning says so`() async throws {
        try await withSchool { school in
            let ended = TestArchive.schoolDataSync.mapping("roles.csv") { values in
                values[0] == "userSourcedId"
                    ? values : values.dropLast(2) + ["8/24/2021", "6/11/2022"]
            }
            let plan = try await school.importArchive(ended, mode: "preview")
            #expect(plan.status == "planned")
            #expect(plan.lines(of: "warnings") == ["roles.csv:2:roleEndDate roles_ended"])
            #expect(plan.newPeople == 4)
            let text = plan["warnings"]?.array?.first?["text"]?.text ?? ""
            #expect(text.contains("the last on 2022-06-11"), "\(text)")
            // Where some are in force, the others are over.
            let some = TestArchive.schoolDataSync.replacing(
                "9/1/2025,12/6/2099", with: "9/1/2021,6/11/2022", in: "roles.csv")
            let rest = try await school.importArchive(some, mode: "preview")
            #expect(rest.newPeople == 3, "\(rest)")
            let strict = try await school.importArchive(ended, mode: "preview", strict: true)
            #expect(strict.newPeople != 4, "\(strict)")
        }
    }

    @Test func `findings name the columns as the file does`() async throws {
        try await withSchool { school in
            let lost = TestArchive.schoolDataSync.replacing(
                "K1,L1,Biology 7,Y1", with: "K1,L9,Biology 7,Y1", in: "classes.csv")
            for isStrict in [false, true] {
                let plan = try await school.importArchive(lost, mode: "preview", strict: isStrict)
                let lines = plan.lines(of: isStrict ? "errors" : "warnings")
                #expect(
                    lines.contains("classes.csv:2:orgSourcedId unknown_reference"), "\(lines)")
            }
        }
    }
}
