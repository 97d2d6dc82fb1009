import Postgres
import School
import TestKit

extension WriteTable {
    static let catalog: [WriteCase] = [
        WriteCase(
            .developer, "publishes a context of its app", publish("org.example.quizzler"),
            is: .done),
        WriteCase(
            .developer, "publishes a context of another team's app",
            publish("org.example.reader"), is: .refused),
        WriteCase(
            .developer, "withdraws a context of its app", withdraw("org.example.quizzler"),
            is: .done),
        WriteCase(
            .developer, "withdraws a context of another team's app",
            withdraw("org.example.reader"), is: .refused),
        WriteCase(
            .developer, "creates a context, bypassing the function",
            """
            insert into school.context (organization_id, context_id, environment, bundle_id, identifier_path,
                                        locale, title, type)
            values (test.id('Hillside'), gen_random_uuid(), 'production', 'org.example.quizzler', '{new}',
                    'en', 'New', 'quiz')
            """, is: .refused),
        WriteCase(
            .developer, "changes a context, bypassing the function", rename("published"),
            is: .refused),
        WriteCase(
            .administrator, "publishes a context", publish("org.example.quizzler"), is: .refused),
        WriteCase(.app, "withdraws a context", withdraw("org.example.quizzler"), is: .refused),
        WriteCase(
            .developer, "takes another bundle id",
            """
            insert into school.developer_bundle (organization_id, team_id, bundle_id)
            values (test.id('Hillside'), 'QUIZ', 'org.example.new')
            """, is: .refused),
        WriteCase(
            .administrator, "registers a bundle id",
            """
            insert into school.developer_bundle (organization_id, team_id, bundle_id)
            values (test.id('Hillside'), 'QUIZ', 'org.example.new')
            """, is: .done),
        WriteCase(
            .administrator, "registers a team elsewhere",
            """
            insert into school.developer_team (organization_id, team_id, name)
            values (test.id('Elsewhere'), 'NEW', 'New')
            """, is: .refused),
        WriteCase(
            .administrator, "removes a team elsewhere",
            "delete from school.developer_team where organization_id = test.id('Elsewhere')",
            is: .nothing),
        WriteCase(.administrator, "changes a context", rename("published"), is: .refused),
        WriteCase(.teacher, "changes a context", rename("published"), is: .refused),
        WriteCase(.app, "changes a context of the catalog", rename("published"), is: .refused),
    ]

    private static func publish(_ app: String) -> Statement {
        """
        select school.publish_contexts('production', jsonb_build_array(jsonb_build_object(
            'bundle_id', \(app), 'identifier_path', array['published'], 'locale', 'en', 'title', 'New',
            'type', 'quiz', 'display_order', 0, 'is_assignable', true, 'keywords', '[]'::json,
            'progress_reporting_capabilities', '[]'::json, 'presentable_locales', '[]'::json,
            'standards_alignments', '[]'::json)))
        """
    }

    private static func withdraw(_ app: String) -> Statement {
        "select school.withdraw_contexts('production', \(app), '{published}', 'en')"
    }

    private static func rename(_ title: String) -> Statement {
        "update school.context set title = 'New' where title = \(title)"
    }

    private static func keepChange(_ organization: String) -> Statement {
        """
        insert into school.import_change (organization_id, import_id, position, file, change)
        values (test.id(\(organization)),
                test.id(case \(organization)::text when 'Hillside' then 'import' else 'import elsewhere' end),
                2, 'staff.csv', 'removed')
        """
    }

    static let records: [WriteCase] = [
        WriteCase(
            .peopleManager, "orders an import",
            order("Hillside", standing: "peopleManager", person: "petra"), is: .done),
        WriteCase(
            .siteManager, "orders an import",
            order("Hillside", standing: "siteManager", person: "simon"), is: .done),
        WriteCase(
            .provisioner, "orders an import",
            order("Hillside", standing: "provisioner", person: "nobody"), is: .done),
        WriteCase(
            .peopleManager, "orders an import that runs as an administrator",
            order("Hillside", standing: "administrator", person: "petra"), is: .refused),
        WriteCase(
            .peopleManager, "orders an import in somebody else's name",
            order("Hillside", standing: "peopleManager", person: "ada"), is: .refused),
        WriteCase(
            .peopleManager, "orders an import elsewhere",
            order("Elsewhere", standing: "peopleManager", person: "petra"), is: .refused),
        WriteCase(
            .teacher, "orders an import",
            order("Hillside", standing: "teacher", person: "tom"), is: .refused),
        WriteCase(
            .administrator, "approves an import elsewhere",
            "update school.import set is_approved = true where import_id = test.id('import elsewhere')",
            is: .nothing),
        WriteCase(
            .administrator, "removes an archive elsewhere",
            "delete from school.import_archive where organization_id = test.id('Elsewhere')",
            is: .nothing),
        WriteCase(
            .peopleManager, "stores a row of a plan", keepChange("Hillside"), is: .done),
        WriteCase(
            .peopleManager, "stores a row of a plan elsewhere", keepChange("Elsewhere"),
            is: .refused),
        WriteCase(.teacher, "stores a row of a plan", keepChange("Hillside"), is: .refused),
        WriteCase(.exporter, "records its export", snapshot("Hillside"), is: .done),
        WriteCase(
            .exporter, "records an export for another organization", snapshot("Elsewhere"),
            is: .refused),
        WriteCase(
            .exporter, "advances an export", carryOn("export"), is: .done),
        WriteCase(
            .exporter, "advances an export elsewhere", carryOn("export elsewhere"),
            is: .nothing),
        WriteCase(.administrator, "advances an export", carryOn("export"), is: .refused),
        WriteCase(
            .exporter, "orders an export elsewhere",
            """
            insert into school.export (organization_id, export_id)
            values (test.id('Elsewhere'), gen_random_uuid())
            """, is: .refused),
        WriteCase(
            .exporter, "removes the record of a deletion", "delete from school.deletion",
            is: .refused),
        WriteCase(
            .administrator, "adds an event, bypassing audit()",
            """
            insert into school.audit_event (organization_id, event_id, kind, standing)
            values (test.id('Hillside'), gen_random_uuid(), 'denial', 'teacher')
            """, is: .refused),
        WriteCase(
            .administrator, "changes an event",
            "update school.audit_event set details = '{}'", is: .refused),
        WriteCase(
            .administrator, "removes an event", "delete from school.audit_event", is: .refused),
        WriteCase(
            .administrator, "removes an event in its partition",
            "delete from school.audit_event_default", is: .refused),
    ]

    static let idempotencyKeys: [WriteCase] = [
        WriteCase(
            .teacher, "claims a key", claim("Hillside", by: "school.my_caller()"), is: .done),
        WriteCase(
            .app, "claims a key", claim("Hillside", by: "school.my_caller()"), is: .done),
        WriteCase(
            .teacher, "claims a key of a colleague", claim("Hillside", by: callerOfCora),
            is: .refused),
        WriteCase(
            .teacher, "claims a key elsewhere", claim("Elsewhere", by: "school.my_caller()"),
            is: .refused),
        WriteCase(.teacher, "answers a key of their own", answer("of tom"), is: .done),
        WriteCase(.teacher, "answers a key of a colleague", answer("of cora"), is: .nothing),
        WriteCase(.app, "answers a key of its person", answer("of sam"), is: .nothing),
        WriteCase(
            .app, "answers a key of the person's other app", answer("of another app of sam"),
            is: .nothing),
        WriteCase(.administrator, "answers a key of a teacher", answer("of tom"), is: .nothing),
        WriteCase(
            .teacher, "removes a key of their own", "delete from school.idempotency_key",
            is: .refused),
    ]

    private static let callerOfCora: Statement =
        "concat_ws('/', test.id('cora'), 'teacher', 'production', '', '')"

    private static func claim(_ organization: String, by caller: Statement) -> Statement {
        """
        insert into school.idempotency_key (organization_id, caller, route, key, request_digest)
        values (test.id(\(organization)), \(fragment: caller), 'POST /v1/tests', 'new', sha256(''))
        """
    }

    private static func answer(_ key: String) -> Statement {
        "update school.idempotency_key set body = 'forged' where key = \(key)"
    }

    private static func order(
        _ organization: String, standing: String, person: String
    ) -> Statement {
        """
        insert into school.import (organization_id, import_id, mode, standing, person_id, archive_bytes)
        values (test.id(\(organization)), gen_random_uuid(), 'preview', \(standing), test.id(\(person)), 1)
        """
    }

    private static func carryOn(_ export: String) -> Statement {
        "update school.export set status = 'failed' where export_id = test.id(\(export))"
    }

    private static func snapshot(_ organization: String) -> Statement {
        """
        insert into school.export_snapshot (organization_id, exported_on, taken_at, snapshot, system_id,
                                            is_full)
        values (test.id(\(organization)), '2026-02-02', now(), pg_current_snapshot(), 1, true)
        """
    }
}
