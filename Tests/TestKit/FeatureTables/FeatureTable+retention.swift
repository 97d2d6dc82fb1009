import Postgres
import School

extension FeatureTable {
    /// How long data is kept, holds, and the end of an organization.
    static let retention = FeatureTable(
        calls: """
            GET    /v1/retention                                x   .   .   .   .   .   .   .   .   .   .
            PUT    /v1/retention                                x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/retention/holds                          x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/retention/holds                          x   .   .   .   .   .   .   .   .   .   .
            DELETE /v1/retention/holds/{id}                     x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/people/{id}/corrections                  x   .   .   .   .   .   .   .   .   .   .
            """,
        population: [
            """
            insert into school.retention_rule (organization_id, kind, years, effective_at)
            values (test.id('Hillside'), 'activities', 100, now()), (test.id('Elsewhere'), 'handouts', 100, now())
            """,
            """
            insert into school.retention_night (organization_id, night, finished_at)
            values (test.id('Hillside'), '2026-09-01', now()), (test.id('Elsewhere'), '2026-09-01', now())
            """,
            """
            insert into school.person_correction (organization_id, correction_id, person_id, was)
            values (test.id('Hillside'), gen_random_uuid(), test.id('sam'), '{"givenName": "Samuel"}'),
                   (test.id('Elsewhere'), gen_random_uuid(), test.id('omar'), '{"givenName": "Umar"}')
            """,
            """
            insert into school.organization_deletion (organization_id, due_at)
            values (test.id('Hillside'), now() + interval '1 year'), (test.id('Elsewhere'), now() + interval '1 year')
            """,
            """
            insert into school.organization_move (organization_id, state)
            values (test.id('Hillside'), 'here'), (test.id('Elsewhere'), 'here')
            """,
            """
            insert into school.audit_cut (organization_id, number, digest)
            values (test.id('Hillside'), 0, sha256('')), (test.id('Elsewhere'), 0, sha256(''))
            """,
            """
            insert into test.name (name, id)
            select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
              from unnest(array['hold on connie', 'hold on otto']) as name
            """,
            """
            insert into school.retention_hold (organization_id, hold_id, person_id, reason)
            select p.organization_id, test.id('hold on ' || test.called(p.person_id)), p.person_id, 'An appeal.'
              from school.person as p where test.called(p.person_id) in ('connie', 'otto')
            """,
        ],
        policies: [
            PolicyRow(
                "retention_rule", "select kind as label from school.retention_rule",
                hillside: ["activities"], elsewhere: ["handouts"],
                seenBy: [[.administrator]: .all]),
            PolicyRow(
                "retention_night",
                "select test.called(organization_id) as label from school.retention_night",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"],
                seenBy: [[.administrator]: .all]),
            PolicyRow(
                "person_correction",
                "select was ->> 'givenName' as label from school.person_correction",
                hillside: ["Samuel"], elsewhere: ["Umar"], seenBy: [[.administrator]: .all]),
            PolicyRow(
                "organization_deletion",
                "select test.called(organization_id) as label from school.organization_deletion",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
            PolicyRow(
                "organization_move",
                "select test.called(organization_id) as label from school.organization_move",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
            PolicyRow(
                "audit_cut", "select test.called(organization_id) as label from school.audit_cut",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
            PolicyRow(
                "retention_hold", "select test.called(hold_id) as label from school.retention_hold",
                hillside: ["hold on connie"], elsewhere: ["hold on otto"],
                seenBy: [[.administrator]: .all]),
        ],
        rights: [WriteRight("retention_hold", [.administrator], "insert delete")],
        writes: [
            WriteCase(.administrator, "places a hold", place("Hillside", "Biology"), is: .done),
            WriteCase(
                .administrator, "places a hold elsewhere", place("Elsewhere", "Geography"),
                is: .refused),
            WriteCase(.administrator, "lifts a hold", lift("hold on connie"), is: .done),
            WriteCase(
                .administrator, "lifts a hold elsewhere", lift("hold on otto"), is: .nothing),
            WriteCase(
                .administrator, "changes a hold",
                "update school.retention_hold set reason = 'None.'", is: .refused),
            WriteCase(
                .administrator, "shortens a rule beside the function",
                "update school.retention_rule set effective_at = now()", is: .refused),
            WriteCase(
                .administrator, "forgets a correction", "delete from school.person_correction",
                is: .refused),
            WriteCase(
                .administrator, "orders a deletion",
                "select school.order_deletion(test.id('Hillside'), 1)", is: .refused),
            WriteCase(
                .administrator, "moves the organization away",
                "select school.set_move_state(test.id('Hillside'), 'elsewhere')", is: .refused),
            WriteCase(.siteManager, "places a hold", place("Hillside", "Biology"), is: .refused),
            WriteCase(.teacher, "lifts a hold", lift("hold on connie"), is: .refused),
            WriteCase(
                .siteManager, "sets a rule", "select school.set_retention('[]')", is: .refused),
        ])

    private static func place(_ organization: String, _ group: String) -> Statement {
        """
        insert into school.retention_hold (organization_id, hold_id, class_id, reason)
        values (test.id(\(organization)), gen_random_uuid(), test.id(\(group)), 'An appeal.')
        """
    }

    private static func lift(_ name: String) -> Statement {
        "delete from school.retention_hold where hold_id = test.id(\(name))"
    }
}
