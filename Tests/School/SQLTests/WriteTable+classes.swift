import Postgres
import School
import TestKit

extension WriteTable {
    /// What a manager may do: everything with classes that were not imported.
    static let classes: [WriteCase] = [
        WriteCase(.manager, "adds a class", addClass("Hillside", "manual"), is: .done),
        WriteCase(
            .manager, "adds a class as if by an import", addClass("Hillside", "import"),
            is: .refused),
        WriteCase(
            .provisioner, "adds an imported class", addClass("Hillside", "import"), is: .done),
        WriteCase(
            .manager, "adds a class elsewhere", addClass("Elsewhere", "manual"), is: .refused),
        WriteCase(.contentManager, "adds a class", addClass("Hillside", "manual"), is: .refused),
        WriteCase(.teacher, "adds a class", addClass("Hillside", "manual"), is: .refused),
        WriteCase(.manager, "renames a class", rename("Biology"), is: .done),
        WriteCase(.manager, "renames an imported class", rename("Imported"), is: .nothing),
        WriteCase(.peopleManager, "renames an imported class", rename("Imported"), is: .done),
        WriteCase(.manager, "renames a class elsewhere", rename("Geography"), is: .nothing),
        WriteCase(
            .manager, "archives a class without closing its term",
            "update school.class set archived_at = now()", is: .refused),
        WriteCase(.manager, "seats somebody", seat("Chemistry"), is: .done),
        WriteCase(.manager, "seats a person in an imported class", seat("Imported"), is: .refused),
        WriteCase(.provisioner, "seats a person there", seat("Imported"), is: .done),
        WriteCase(
            .peopleManager, "seats a person retroactively", seatEarlier("null"), is: .refused),
        WriteCase(
            .peopleManager, "seats a person retroactively, recorded then",
            seatEarlier("now() - interval '1 day'"), is: .refused),
        WriteCase(
            .peopleManager, "seats a person retroactively, recorded now",
            seatEarlier("school.moment()"), is: .done),
        WriteCase(
            .manager, "seats a person retroactively, recorded now", seatEarlier("school.moment()"),
            is: .done),
        WriteCase(.manager, "seats a person retroactively", seatEarlier("null"), is: .refused),
        WriteCase(
            .manager, "ends a seat",
            "update school.seat set left_at = now() where class_id = test.id('Chemistry')",
            is: .done),
        WriteCase(
            .manager, "ends a seat in an imported class",
            "update school.seat set left_at = now() where class_id = test.id('Imported')",
            is: .nothing),
        WriteCase(.manager, "removes a class", "delete from school.class", is: .refused),
        WriteCase(.manager, "removes a seat", "delete from school.seat", is: .refused),
    ]

    /// One more class, which an import brought, with Ben in it.
    static let importedClass: [Statement] = [
        "insert into test.name (name, id) values ('Imported', gen_random_uuid())",
        """
        insert into school.class (organization_id, class_id, location_id, name, origin)
        values (test.id('Hillside'), test.id('Imported'), test.id('Main building'), 'Imported', 'import')
        """,
        """
        insert into school.seat (organization_id, class_id, person_id, role)
        values (test.id('Hillside'), test.id('Imported'), test.id('ben'), 'student')
        """,
    ]

    private static func addClass(_ organization: String, _ origin: String) -> Statement {
        """
        insert into school.class (organization_id, class_id, location_id, name, origin)
        values (test.id(\(organization)), gen_random_uuid(),
                test.id(case \(organization) when 'Hillside' then 'Main building'
                                             else 'Elsewhere''s building' end), 'New', \(origin))
        """
    }

    private static func rename(_ group: String) -> Statement {
        "update school.class set name = 'Renamed' where class_id = test.id(\(group))"
    }

    private static func seat(_ group: String) -> Statement {
        """
        insert into school.seat (organization_id, class_id, person_id, role)
        values (test.id('Hillside'), test.id(\(group)), test.id('sue'), 'student')
        """
    }

    /// A seat in Chemistry since yesterday.
    private static func seatEarlier(_ recordedAt: Statement) -> Statement {
        """
        insert into school.seat (organization_id, class_id, person_id, role, joined_at, recorded_at)
        values (test.id('Hillside'), test.id('Chemistry'), test.id('sue'), 'student',
                now() - interval '1 day', \(fragment: recordedAt))
        """
    }
}
