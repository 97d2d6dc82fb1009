import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What an archive says and an import skips is reported, row by row.
@Suite struct Warnings {
    @Test
    func `people whose roles the orderer may not give are named where they would change`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set source_id = 'A1', origin = 'import'
                 where person_id = \(school.id(.ada))
                """)
            let listed = TestArchive.small.adding("A1,,Ada,,Adams,,,L1", to: "staff.csv")
            let plan = try await school.importArchive(listed, mode: "preview", as: .petra)
            #expect(plan.status == "planned")
            #expect(plan.warningLines == ["staff.csv:4:person_id higher_role"])
            #expect(plan["warningCount"] == 1)
            #expect(plan["errorCount"] == 0)
            #expect(
                plan["warnings"]?.array?.first?["text"]?.text
                    == "\"A1\" has a role that the person who ordered this import may not give, and stays as "
                    + "he or she is.")
            let outcome = try await school.importArchive(listed, as: .petra)
            #expect(outcome.status == "succeeded")
            #expect(outcome.warningLines == ["staff.csv:4:person_id higher_role"])

            let without = try await school.importArchive(.small, as: .petra)
            #expect(without.warningLines == ["staff.csv:-:person_id higher_role"])
            #expect(try school.person("A1").text("status") != "deactivated")
            try school.makeAdaWhatTheArchiveSays()
            let same = try await school.importArchive(listed, as: .petra)
            #expect(same.warningLines == [], "the row states what is already so")
        }
    }

    @Test func `an email with which the orderer could become a teacher stays, and is named`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let first = TestArchive.small.replacing(
                "grace@school.example", with: "grace@new.example", in: "staff.csv")
            let newcomer = try await school.importArchive(first, as: .petra)
            #expect(newcomer.warningLines == [], "nobody has signed in with it yet")
            try school.sql("update school.person set first_sign_in_at = school.moment()")
            let changed = first.replacing(
                "Grace,,Hopper,grace@new", with: "Grace,,H,evil@new", in: "staff.csv")
            for mode in ["preview", "apply"] {
                let outcome = try await school.importArchive(changed, mode: mode, as: .petra)
                #expect(outcome.warningLines == ["staff.csv:2:email_address guarded_email"])
            }
            #expect(try school.person("T1").text("email") == "grace@new.example")
            #expect(try school.person("T1").text("family_name") == "H", "the rest is imported")
            let byAdministrator = try await school.importArchive(changed)
            #expect(byAdministrator.warningLines == [])
            #expect(try school.person("T1").text("email") == "evil@new.example")
            let told = try school.sql("select change, standing from school.sign_in_change")
            #expect(told.count == 1)
            #expect(try told[0].text("change") == "email")
            #expect(try told[0].text("standing") == "administrator")
        }
    }

    @Test func `parents whom users refer to but who are missing are named`() async throws {
        try await withSchool { school in
            let archive = TestArchive.oneRoster1.replacing(
                "Pat,Family1,,,,,,S1,,", with: "Pat,Family1,,,,,,P404,,", in: "users.csv")
            let outcome = try await school.importArchive(archive)
            #expect(outcome.status == "succeeded")
            #expect(outcome.warningLines == ["users.csv:15:agentSourcedIds unknown_reference"])
            #expect(
                outcome["warnings"]?.array?.first?["text"]?.text
                    == "There is no \"P404\" in users.csv.")
        }
    }
}

extension TestSchool {
    fileprivate func makeAdaWhatTheArchiveSays() throws {
        try sql(
            """
            update school.person set given_name = 'Ada', middle_name = null, family_name = 'Adams',
                                     person_number = null, email = null, password_policy = null
             where source_id = 'A1'
            """)
        try sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            select organization_id, \(id(.ada)), location_id, 'staff' from school.location where source_id = 'L1'
            """)
    }
}

extension JSONValue {
    /// The warnings as `file:line:column code`.
    fileprivate var warningLines: [String] { lines(of: "warnings") }
}
