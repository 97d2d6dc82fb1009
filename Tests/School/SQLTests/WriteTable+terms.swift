import Postgres
import School
import TestKit

extension WriteTable {
    static let terms: [WriteCase] = [
        WriteCase(.peopleManager, "adds a term", add("Hillside"), is: .done),
        WriteCase(.provisioner, "adds a term", add("Hillside"), is: .done),
        WriteCase(.administrator, "adds a term elsewhere", add("Elsewhere"), is: .refused),
        WriteCase(.manager, "adds a term", add("Hillside"), is: .refused),
        WriteCase(.teacher, "adds a term", add("Hillside"), is: .refused),
        WriteCase(
            .administrator, "renames a term",
            "update school.term set name = 'First' where term_id = test.id('semester')", is: .done),
        WriteCase(
            .administrator, "renames a term elsewhere",
            "update school.term set name = 'Ours' where term_id = test.id('year elsewhere')",
            is: .nothing),
        WriteCase(
            .student, "renames a term", "update school.term set name = 'Holidays'", is: .refused),
        WriteCase(
            .administrator, "closes a term without the function that archives its classes",
            "update school.term set closed_at = now()", is: .refused),
        WriteCase(
            .administrator, "removes a term elsewhere",
            "delete from school.term where term_id = test.id('year elsewhere')", is: .nothing),
        WriteCase(
            .contentManager, "removes a term", "delete from school.term", is: .refused),
        WriteCase(
            .siteManager, "puts a class into a term",
            """
            update school.class set term_id = test.id('year') where class_id = test.id('Chemistry')
            """, is: .done),
    ]

    private static func add(_ organization: String) -> Statement {
        """
        insert into school.term (organization_id, term_id, name, kind, starts_on, ends_on)
        values (test.id(\(organization)), gen_random_uuid(), 'Next year', 'schoolYear',
                '2027-08-01', '2028-08-01')
        """
    }
}
