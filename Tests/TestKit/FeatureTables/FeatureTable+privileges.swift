import Postgres
import School

extension FeatureTable {
    /// What teachers may do beyond teaching, and the classes that they make.
    static let privileges = FeatureTable(
        calls: """
            GET    /v1/privileges                               x   .   .   .   .   .   .   .   .   .   .
            PUT    /v1/privileges/{privilege}                   x   .   .   .   .   .   .   .   .   .   .
            PUT    /v1/privileges/{privilege}/locations/{id}    x   .   .   .   .   .   .   .   .   .   .
            DELETE /v1/privileges/{privilege}/locations/{id}    x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/me/privileges                            .   .   .   .   .   x   .   .   .   .   .
            GET    /v1/classes/{id}/privileges                  .   .   .   .   .   x   .   .   .   .   .
            POST   /v1/me/classes                               .   .   .   .   .   x   .   .   .   .   .
            PATCH  /v1/me/classes/{id}                          .   .   .   .   .   x   .   .   .   .   .
            DELETE /v1/me/classes/{id}                          .   .   .   .   .   x   .   .   .   .   .
            GET    /v1/me/classes/{id}/candidates               .   .   .   .   .   x   .   .   .   .   .
            PUT    /v1/me/classes/{id}/teachers/{personId}      .   .   .   .   .   x   .   .   .   .   .
            DELETE /v1/me/classes/{id}/teachers/{personId}      .   .   .   .   .   x   .   .   .   .   .
            PUT    /v1/me/classes/{id}/students/{personId}      .   .   .   .   .   x   .   .   .   .   .
            DELETE /v1/me/classes/{id}/students/{personId}      .   .   .   .   .   x   .   .   .   .   .
            """,
        population: [
            """
            insert into school.privilege (organization_id, name, location_id, is_granted)
            values (test.id('Hillside'), 'resetPasswords', test.id('Main building'), true),
                   (test.id('Elsewhere'), 'makeClasses', null, true)
            """,
            """
            insert into school.roster_search (organization_id, person_id, searched_on, searches)
            values (test.id('Hillside'), test.id('tom'), '2026-09-01', 1),
                   (test.id('Elsewhere'), test.id('otto'), '2026-09-01', 1)
            """,
        ],
        policies: [
            PolicyRow(
                "privilege",
                "select concat_ws(' ', name, test.called(location_id)) as label from school.privilege",
                hillside: ["resetPasswords Main building"], elsewhere: ["makeClasses"],
                seenBy: [[.administrator]: .all]),
            PolicyRow(
                "roster_search",
                "select test.called(person_id) as label from school.roster_search",
                hillside: ["tom"], elsewhere: ["otto"]),
        ],
        rights: [WriteRight("privilege", [.administrator], "insert update(is_granted) delete")],
        writes: [
            WriteCase(.administrator, "grants a privilege", grant("Hillside"), is: .done),
            WriteCase(
                .administrator, "grants a privilege elsewhere", grant("Elsewhere"), is: .refused),
            WriteCase(.administrator, "withdraws one", withdraw("Hillside"), is: .done),
            WriteCase(
                .administrator, "withdraws one elsewhere", withdraw("Elsewhere"), is: .nothing),
            WriteCase(.administrator, "removes one", remove("Hillside"), is: .done),
            WriteCase(.administrator, "removes one elsewhere", remove("Elsewhere"), is: .nothing),
            WriteCase(.siteManager, "grants a privilege", grant("Hillside"), is: .refused),
            WriteCase(.peopleManager, "grants a privilege", grant("Hillside"), is: .refused),
            WriteCase(.manager, "withdraws one", withdraw("Hillside"), is: .refused),
            WriteCase(.teacher, "grants a privilege", grant("Hillside"), is: .refused),
            WriteCase(.teacher, "removes one", remove("Hillside"), is: .refused),
            WriteCase(
                .teacher, "makes a class beside the function",
                """
                insert into school.class (organization_id, class_id, location_id, name, origin)
                values (test.id('Hillside'), gen_random_uuid(), test.id('Main building'), 'Mine', 'teacher')
                """, is: .refused),
            WriteCase(
                .teacher, "takes a seat beside the function",
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                values (test.id('Hillside'), test.id('Chemistry'), test.id('tom'), 'teacher')
                """, is: .refused),
            WriteCase(
                .teacher, "forgets the searches", "delete from school.roster_search", is: .refused),
        ])

    private static func grant(_ organization: String) -> Statement {
        """
        insert into school.privilege (organization_id, name, location_id, is_granted)
        values (test.id(\(organization)), 'makeClasses', null, true)
        """
    }

    private static func withdraw(_ organization: String) -> Statement {
        "update school.privilege set is_granted = false where organization_id = test.id(\(organization))"
    }

    private static func remove(_ organization: String) -> Statement {
        "delete from school.privilege where organization_id = test.id(\(organization))"
    }
}
