import Postgres
import School
import TestKit

extension WriteTable {
    static let licences: [WriteCase] =
        [
            WriteCase(.contentManager, "adds an app", addApp("Hillside"), is: .done),
            WriteCase(.administrator, "adds an app", addApp("Hillside"), is: .done),
            WriteCase(.contentManager, "adds an app elsewhere", addApp("Elsewhere"), is: .refused),
            WriteCase(.siteManager, "adds an app", addApp("Hillside"), is: .refused),
            WriteCase(.provisioner, "adds an app", addApp("Hillside"), is: .refused),
            WriteCase(.teacher, "adds an app", addApp("Hillside"), is: .refused),
            WriteCase(
                .contentManager, "renames an app",
                "update school.app set name = 'New' where name = 'Novel'", is: .done),
            WriteCase(
                .contentManager, "renames an app elsewhere",
                "update school.app set name = 'New' where name = 'Quizzler elsewhere'",
                is: .nothing),
            WriteCase(
                .contentManager, "buys seats",
                "update school.pool set total_count = 9", is: .done),
            WriteCase(
                .contentManager, "buys seats for another organization",
                "update school.pool set total_count = 9 where organization_id = test.id('Elsewhere')",
                is: .nothing),
            WriteCase(
                .administrator, "changes the number of assigned seats",
                "update school.pool set assigned_count = 0", is: .refused),
            WriteCase(
                .contentManager, "removes a pool elsewhere",
                "delete from school.pool where organization_id = test.id('Elsewhere')", is: .nothing
            ),
            WriteCase(
                .teacher, "buys seats", "update school.pool set total_count = 9", is: .refused),
        ] + holding

    private static let holding: [WriteCase] = [
        WriteCase(
            .contentManager, "grants a licence", grant("Hillside", "ben"), is: .done),
        WriteCase(
            .administrator, "grants a licence", grant("Hillside", "ben"), is: .done),
        WriteCase(
            .contentManager, "grants a licence elsewhere", grant("Elsewhere", "otto"), is: .refused),
        WriteCase(.teacher, "grants a licence", grant("Hillside", "ben"), is: .refused),
        WriteCase(.student, "removes a licence", grant("Hillside", "sam"), is: .refused),
        WriteCase(.peopleManager, "grants a licence", grant("Hillside", "ben"), is: .refused),
        WriteCase(.exporter, "grants a licence", grant("Hillside", "ben"), is: .refused),
        WriteCase(
            .contentManager, "takes a licence back", giveBack("licence of sam"), is: .done),
        WriteCase(
            .contentManager, "takes the licence of a device back", giveBack("licence of a device"),
            is: .done),
        WriteCase(.contentManager, "takes a book back", giveBack("book of sam"), is: .nothing),
        WriteCase(
            .contentManager, "takes a licence back elsewhere", giveBack("licence of omar"),
            is: .nothing),
        WriteCase(.teacher, "takes a licence back", giveBack("licence of sam"), is: .refused),
        WriteCase(
            .administrator, "passes a licence on",
            "update school.licence set person_id = test.id('sue')", is: .refused),
    ]

    private static func addApp(_ organization: String) -> Statement {
        """
        insert into school.app (organization_id, adam_id, bundle_id, name, product_type,
                                is_device_assignable, is_revocable)
        values (test.id(\(organization)), '300', 'org.example.new', 'New', 'App', true, true)
        """
    }

    private static func grant(_ organization: String, _ person: String) -> Statement {
        """
        insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
        select test.id(\(organization)), school.new_id(), '100',
               test.id(case \(organization) when 'Hillside' then 'Main building'
                                            else 'Elsewhere''s building' end), test.id(\(person))
        """
    }

    private static func giveBack(_ licence: String) -> Statement {
        "delete from school.licence where licence_id = test.id(\(licence))"
    }
}
