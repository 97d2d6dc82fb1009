import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What an archive does to a directory that already has content.
@Suite struct Merging {
    @Test func `a first archive creates everything it names`() async throws {
        try await withSchool { school in
            let outcome = try await school.importArchive(.small)
            #expect(outcome.status == "succeeded")
            #expect(outcome["progress"] == 1)
            #expect(outcome.counts("locations.csv") == [2, 0, 0, 0])
            #expect(outcome.counts("students.csv") == [11, 0, 0, 0])
            #expect(outcome.counts("staff.csv") == [2, 0, 0, 0])
            #expect(outcome.counts("courses.csv") == [1, 0, 0, 0])
            #expect(outcome.counts("classes.csv") == [2, 0, 0, 0])
            #expect(outcome.counts("rosters.csv") == [13, 0, 0, 0])
            #expect(
                try school.roles(of: "T2") == "staff at L1, teacher at L1, teacher at L2")
            #expect(try school.roles(of: "S1") == "student at L1")
            #expect(try school.seats(of: "T2") == "teacher in K1, teacher in K2")
            #expect(try school.seats(of: "S1") == "student in K1, student in K2")
            let student = try school.person("S1")
            #expect(try student.text("managed_id") == "given1.family1@hillside.example")
            #expect(try student.text("grade") == "07")
            #expect(try student.text("password_policy") == "8")
            #expect(try student.text("origin") == "import")
            #expect(try school.person("T1").text("email") == "grace@school.example")
        }
    }

    @Test func `the same archive again changes nothing`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let before = try school.fingerprint()
            let again = try await school.importArchive(.small)
            #expect(again.status == "succeeded")
            #expect(again.counts("students.csv") == [0, 0, 11, 0])
            #expect(again.counts("classes.csv") == [0, 0, 2, 0])
            #expect(again.counts("rosters.csv") == [0, 0, 13, 0])
            #expect(try school.fingerprint() == before)
        }
    }

    @Test func `the order of a name stays, because archives do not have it`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let path = "/v1/people/source:S1"
            let set = try await school.patch(path, as: .ada, json: ["nameOrder": "familyFirst"])
            #expect(set.status == 200)
            var archive = TestArchive.small
            archive.files["students.csv"]?.replace("Given1,", with: "Other,")
            #expect(try await school.importArchive(archive).status == "succeeded")
            let person = try await school.get(path, as: .ada).json
            #expect(person["givenName"] == "Other" && person["nameOrder"] == "familyFirst")
        }
    }

    @Test func `a preview says what would happen and changes nothing`() async throws {
        try await withSchool { school in
            let before = try school.fingerprint()
            let outcome = try await school.importArchive(.small, mode: "preview")
            #expect(outcome.status == "planned")
            #expect(outcome.counts("students.csv") == [11, 0, 0, 0])
            #expect(try school.fingerprint() == before)
        }
    }

    @Test func `changes are counted where they are made`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let next = TestArchive.small
                .replacing("Given3,,Family3,07", with: "Given3,,Married3,08", in: "students.csv")
                .replacing("South School", with: "South Campus", in: "locations.csv")
                .replacing("Mathematics", with: "Algebra", in: "courses.csv")
                .replacing("K2,MA-1-B,C1,T2", with: "K2,MA-1-B,C1,T1", in: "classes.csv")
                .replacing("R13,K2,S2", with: "R13,K2,S3", in: "rosters.csv")
            let outcome = try await school.importArchive(next)
            #expect(outcome.counts("locations.csv") == [0, 1, 1, 0])
            #expect(outcome.counts("courses.csv") == [0, 1, 0, 0])
            #expect(outcome.counts("students.csv") == [0, 1, 10, 0])
            #expect(outcome.counts("staff.csv") == [0, 2, 0, 0], "both changed their roles")
            #expect(outcome.counts("classes.csv") == [0, 2, 0, 0], "their name is the course's")
            #expect(outcome.counts("rosters.csv") == [1, 0, 12, 1])
            let student = try school.person("S3")
            #expect(try student.text("family_name") == "Married3")
            #expect(try student.text("managed_id") == "given3.family3@hillside.example")
            #expect(try school.roles(of: "T2") == "staff at L1, teacher at L1")
            #expect(try school.seats(of: "T2") == "teacher in K1")
            #expect(try school.seats(of: "S2") == "student in K1")
            #expect(try school.seats(of: "S3") == "student in K1, student in K2")
        }
    }

    @Test func `a person who is left out is deactivated, signed out and leaves their seats`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            try school.addToken(of: "S11")
            #expect(try school.validTokens(of: "S11") == 1)
            let outcome = try await school.importArchive(.withoutEleventhStudent)
            #expect(outcome.status == "succeeded")
            #expect(outcome.counts("students.csv") == [0, 0, 10, 1])
            #expect(outcome.counts("rosters.csv") == [0, 0, 12, 1])
            #expect(try school.person("S11").text("status") == "deactivated")
            #expect(try school.seats(of: "S11") == "")
            #expect(try school.validTokens(of: "S11") == 0)

            let back = try await school.importArchive(.small)
            #expect(back.counts("students.csv") == [0, 1, 10, 0])
            #expect(try school.person("S11").text("status") == "new")
            #expect(try school.seats(of: "S11") == "student in K1")
        }
    }

    @Test func `no archive changes people whose roles its sender may not give`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set source_id = 'A1', origin = 'import'
                 where person_id = \(school.id(.ada))
                """)
            let everybody = TestArchive.small
                .adding("A1,,Ada,,Adams,,,L1", to: "staff.csv")
                .adding("T3,,Emmy,,Noether,,,L1", to: "staff.csv")
            #expect(try await school.importArchive(everybody, as: .petra).status == "succeeded")
            #expect(try school.person("T3").text("family_name") == "Noether")
            #expect(try school.person("A1").text("family_name") == "Example")
            #expect(try school.roles(of: "A1") == "administrator at main")
            let outcome = try await school.importArchive(.small, as: .petra)
            #expect(outcome.status == "succeeded")
            #expect(try school.person("T3").text("status") == "deactivated")
            #expect(try school.person("A1").text("status") != "deactivated")
            #expect(try await school.get("/v1/me", as: .ada).status == 200)
        }
    }

    @Test func `a person deactivated manually stays so`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            try school.sql(
                """
                update school.person set deactivated_at = school.moment() where source_id = 'S11'
                """)
            let outcome = try await school.importArchive(.small)
            #expect(outcome.counts("students.csv") == [0, 0, 11, 0])
            #expect(try school.person("S11").text("status") == "deactivated")
        }
    }

    @Test func `manual people, roles and seats are left alone`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                select organization_id, class_id, \(school.id(.ben)), 'student'
                  from school.class where source_id = 'K1'
                """)
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                select organization_id, person_id, \(school.mainLocation), 'manager'
                  from school.person where source_id = 'T1'
                """)
            let before = try school.fingerprint()
            _ = try await school.importArchive(.small)
            #expect(try school.fingerprint() == before)
            #expect(try school.roles(of: "T1") == "manager at main, staff at L1, teacher at L1")
        }
    }

    @Test func `a person the school created under the same ID becomes the archive's`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set source_id = 'S1' where person_id = \(school.id(.sam))
                """)
            let outcome = try await school.importArchive(.small)
            #expect(outcome.counts("students.csv") == [10, 1, 0, 0])
            let sam = try school.person("S1")
            #expect(try sam.uuid("person_id") == school.id(.sam).uuid)
            #expect(try sam.text("given_name") == "Given1")
            #expect(try sam.text("managed_id") == "sam@hillside.example")
        }
    }

    @Test func `people of the same name get managed IDs of their own`() async throws {
        try await withSchool { school in
            let archive = TestArchive.small
                .adding("S12,,Zoë,,Ng,,,,,L1", to: "students.csv")
                .adding("S13,,Zoe,,Ng,,,,,L1", to: "students.csv")
                .adding("S14,,明,,王,,,,,L1", to: "students.csv")
            let outcome = try await school.importArchive(archive)
            #expect(outcome.status == "succeeded")
            #expect(try school.person("S12").text("managed_id") == "zoe.ng@hillside.example")
            #expect(try school.person("S13").text("managed_id") == "zoe.ng2@hillside.example")
            #expect(try school.person("S14").text("managed_id") == "s14@hillside.example")
        }
    }

    @Test func `an import is one audit event`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small, as: .provisioner)
            let events = try school.sql(
                "select kind, standing, subject_kind from school.audit_event")
            #expect(events.count == 1)
            #expect(try events[0].text("kind") == "import")
            #expect(try events[0].text("standing") == "provisioner")
            #expect(try events[0].text("subject_kind") == "import")
        }
    }

    @Test func `a failure in the middle leaves nothing`() async throws {
        try await withSchool { school in
            try school.breakSeats()
            let before = try school.fingerprint()
            let outcome = try await school.importArchive(.small)
            #expect(outcome.status == "failed")
            #expect(outcome.errorLines == ["-:-:- internal_error"])
            #expect(try school.fingerprint() == before)
        }
    }
}
