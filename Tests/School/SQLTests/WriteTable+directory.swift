import Postgres
import School
import TestKit

extension WriteTable {
    static let directory: [WriteCase] =
        [
            WriteCase(
                .administrator, "adds a location",
                """
                insert into school.location (organization_id, location_id, name)
                values (test.id('Hillside'), gen_random_uuid(), 'Annex')
                """, is: .done),
            WriteCase(
                .administrator, "adds a location elsewhere",
                """
                insert into school.location (organization_id, location_id, name)
                values (test.id('Elsewhere'), gen_random_uuid(), 'Annex')
                """, is: .refused),
            WriteCase(
                .administrator, "renames locations elsewhere",
                "update school.location set name = 'Ours' where organization_id = test.id('Elsewhere')",
                is: .nothing),
            WriteCase(
                .administrator, "renames the organization",
                "update school.organization set name = 'Hill'", is: .done),
            WriteCase(
                .administrator, "renames another organization",
                "update school.organization set name = 'Hill' where organization_id = test.id('Elsewhere')",
                is: .nothing),
            WriteCase(
                .administrator, "lets apps send passwords",
                "update school.organization set allows_passwords_in_apps = true", is: .done),
            WriteCase(
                .peopleManager, "lets apps send passwords",
                "update school.organization set allows_passwords_in_apps = true", is: .refused),
            WriteCase(
                .administrator, "gives up passwords, with a provider",
                "update school.organization set is_without_passwords = true", is: .done),
            WriteCase(
                .peopleManager, "gives up passwords",
                "update school.organization set is_without_passwords = true", is: .refused),
            WriteCase(
                .administrator, "switches progress without the function that audits it",
                "update school.organization set is_student_progress_enabled = false", is: .refused),
            WriteCase(
                .peopleManager, "pauses a student without the function that deletes and audits",
                "update school.person set is_progress_paused = true", is: .refused),
            WriteCase(
                .peopleManager, "changes a person",
                "update school.person set grade = '7' where person_id = test.id('sam')", is: .done),
            WriteCase(
                .peopleManager, "changes a person elsewhere",
                "update school.person set grade = '7' where person_id = test.id('omar')",
                is: .nothing),
            WriteCase(
                .administrator, "removes a person", "delete from school.person", is: .refused),
            WriteCase(.administrator, "removes a class", "delete from school.class", is: .refused),
            WriteCase(.administrator, "removes a seat", "delete from school.seat", is: .refused),
            WriteCase(
                .manager, "changes a student",
                "update school.person set grade = '7' where person_id = test.id('sam')", is: .done),
            WriteCase(
                .manager, "changes everybody", "update school.person set grade = '7'", is: .refused),
            WriteCase(
                .manager, "changes a site manager",
                "update school.person set grade = '7' where person_id = test.id('simon')",
                is: .refused),
            WriteCase(
                .manager, "changes a student elsewhere",
                "update school.person set grade = '7' where person_id = test.id('omar')",
                is: .nothing),
            WriteCase(
                .manager, "adds a location",
                """
                insert into school.location (organization_id, location_id, name)
                values (test.id('Hillside'), gen_random_uuid(), 'Annex')
                """, is: .refused),
            WriteCase(
                .siteManager, "gives a location, also of administrators, another source id",
                "update school.location set source_id = 'renamed' where location_id = test.id('Main building')",
                is: .done),
            WriteCase(
                .siteManager, "renames an administrator",
                "update school.person set given_name = 'A' where person_id = test.id('ada')",
                is: .refused),
            WriteCase(
                .peopleManager, "renames an administrator",
                "update school.person set given_name = 'A' where person_id = test.id('ada')",
                is: .refused),
            WriteCase(
                .administrator, "renames an administrator",
                "update school.person set given_name = 'A' where person_id = test.id('ada')",
                is: .done),
            WriteCase(
                .peopleManager, "gives an administrator one more role",
                giveRole("teacher", to: "ada"), is: .refused),
            WriteCase(
                .administrator, "gives an administrator one more role",
                giveRole("teacher", to: "ada"), is: .done),
            WriteCase(
                .contentManager, "changes a person", "update school.person set grade = '7'",
                is: .refused),
            WriteCase(
                .teacher, "changes a person", "update school.person set grade = '7'", is: .refused),
            WriteCase(
                .student, "changes himself", "update school.person set grade = '7'", is: .refused),
            WriteCase(
                .administrator, "adds a domain in the name of another organization",
                """
                insert into school.domain_directory (domain, organization_id)
                values ('new.example', test.id('Elsewhere'))
                """, is: .refused),
            WriteCase(
                .administrator, "takes a domain of another organization",
                "delete from school.domain_directory where domain = 'elsewhere.example'",
                is: .nothing),
            WriteCase(
                .peopleManager, "reserves a managed ID",
                """
                insert into school.managed_id_directory (organization_id, managed_id, person_id)
                values (test.id('Hillside'), 'new@hillside.example', gen_random_uuid())
                """, is: .done),
            WriteCase(
                .peopleManager, "reserves a managed ID elsewhere",
                """
                insert into school.managed_id_directory (organization_id, managed_id, person_id)
                values (test.id('Elsewhere'), 'new@elsewhere.example', gen_random_uuid())
                """, is: .refused),
            WriteCase(
                .administrator, "registers a known device",
                """
                insert into school.sign_in_device (organization_id, digest, person_id, session_id, expires_at)
                values (test.id('Hillside'), sha256('new'), test.id('ada'), gen_random_uuid(), now())
                """, is: .refused),
            WriteCase(
                .student, "clears the tries of a device of their own",
                "update school.sign_in_device set failed_tries = 0", is: .refused),
        ] + roles + seats

    private static let roles: [WriteCase] = [
        WriteCase(
            .administrator, "gives the role of administrator", giveTom("administrator"), is: .done),
        WriteCase(
            .peopleManager, "gives the role of site manager", giveTom("siteManager"), is: .done),
        WriteCase(
            .peopleManager, "gives the role of administrator", giveTom("administrator"),
            is: .refused),
        WriteCase(
            .siteManager, "gives the role of administrator", giveTom("administrator"), is: .refused),
        WriteCase(
            .provisioner, "gives the role of administrator", giveTom("administrator"), is: .refused),
        WriteCase(.manager, "gives the role of student", giveTom("student"), is: .done),
        WriteCase(.manager, "gives the role of manager", giveTom("manager"), is: .refused),
        WriteCase(
            .manager, "makes a site manager a student", giveRole("student", to: "simon"),
            is: .refused),
        WriteCase(
            .manager, "takes a teacher's role away",
            "delete from school.person_role where person_id = test.id('tess')", is: .done),
        WriteCase(
            .manager, "takes a people manager's role away",
            "delete from school.person_role where person_id = test.id('petra')", is: .nothing),
        WriteCase(.teacher, "gives himself the role of manager", giveTom("manager"), is: .refused),
        WriteCase(
            .peopleManager, "takes a role away",
            "delete from school.person_role where person_id = test.id('tess')", is: .done),
        WriteCase(
            .peopleManager, "takes the administrator's role away",
            "delete from school.person_role where person_id = test.id('ada')", is: .nothing),
        WriteCase(
            .administrator, "takes a role away elsewhere",
            "delete from school.person_role where person_id = test.id('otto')", is: .nothing),
    ]

    private static func giveTom(_ role: String) -> Statement { giveRole(role, to: "tom") }

    private static func giveRole(_ role: String, to person: String) -> Statement {
        """
        insert into school.person_role (organization_id, person_id, location_id, role)
        values (test.id('Hillside'), test.id(\(person)), test.id('Main building'), \(role))
        """
    }

    private static let seats: [WriteCase] = [
        WriteCase(
            .provisioner, "seats a student", seatSam("Hillside", "Chemistry", "student"), is: .done),
        WriteCase(
            .provisioner, "seats a student elsewhere", seatSam("Elsewhere", "Geography", "student"),
            is: .refused),
        WriteCase(
            .teacher, "seats a student", seatSam("Hillside", "Biology", "student"), is: .refused),
        WriteCase(
            .student, "takes a seat", seatSam("Hillside", "Chemistry", "student"), is: .refused),
        WriteCase(
            .student, "becomes a teacher", seatSam("Hillside", "Biology", "teacher"), is: .refused),
        WriteCase(
            .student, "stays longer", "update school.seat set left_at = null", is: .refused),
        WriteCase(
            .peopleManager, "ends seats elsewhere",
            "update school.seat set left_at = now() where class_id = test.id('Geography')",
            is: .nothing),
    ]

    private static func seatSam(
        _ organization: String, _ group: String, _ role: String
    ) -> Statement {
        """
        insert into school.seat (organization_id, class_id, person_id, role)
        values (test.id(\(organization)), test.id(\(group)), test.id('sam'), \(role))
        """
    }
}
